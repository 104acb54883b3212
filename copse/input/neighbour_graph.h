// Which items are joined for what they hold.
#pragma once

namespace copse {

enum class NeighbourGraph {
  automatic,  // words, unless there are links or vectors, or the search would take too long
  none,
  words  // each with the floor(log2 n) + 1 that have the largest cosine with it
};

}  // namespace copse
