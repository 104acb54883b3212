#include "copse/image/split_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "copse/base/parallel.h"
#include "copse/kernels/small_eigen.h"

namespace copse {
namespace {

constexpr Index split_graph_columns_per_block = 512;

struct Split {
  double cut = std::numeric_limits<double>::infinity();  // cut / assoc(A) + cut / assoc(B)
  std::vector<Index> leaves;                             // the nodes of the new part
};

// The best split of some nodes by themselves.
Split best_split(const Matrix<double>& w, const std::vector<Index>& nodes) {
  const auto m = static_cast<Index>(nodes.size());
  Split split;
  if (m < 2) return split;
  Eigen::MatrixXd part(m, m);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) part(i, j) = w(nodes[i], nodes[j]);
  }
  const Eigen::VectorXd degree = part.rowwise().sum();
  Eigen::VectorXd root(m);
  for (Index i = 0; i < m; ++i) root(i) = degree(i) > 0 ? 1 / std::sqrt(degree(i)) : 0;
  const Eigen::MatrixXd scaled = root.asDiagonal() * part * root.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled);
  // Nodes along the second eigenvector; its sign is free, so the first node decides it.
  Eigen::VectorXd along = root.asDiagonal() * solver.eigenvectors().col(m - 2);
  if (along(0) > 0) along = -along;
  std::vector<Index> order(nodes.size());
  std::iota(order.begin(), order.end(), Index(0));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return along(a) < along(b); });
  const double total = degree.sum();
  double left = 0, cut = 0;
  Index best = 1;
  for (Index place = 0; place + 1 < m; ++place) {
    const Index i = order[place];
    // What joins i to the left is no longer cut; what joins it to the right is.
    double to_left = 0;
    for (Index before = 0; before < place; ++before) to_left += part(i, order[before]);
    cut += degree(i) - part(i, i) - 2 * to_left;
    left += degree(i);
    // A part without any edge is loose: nothing is cut.
    const double value = (left > 0 ? cut / left : 0) + (total - left > 0 ? cut / (total - left) : 0);
    if (value < split.cut) {
      split.cut = value;
      best = place + 1;
    }
  }
  for (Index place = best; place < m; ++place) split.leaves.push_back(nodes[order[place]]);
  std::sort(split.leaves.begin(), split.leaves.end());
  return split;
}

}  // namespace

Matrix<double> contracted(SparseView<float> a, const std::vector<double>& degrees, const std::vector<Index>& labels,
                          Index groups) {
  struct Sum {
    std::vector<double> values;
    Sum& operator+=(const Sum& other) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += other.values[i];
      return *this;
    }
  };
  const Sum zero{std::vector<double>(static_cast<std::size_t>(groups * groups), 0.0)};
  const Sum sum = sum_blocks(a.cols, split_graph_columns_per_block, zero, [&](Index begin, Index end) {
    Sum part = zero;
    for (Index j = begin; j < end; ++j) {
      double* row = part.values.data() + labels[j] * groups;
      for (Index e = a.offsets[j]; e < a.offsets[j + 1]; ++e)
        row[labels[a.indices[e]]] += static_cast<double>(a.values[e]) * std::sqrt(degrees[j] * degrees[a.indices[e]]);
    }
    return part;
  });
  Matrix<double> w(groups, groups);
  for (Index i = 0; i < groups; ++i) {
    for (Index j = 0; j < groups; ++j) w(i, j) = (sum.values[i * groups + j] + sum.values[j * groups + i]) / 2;
  }
  return w;
}

std::vector<std::vector<Index>> nested_splits(const Matrix<double>& w) {
  std::vector<std::vector<Index>> partitions;
  std::vector<Index> labels(static_cast<std::size_t>(w.rows()), 0), all(labels.size());
  std::iota(all.begin(), all.end(), Index(0));
  std::vector<std::vector<Index>> parts = {all};
  std::vector<Split> splits = {best_split(w, all)};
  while (static_cast<Index>(parts.size()) < w.rows()) {
    Index next = -1;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].size() >= 2 && (next < 0 || splits[p].cut < splits[next].cut)) next = static_cast<Index>(p);
    }
    const std::vector<Index> leaves = splits[next].leaves;
    for (const Index node : leaves) labels[node] = static_cast<Index>(parts.size());
    std::erase_if(parts[next], [&](Index node) { return std::binary_search(leaves.begin(), leaves.end(), node); });
    parts.push_back(leaves);
    splits[next] = best_split(w, parts[next]);
    splits.push_back(best_split(w, parts.back()));
    partitions.push_back(labels);
  }
  return partitions;
}

}  // namespace copse
