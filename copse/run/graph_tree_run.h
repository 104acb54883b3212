// A tree of communities: HierSymNMF2 on a graph. Its result is that of a tree whose features and items are the nodes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "copse/describe/result.h"
#include "copse/graph/graph_tree.h"
#include "copse/input/graph_input.h"
#include "copse/options/option.h"

namespace copse {

struct GraphTreeRunOptions {
  std::string command = "graph";
  GraphInputOptions input;
  GraphTreeOptions tree;
  Index top = 10;           // central nodes to name per community
  double memory_limit = 0;  // bytes; 0: what the machine has to spare
};

template <>
const OptionRows& rows<GraphTreeRunOptions>();  // in options.cpp

// Reads, splits and describes. An interruption, or a time limit, gives the tree so far. Throws InputError,
// InvalidArgument, and Cancelled before the first split.
template <class T>
TreeResult run_graph_tree(const GraphTreeRunOptions& options, const RunEvents& events = {});

// The graph behind a stored tree, once more, as a split needs it.
template <class T>
class GraphTreeData {
 public:
  GraphTreeData(const Settings& settings, const RunEvents& events, Seconds& seconds);
  const RunData<T>& run_data() const { return *data_; }

 private:
  GraphInput<T> input_;
  std::unique_ptr<Data<T>> x_;
  std::optional<RunData<T>> data_;
};

}  // namespace copse
