// model.safetensors of a graph's communities: the graph, the factor, the memberships, and the items behind the nodes.
#pragma once

#include <string>

#include "copse/graph/graph.h"
#include "copse/io/input.h"
#include "copse/io/output_file.h"
#include "copse/matrix/dataset.h"
#include "copse/model/model_items.h"

namespace copse {

// Tensors: b and memberships (nodes x k), communities, edge_offsets, edge_nodes and edge_weights (compressed columns of
// the lower triangle), for items also their entries as item_offsets, item_features and item_values or as item_rows, and
// those of ModelItems.
template <class T>
struct CommunityModel {
  Graph<T> graph;             // names are in `items`
  Matrix<T> b;                // A ~ B B'
  Matrix<T> memberships;      // rows add up to 1, or 0 for a node that took no part
  std::vector<Index> labels;  // 0 ... k - 1, and k, k + 1, ... for the pieces that were set aside
  bool labels_of_start = false;
  Dataset<T> data;  // items that new ones can be compared with; empty for a given graph
  ModelItems items;

  Index k() const { return b.cols(); }
  bool has_items() const { return data.items() > 0; }
};

template <class T>
void write_graph_model(OutputFile& file, const CommunityModel<T>& model, const Settings& settings);

// Throws InputError for a file that is not the model of a graph.
template <class T>
CommunityModel<T> read_graph_model(const Input& file);

}  // namespace copse
