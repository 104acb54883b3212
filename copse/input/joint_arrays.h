// The graph of items that is factored together with their words, from arrays in memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/graph/graph.h"
#include "copse/input/joint_input.h"
#include "copse/matrix/dataset.h"
#include "copse/matrix/dense.h"

namespace copse {

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

// What joint_graph() of joint_input.h makes of files. `data` is prepared, `kept_items` has the numbers of its items
// among all. Throws InvalidArgument where links or vectors are not those of all items.
template <class T>
Graph<T> joint_graph(const JointArrays<T>& given, const Dataset<T>& data, Index all_items,
                     const std::vector<Index>& kept_items, std::vector<std::string>& notes);

}  // namespace copse
