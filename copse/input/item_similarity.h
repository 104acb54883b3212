// What joins items to a graph.
#pragma once

namespace copse {

// What an edge means: `none` for a graph that is given, else the similarity of the items of a matrix.
enum class ItemSimilarity { none, cosine, gaussian, self_tuning };

}  // namespace copse
