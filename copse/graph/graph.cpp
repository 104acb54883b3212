#include "copse/graph/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index graph_nodes_per_block = 4096;

std::string weight_complaint(double weight) {
  if (std::isnan(weight)) return "is not a number (NaN)";
  return std::isinf(weight) ? "is infinite" : "is negative";
}

bool is_weight(double weight) { return weight >= 0 && weight <= std::numeric_limits<double>::max(); }

template <class T>
T checked_sum(double sum, Index i, Index j) {
  const T value = static_cast<T>(sum);
  if (std::isinf(value))
    throw InvalidArgument("the weight between nodes " + std::to_string(i) + " and " + std::to_string(j) +
                          " is too large for this precision");
  return value;
}

// One listed edge, seen from the node whose column it is in.
struct Half {
  RowIndex other;
  double weight;
};

// Gives every column its entries: fill(j, emit) calls emit(row, value) for ascending rows.
template <class T, class Fill>
SparseMatrix<T> symmetric_from_columns(Index n, const Fill& fill) {
  SparseMatrix<T> a{.rows = n, .cols = n};
  a.offsets.assign(static_cast<std::size_t>(n) + 1, 0);
  parallel_blocks(n, graph_nodes_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) fill(j, [&](RowIndex, T) { ++a.offsets[j + 1]; });
  });
  for (Index j = 0; j < n; ++j) a.offsets[j + 1] += a.offsets[j];
  a.indices.resize(static_cast<std::size_t>(a.offsets[n]));
  a.values.resize(static_cast<std::size_t>(a.offsets[n]));
  parallel_blocks(n, graph_nodes_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      Index p = a.offsets[j];
      fill(j, [&](RowIndex i, T value) {
        a.indices[p] = i;
        a.values[p++] = value;
      });
    }
  });
  return a;
}

}  // namespace

template <class T>
Graph<T> graph_from_edges(Index nodes, std::span<const Edge> edges, EdgeCounts* counts) {
  if (nodes < 0 || nodes > std::numeric_limits<RowIndex>::max())
    throw InvalidArgument("a graph must have less than 2^31 nodes");
  EdgeCounts found;
  Buffer<Index> offsets(static_cast<std::size_t>(nodes) + 1, 0);
  for (const Edge& edge : edges) {
    if (edge.from < 0 || edge.from >= nodes || edge.to < 0 || edge.to >= nodes)
      throw InvalidArgument("an edge joins nodes " + std::to_string(edge.from) + " and " + std::to_string(edge.to) +
                            " of a graph with " + std::to_string(nodes) + " nodes");
    if (!is_weight(edge.weight))
      throw InvalidArgument("the weight between nodes " + std::to_string(edge.from) + " and " +
                            std::to_string(edge.to) + " " + weight_complaint(edge.weight));
    if (edge.from == edge.to) {
      ++found.self_loops;
    } else if (edge.weight == 0) {
      ++found.zero_weights;
    } else {
      ++offsets[edge.from + 1];
      ++offsets[edge.to + 1];
    }
  }
  for (Index j = 0; j < nodes; ++j) offsets[j + 1] += offsets[j];
  Buffer<Half> halves(static_cast<std::size_t>(offsets[nodes]));
  Buffer<Index> next(offsets.begin(), offsets.end() - 1);
  for (const Edge& edge : edges) {
    if (edge.from == edge.to || edge.weight == 0) continue;
    halves[next[edge.from]++] = {edge.to, edge.weight};
    halves[next[edge.to]++] = {edge.from, edge.weight};
  }
  // Stable: what is listed between two nodes is added in the order of the list, in both columns alike.
  parallel_blocks(nodes, graph_nodes_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j)
      std::stable_sort(halves.begin() + offsets[j], halves.begin() + offsets[j + 1],
                       [](const Half& a, const Half& b) { return a.other < b.other; });
  });
  Graph<T> graph;
  graph.weights = symmetric_from_columns<T>(nodes, [&](Index j, const auto& emit) {
    for (Index p = offsets[j]; p < offsets[j + 1];) {
      const RowIndex i = halves[p].other;
      double sum = 0;
      for (; p < offsets[j + 1] && halves[p].other == i; ++p) sum += halves[p].weight;
      const T weight = checked_sum<T>(sum, i, j);
      if (weight > T(0)) emit(i, weight);  // less than the smallest number of this precision is nothing
    }
  });
  found.repeated = (static_cast<Index>(halves.size()) - graph.weights.nonzeros()) / 2;
  if (counts != nullptr) *counts = found;
  return graph;
}

template <class T>
Graph<T> graph_from_matrix(SparseView<T> a, MatrixCounts* counts) {
  if (a.rows != a.cols)
    throw InvalidArgument("the matrix of a graph must be square, and this one is " + std::to_string(a.rows) + " x " +
                          std::to_string(a.cols));
  MatrixCounts found;
  for (Index j = 0; j < a.cols; ++j) {
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      if (!is_weight(a.values[p]))
        throw InvalidArgument("the weight between nodes " + std::to_string(a.indices[p]) + " and " + std::to_string(j) +
                              " " + weight_complaint(a.values[p]));
      if (a.indices[p] == j) ++found.self_loops;
    }
  }
  const SparseMatrix<T> turned = transpose(a);
  // Merges column j of a and of a'; visit(i, a_ij, a_ji).
  const auto merge = [&](Index j, const auto& visit) {
    Index p = a.offsets[j], q = turned.offsets[j];
    while (p < a.offsets[j + 1] || q < turned.offsets[j + 1]) {
      const Index i = p < a.offsets[j + 1] ? a.indices[p] : a.cols,
                  t = q < turned.offsets[j + 1] ? turned.indices[q] : a.cols;
      visit(std::min(i, t), i <= t ? a.values[p] : T(0), t <= i ? turned.values[q] : T(0));
      if (i <= t) ++p;
      if (t <= i) ++q;
    }
  };
  found.unequal = sum_blocks(a.cols, graph_nodes_per_block, Index{0}, [&](Index begin, Index end) {
    Index unequal = 0;
    for (Index j = begin; j < end; ++j)
      merge(j, [&](Index i, T down, T up) { unequal += i < j && down != up ? 1 : 0; });
    return unequal;
  });
  Graph<T> graph;
  graph.weights = symmetric_from_columns<T>(a.cols, [&](Index j, const auto& emit) {
    merge(j, [&](Index i, T down, T up) {
      const T mean = down / 2 + up / 2;
      if (i != j && mean > T(0)) emit(static_cast<RowIndex>(i), down == up ? down : mean);
    });
  });
  if (counts != nullptr) *counts = found;
  return graph;
}

template <class T>
std::vector<double> degrees(SparseView<T> a) {
  std::vector<double> result(static_cast<std::size_t>(a.cols), 0.0);
  parallel_blocks(a.cols, graph_nodes_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) result[j] += static_cast<double>(a.values[p]);
    }
  });
  return result;
}

template <class T>
Components connected_components(SparseView<T> a) {
  Components result;
  result.labels.assign(static_cast<std::size_t>(a.cols), -1);
  std::vector<Index> queue;
  for (Index seed = 0; seed < a.cols; ++seed) {
    if (result.labels[seed] >= 0) continue;
    const Index label = result.count();
    queue.assign(1, seed);
    result.labels[seed] = label;
    for (std::size_t q = 0; q < queue.size(); ++q) {
      for (Index p = a.offsets[queue[q]]; p < a.offsets[queue[q] + 1]; ++p) {
        const Index other = a.indices[p];
        if (result.labels[other] >= 0) continue;
        result.labels[other] = label;
        queue.push_back(other);
      }
    }
    result.sizes.push_back(static_cast<Index>(queue.size()));
    result.isolated += queue.size() == 1 ? 1 : 0;
  }
  return result;
}

template <class T>
SparseMatrix<T> induced(SparseView<T> a, std::span<const Index> nodes) {
  std::vector<RowIndex> numbers(static_cast<std::size_t>(a.cols), -1);
  for (std::size_t v = 0; v < nodes.size(); ++v) numbers[nodes[v]] = static_cast<RowIndex>(v);
  return symmetric_from_columns<T>(static_cast<Index>(nodes.size()), [&](Index j, const auto& emit) {
    for (Index p = a.offsets[nodes[j]]; p < a.offsets[nodes[j] + 1]; ++p) {
      if (numbers[a.indices[p]] >= 0) emit(numbers[a.indices[p]], a.values[p]);
    }
  });
}

template <class T>
Graph<T> induced(const Graph<T>& graph, std::span<const Index> nodes) {
  Graph<T> result{.weights = induced<T>(SparseView<T>(graph.weights), nodes)};
  if (!graph.names.empty()) {
    for (const Index node : nodes) result.names.push_back(graph.names[node]);
  }
  return result;
}

#define COPSE_INSTANTIATE(T)                                                     \
  template Graph<T> graph_from_edges(Index, std::span<const Edge>, EdgeCounts*); \
  template Graph<T> graph_from_matrix(SparseView<T>, MatrixCounts*);             \
  template std::vector<double> degrees(SparseView<T>);                           \
  template Components connected_components(SparseView<T>);                       \
  template SparseMatrix<T> induced(SparseView<T>, std::span<const Index>);       \
  template Graph<T> induced(const Graph<T>&, std::span<const Index>);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
