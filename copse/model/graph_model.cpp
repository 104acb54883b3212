#include "copse/model/graph_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/graph/graph.h"

namespace copse {
namespace {

// Both triangles are equal: one is enough.
template <class T>
void add_graph(TensorWriter& writer, const SparseMatrix<T>& a) {
  Buffer<std::int64_t> offsets(1, 0), nodes;
  std::vector<T> weights;
  for (Index j = 0; j < a.cols; ++j) {
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      if (a.indices[p] <= j) continue;
      nodes.push_back(a.indices[p]);
      weights.push_back(a.values[p]);
    }
    offsets.push_back(static_cast<std::int64_t>(nodes.size()));
  }
  writer.add("edge_offsets", std::move(offsets));
  writer.add("edge_nodes", std::move(nodes));
  writer.add("edge_weights", Numbers(std::move(weights)));
}

// Whether offsets ascend from 0 to the number of entries.
bool are_offsets(std::span<const std::int64_t> offsets, Index columns, std::size_t entries) {
  return static_cast<Index>(offsets.size()) == columns + 1 && offsets.front() == 0 &&
         offsets.back() == static_cast<std::int64_t>(entries) && std::ranges::is_sorted(offsets);
}

template <class T>
SparseMatrix<T> read_edges(const TensorReader& reader, Index n) {
  const auto offsets = reader.get<std::int64_t>("edge_offsets"), nodes = reader.get<std::int64_t>("edge_nodes");
  const auto weights = reader.get<T>("edge_weights");
  if (!are_offsets(offsets, n, nodes.size()) || nodes.size() != weights.size())
    reader.wrong("its edges do not fit its nodes");
  std::vector<Edge> edges;
  for (Index j = 0; j < n; ++j) {
    for (std::int64_t p = offsets[j]; p < offsets[j + 1]; ++p) {
      const bool usable = nodes[p] > j && nodes[p] < n && weights[p] > T(0) && std::isfinite(weights[p]);
      if (!usable || (p > offsets[j] && nodes[p] <= nodes[p - 1])) reader.wrong("one of its edges cannot be");
      edges.push_back({static_cast<RowIndex>(j), static_cast<RowIndex>(nodes[p]), static_cast<double>(weights[p])});
    }
  }
  return graph_from_edges<T>(n, edges).weights;
}

template <class T>
void add_data(TensorWriter& writer, const Dataset<T>& data) {
  if (const auto* rows = std::get_if<Matrix<T>>(&data.values)) {
    writer.add_view("item_rows", *rows);
    return;
  }
  const auto& sparse = std::get<SparseMatrix<T>>(data.values);
  writer.add("item_offsets", Buffer<std::int64_t>(sparse.offsets.begin(), sparse.offsets.end()));
  writer.add("item_features", Buffer<std::int64_t>(sparse.indices.begin(), sparse.indices.end()));
  writer.add("item_values", Numbers(std::vector<T>(sparse.values.begin(), sparse.values.end())));
}

template <class T>
Dataset<T> read_data(const TensorReader& reader, Index n) {
  Dataset<T> data;
  if (reader.has("item_rows")) {
    // Coordinates may be negative, which TensorReader::matrix refuses.
    const auto values = reader.get<T>("item_rows");
    if (n == 0 || values.size() % static_cast<std::size_t>(n) != 0) reader.wrong("its items do not fit its nodes");
    Matrix<T> rows(n, static_cast<Index>(values.size()) / n);
    std::ranges::copy(values, rows.data());
    data.values = std::move(rows);
    return data;
  }
  if (!reader.has("item_offsets")) return data;
  const auto offsets = reader.get<std::int64_t>("item_offsets"), features = reader.get<std::int64_t>("item_features");
  const auto values = reader.get<T>("item_values");
  const auto known = static_cast<Index>(reader.list<std::int64_t>("kept_features").size());
  bool fits = are_offsets(offsets, n, features.size()) && features.size() == values.size();
  for (Index j = 0; fits && j < n; ++j) {
    for (std::int64_t p = offsets[j]; p < offsets[j + 1]; ++p)
      fits = fits && features[p] >= 0 && features[p] < known && (p == offsets[j] || features[p] > features[p - 1]);
  }
  if (!fits) reader.wrong("its items do not fit its nodes");
  SparseMatrix<T> sparse;
  sparse.rows = known;
  sparse.cols = n;
  sparse.offsets.assign(offsets.begin(), offsets.end());
  for (const std::int64_t feature : features) sparse.indices.push_back(static_cast<RowIndex>(feature));
  sparse.values.assign(values.begin(), values.end());
  data.values = std::move(sparse);
  return data;
}

}  // namespace

void write_model(OutputFile& file, const CommunityModel& model, const Settings& settings) {
  TensorWriter writer;
  writer.add_view("b", model.b);
  writer.add_view("memberships", model.memberships);
  writer.add("communities", model.labels);
  writer.add("communities_of_start", std::vector<std::int64_t>{model.labels_of_start ? 1 : 0});
  const auto add_all = [&](const auto& graph) {
    add_graph(writer, graph.weights);
    if (graph.data.items() > 0) add_data(writer, graph.data);
  };
  std::visit(add_all, model.graph);
  add_items(writer, model.items);
  writer.write(file, settings, "graph");
}

CommunityModel read_graph_model(const Input& file) {
  const TensorReader reader(file, "a graph");
  CommunityModel model;
  model.b = reader.matrix("b");
  model.memberships = reader.matrix("memberships");
  model.labels = reader.list<Index>("communities");
  const std::vector<std::int64_t> of_start = reader.list<std::int64_t>("communities_of_start");
  model.labels_of_start = !of_start.empty() && of_start[0] != 0;
  const Index n = model.b.rows();
  const bool usable =
      std::ranges::all_of(model.labels, [&](Index label) { return label >= 0 && label < n + model.k(); });
  if (model.memberships.rows() != n || model.memberships.cols() != model.k() ||
      static_cast<Index>(model.labels.size()) != n || model.k() == 0 || !usable)
    reader.wrong("its factor, memberships and labels do not fit each other");
  Index features = 0;
  with_precision(reader.precision(), [&]<class T> {
    CommunityGraph<T> graph{read_edges<T>(reader, n), read_data<T>(reader, n)};
    if (graph.data.items() > 0) features = graph.data.features();
    model.graph = std::move(graph);
  });
  model.items = read_items(reader, features, n);
  return model;
}

}  // namespace copse
