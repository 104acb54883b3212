// model.safetensors of a graph's communities: the graph, the factor, the memberships, and the items behind the nodes.
#pragma once

#include <string>
#include <variant>

#include "copse/io/input.h"
#include "copse/io/output_file.h"
#include "copse/matrix/dataset.h"
#include "copse/model/model_items.h"

namespace copse {

// Tensors: b and memberships (nodes x k), communities, edge_offsets, edge_nodes and edge_weights (compressed columns of
// the lower triangle), for items also their entries as item_offsets, item_features and item_values or as item_rows, and
// those of ModelItems.
template <class T>
struct CommunityGraph {
  SparseMatrix<T> weights;  // of the edges
  Dataset<T> data;          // items that new ones can be compared with; empty for a given graph
};

struct CommunityModel {
  std::variant<CommunityGraph<float>, CommunityGraph<double>> graph;
  AnyMatrix b;                // A ~ B B'
  AnyMatrix memberships;      // rows add up to 1, or 0 for a node that took no part
  std::vector<Index> labels;  // 0 ... k - 1, and k, k + 1, ... for the pieces that were set aside
  bool labels_of_start = false;
  ModelItems items;

  Index k() const { return b.cols(); }
  Index nodes() const { return b.rows(); }
  bool has_items() const {
    return std::visit([](const auto& known) { return known.data.items() > 0; }, graph);
  }
  template <class T>
  const CommunityGraph<T>& graph_of() const {
    if (b.precision() != precision_of<T>) refuse_precision();
    return std::get<CommunityGraph<T>>(graph);
  }
  // Calls visit(other, weight) for the edges of a node.
  template <class Visit>
  void visit_edges(Index node, const Visit& visit) const {
    const auto each = [&](const auto& known) {
      const auto& a = known.weights;
      for (Index p = a.offsets[node]; p < a.offsets[node + 1]; ++p)
        visit(static_cast<Index>(a.indices[p]), static_cast<double>(a.values[p]));
    };
    std::visit(each, graph);
  }
};

void write_model(OutputFile& file, const CommunityModel& model, const Settings& settings);

// Throws InputError for a file that is not the model of a graph.
CommunityModel read_graph_model(const Input& file);

}  // namespace copse
