// The graph of items that is factored together with their words: links between them, neighbours by given vectors, or
// neighbours by their own words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/graph/graph.h"
#include "copse/input/input.h"
#include "copse/input/neighbour_graph.h"
#include "copse/matrix/dataset.h"
#include "copse/matrix/dense.h"

namespace copse {

struct JointInput {
  std::string links = {};    // a file of edges between the names of items, or a matrix of all items; empty: none
  std::string vectors = {};  // a .npy file with a row for every item, whose nearest rows are joined; empty: none
  NeighbourGraph neighbours = NeighbourGraph::none;
  // Of the graph, as in JointOptions. Below zero: 1, or 0.3 where the items' own neighbours are all of it, which repeat
  // what the words say (docs/design/014-words-with-a-graph.md).
  double weight = -1;

  bool is_asked_for() const { return !links.empty() || !vectors.empty() || neighbours != NeighbourGraph::none; }
};

// What is meant for this data: no `automatic` and no weight below zero is left. A sentence goes into `notes` where
// neighbours would take too long.
template <class T>
JointInput decided(JointInput options, const Dataset<T>& data, std::vector<std::string>& notes);

// What is joined.
template <class T>
struct JointItems {
  const Dataset<T>& data;                     // prepared
  const std::vector<std::string>& all_names;  // of all items before preparation
  const std::vector<Index>& kept_items;       // numbers of those of `data` among all
};

template <class T>
JointItems<T> joint_items(const PreparedInput<T>& input) {
  return {input.data, input.all_item_names, input.preparation.kept_items};
}

// The sum of the graphs that were asked for, by decided() options, each normalized with degrees damped by a tenth of
// their mean, so that several count alike. Links are taken in both directions: the weight between two items is the sum
// of all that is listed between them. What could not be used, and how many items have no edge, goes into `notes`.
// Throws InputError, also where the graph does not fit in `memory_limit` bytes (0: what the machine can spare) beside
// `k` clusters.
template <class T>
Graph<T> joint_graph(const JointInput& options, const JointItems<T>& items, Index k, double memory_limit,
                     const RunEvents& events, std::vector<std::string>& notes);

// Bytes that `edges` edges among n items take beside a factorization with k clusters.
double joint_memory(Index items, Index edges, Index k, std::size_t bytes_per_value);

// The same from arrays in memory.
template <class T>
struct JointArrays {
  std::optional<Graph<T>> links = {};     // of all items
  std::optional<Matrix<T>> vectors = {};  // a row for every item
  bool words = false;                     // join items for what they hold, too
  double weight = -1;                     // of the graph, as in JointInput

  bool is_asked_for() const { return links || vectors || words; }
};

// What a run tells of it in its settings; its weight is decided.
template <class T>
JointInput settings_of(const JointArrays<T>& given);

// What joint_graph() makes of files. `data` is prepared, `kept_items` has the numbers of its items
// among all. Throws InvalidArgument where links or vectors are not those of all items.
template <class T>
Graph<T> joint_graph(const JointArrays<T>& given, const Dataset<T>& data, Index all_items,
                     const std::vector<Index>& kept_items, std::vector<std::string>& notes);

}  // namespace copse
