// What a method reads, and what it gives, which is the kind of a stored result: `kind` in result.json has its word.
#pragma once

#include "copse/options/choices.h"

namespace copse {

enum class Reads {
  items,
  counts,           // items that are counts of words: they are not weighed
  graph,            // a graph, or that of the items; the items serve to describe and to place only
  items_and_graph,  // both
  picture
};
enum class Gives { flat, tree, communities, community_tree, segments };

template <>
const Choices<Reads>& choices();
template <>
const Choices<Gives>& choices();

}  // namespace copse
