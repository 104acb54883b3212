#include "copse/graph/graph_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/graph/communities.h"
#include "copse/graph/normalize.h"
#include "copse/graph/set_aside.h"
#include "copse/graph/spectral.h"
#include "copse/graph/symnmf.h"
#include "copse/kernels/in_memory.h"

namespace copse {
namespace {

constexpr Index graph_tree_nodes_per_block = 4096;
constexpr int leading_iterations = 100;
constexpr double leading_tolerance = 1e-6;
constexpr Index smallest_share = 20;  // components of a node with fewer than a 20th of its nodes follow the larger side

// The largest eigenvalue of A without the entries between the two groups of nodes, by power iteration with half of the
// vector kept, so that bipartite graphs converge. One for each group; an empty span means a single group.
template <class T>
std::array<double, 2> leading_values(SparseView<T> a, std::span<const char> in_first) {
  const Index n = a.cols;
  const auto group = [&](Index i) { return in_first.empty() || in_first[i] ? 0 : 1; };
  std::vector<double> x(static_cast<std::size_t>(n), 1.0), y(x);
  std::array<double, 2> values{};
  for (int iteration = 0; iteration < leading_iterations; ++iteration) {
    parallel_blocks(n, graph_tree_nodes_per_block, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        y[j] = 0;
        for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
          if (group(a.indices[p]) == group(j)) y[j] += static_cast<double>(a.values[p]) * x[a.indices[p]];
        }
      }
    });
    std::array<double, 2> inner{}, square{}, norm{};
    for (Index i = 0; i < n; ++i) {
      inner[group(i)] += x[i] * y[i];
      square[group(i)] += x[i] * x[i];
    }
    bool settled = true;
    for (int g = 0; g < 2; ++g) {
      const double next = square[g] > 0 ? inner[g] / square[g] : 0;
      settled &= std::abs(next - values[g]) <= leading_tolerance * next;
      values[g] = next;
    }
    if (settled) break;
    for (Index i = 0; i < n; ++i) {
      x[i] = y[i] + values[group(i)] * x[i];
      norm[group(i)] = std::max(norm[group(i)], x[i]);
    }
    for (Index i = 0; i < n; ++i) x[i] = norm[group(i)] > 0 ? x[i] / norm[group(i)] : 0;
  }
  return values;
}

// The normalized cut of two groups on the graph to which damping adds edges of tau mean(d) / n between all pairs
// (Zhang & Rohe 2018): a few nodes that hang by a thread cut badly on it. Negative labels take no part.
template <class T>
double damped_cut(SparseView<T> a, std::span<const Index> labels, double tau) {
  std::array<double, 2> volume{}, size{};
  double cut = 0;
  for (Index j = 0; j < a.cols; ++j) {
    if (labels[j] < 0) continue;
    size[labels[j]] += 1;
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      const double weight = static_cast<double>(a.values[p]);
      volume[labels[j]] += weight;
      if (labels[a.indices[p]] >= 0 && labels[a.indices[p]] != labels[j]) cut += weight / 2;
    }
  }
  const double nodes = size[0] + size[1];
  if (!(size[0] > 0) || !(size[1] > 0)) return 2;
  const double added = tau * (volume[0] + volume[1]) / nodes;
  cut += added * size[0] * size[1] / nodes;
  double sum = 0;
  for (int c = 0; c < 2; ++c) sum += volume[c] + added * size[c] > 0 ? cut / (volume[c] + added * size[c]) : 1;
  return sum;
}

// One node of the tree: an induced graph, normalized by itself. What reads it asks for is done by the same matrix as
// ordinary items.
template <class T>
class GraphNode : public NodeData<T> {
 public:
  GraphNode(SparseMatrix<T> weights, double tau, std::span<const RowIndex> nodes)
      : GraphNode(Parts(std::move(weights), tau), tau, nodes) {}

  Index items() const override { return parts_.inner->items(); }
  Index entries() const override { return parts_.inner->entries(); }
  std::unique_ptr<NodeData<T>> part(const SampledItems& chosen) const override { return parts_.inner->part(chosen); }
  void sweep(const Matrix<T>& w, const PairGram& ww, Sweep<T>& out) const override { parts_.inner->sweep(w, ww, out); }
  void project(const Matrix<T>& v, Sweep<T>& out) const override { parts_.inner->project(v, out); }
  void spread(Sweep<T>& out) const override { parts_.inner->spread(out); }
  void power_step(const Matrix<T>& v, std::span<const char> in_first, Sweep<T>& out) const override {
    parts_.inner->power_step(v, in_first, out);
  }

  // What two factors gain that share no node: with the leading eigenvalues, |A - B B'|^2 falls from |A|^2 - l^2 to
  // |A|^2 - l1^2 - l2^2.
  double gain_of_split(std::span<const char> in_first) const override {
    const double whole = leading_values<T>(*parts_.a, {})[0];
    const auto [first, second] = leading_values<T>(*parts_.a, in_first);
    return std::ldexp(first * first + second * second - whole * whole, -2 * this->exponent());
  }

  Rank2Result<T> factorize(const Rank2Options& options) const override {
    std::vector<Index> core = core_nodes();
    std::vector<Hanging> hanging = hanging_nodes<T>(SparseView<T>(parts_.weights), least_nodes());
    std::erase_if(hanging, [&](const Hanging& h) { return !std::ranges::binary_search(core, h.node); });
    core = without(core, hanging);
    const bool whole = static_cast<Index>(core.size()) == items();
    const SparseMatrix<T> cut = whole ? SparseMatrix<T>{} : induced<T>(SparseView<T>(parts_.weights), core);
    const SparseMatrix<T>& weights = whole ? parts_.weights : cut;
    const SparseMatrix<T> a = normalized<T>(weights, tau_);
    const SparseData<T> data(a);
    Rank2Result<T> result;
    Matrix<T> b(items(), 2);
    if (core.size() >= 2) {
      const Matrix<T> fit = best_fit(weights, a, data, options, result);
      for (std::size_t v = 0; v < core.size(); ++v)
        std::copy_n(fit.row(static_cast<Index>(v)).data(), 2, b.row(core[v]).data());
    }
    place_hanging(hanging, degrees<T>(SparseView<T>(parts_.weights)), b);
    write_factors(b, result);
    return result;
  }

 private:
  struct Parts {
    explicit Parts(SparseMatrix<T> given, double tau)
        : weights(std::move(given)), a(std::make_unique<SparseMatrix<T>>(normalized<T>(weights, tau))) {
      std::vector<RowIndex> all(static_cast<std::size_t>(a->cols));
      for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<RowIndex>(v);
      inner = tree_data<T>(SparseView<T>(*a))->cut(all);
    }
    SparseMatrix<T> weights;
    std::unique_ptr<SparseMatrix<T>> a;
    std::unique_ptr<NodeData<T>> inner;
  };

  // The count of entries is never reached, so that no node is cut down in place: degrees change with every cut.
  GraphNode(Parts parts, double tau, std::span<const RowIndex> nodes)
      : NodeData<T>(numbers(parts.inner->terms(), nodes),
                    {parts.inner->squared_norms().begin(), parts.inner->squared_norms().end()}, parts.inner->exponent(),
                    1),
        parts_(std::move(parts)),
        tau_(tau) {}

  static std::vector<RowIndex> numbers(std::span<const RowIndex> local, std::span<const RowIndex> nodes) {
    std::vector<RowIndex> result;
    for (const RowIndex term : local) result.push_back(nodes[term]);
    return result;
  }

  void drop_items(std::span<const char>, int) override {
    throw InvalidArgument("the nodes of a graph are cut out anew for every split");
  }
  Index entries_of(std::span<const char>) const override { return 0; }

  Index least_nodes() const { return std::max<Index>(2, (items() + smallest_share - 1) / smallest_share); }

  // Nodes in components that are large enough. Nodes without an edge here have none in the larger ones.
  std::vector<Index> core_nodes() const {
    const Components components = connected_components<T>(SparseView<T>(parts_.weights));
    std::vector<Index> kept = nodes_taking_part(components, 2, least_nodes());
    if (static_cast<Index>(kept.size()) * 2 < items()) kept = nodes_taking_part(components, 2, 2);
    return kept;
  }

  // The fit with the lowest damped cut, from two partitions: one by moves that raise modularity, one by eigenvectors.
  Matrix<T> best_fit(const SparseMatrix<T>& weights, const SparseMatrix<T>& a, const Data<T>& data,
                     const Rank2Options& options, Rank2Result<T>& result) const {
    const Index n = a.cols;
    double first_gradient = 0;
    Matrix<T> random = random_sym_start<T>(data, 2, options.seed, &first_gradient);
    const SymNmfOptions solve = {.rank = 2,
                                 .max_iterations = options.max_iterations,
                                 .tolerance = options.tolerance,
                                 .first_gradient = first_gradient,
                                 .progress = [&](const SymIteration&) {
                                   check_time(*this, options.deadline);
                                   return true;
                                 }};
    std::vector<Matrix<T>> starts;
    if (options.start == Rank2Start::random) {
      starts.push_back(std::move(random));
    } else {
      check_time(*this, options.deadline);
      starts.push_back(
          partition_start<T>(a, communities_of_count<T>(SparseView<T>(weights), 2, options.seed).labels, 2));
      check_time(*this, options.deadline);
      starts.push_back(
          partition_start<T>(a, cluster_qr(leading_eigenpairs_by_component<T>(a, 2, options.seed).vectors), 2));
    }
    Matrix<T> best;
    double best_cut = std::numeric_limits<double>::infinity();
    for (Matrix<T>& start : starts) {
      SymNmfResult<T> fit = factorize_symmetric<T>(SparseView<T>(a), solve, std::move(start));
      result.iterations += fit.history.back().number;
      result.entries_read += static_cast<double>(fit.history.back().number * a.nonzeros());
      result.stop_reason = fit.stop_reason;
      std::vector<Index> labels(static_cast<std::size_t>(n));
      const std::array<double, 2> norms = column_norms(fit.b);
      for (Index i = 0; i < n; ++i) {
        const double first = norms[0] * static_cast<double>(fit.b(i, 0));
        const double second = norms[1] * static_cast<double>(fit.b(i, 1));
        labels[i] = first == second ? -1 : second > first;
      }
      const double cut = damped_cut<T>(SparseView<T>(weights), labels, tau_);
      if (cut < best_cut) {
        best_cut = cut;
        best = std::move(fit.b);
        result.projected_gradient_ratio = fit.projected_gradient_ratio;
      }
    }
    return best;
  }

  static std::array<double, 2> column_norms(const Matrix<T>& b) {
    std::array<double, 2> norms{};
    for (Index i = 0; i < b.rows(); ++i) {
      for (Index c = 0; c < 2; ++c) norms[c] += static_cast<double>(b(i, c)) * static_cast<double>(b(i, c));
    }
    for (double& norm : norms) norm = std::sqrt(norm);
    return norms;
  }

  // W H = B B' with unit columns of W, on the scale of the values here.
  void write_factors(const Matrix<T>& b, Rank2Result<T>& result) const {
    const auto terms = parts_.inner->terms();
    const std::array<double, 2> norms = column_norms(b);
    result.w = Matrix<T>(static_cast<Index>(terms.size()), 2);
    result.h = Matrix<T>(items(), 2);
    double inner = 0;
    for (Index i = 0; i < items(); ++i) {
      inner += static_cast<double>(b(i, 0)) * static_cast<double>(b(i, 1));
      for (Index c = 0; c < 2; ++c)
        result.h(i, c) = static_cast<T>(std::ldexp(static_cast<double>(b(i, c)) * norms[c], -this->exponent()));
    }
    for (std::size_t t = 0; t < terms.size(); ++t) {
      for (Index c = 0; c < 2; ++c) {
        if (norms[c] > 0)
          result.w(static_cast<Index>(t), c) = static_cast<T>(static_cast<double>(b(terms[t], c)) / norms[c]);
      }
    }
    result.inner = norms[0] > 0 && norms[1] > 0 ? inner / (norms[0] * norms[1]) : 0;
    const double square =
        norms[0] * norms[0] * norms[0] * norms[0] + 2 * inner * inner + norms[1] * norms[1] * norms[1] * norms[1];
    result.fitted = std::ldexp(square, -2 * this->exponent());
  }

  Parts parts_;
  double tau_;
};

template <class T>
class GraphTreeData : public TreeData<T> {
 public:
  GraphTreeData(SparseView<T> weights, double tau)
      : weights_(weights), tau_(tau), a_(normalized<T>(weights, tau)), whole_(tree_data<T>(SparseView<T>(a_))) {}

  Index rows() const override { return weights_.cols; }
  Index cols() const override { return weights_.cols; }
  Index entries() const override { return weights_.nonzeros(); }
  std::span<const double> squared_norms() const override { return whole_->squared_norms(); }
  int exponent() const override { return whole_->exponent(); }
  std::unique_ptr<NodeData<T>> cut(std::span<const RowIndex> items) const override {
    const std::vector<Index> nodes(items.begin(), items.end());
    return std::make_unique<GraphNode<T>>(induced<T>(weights_, nodes), tau_, items);
  }

 private:
  SparseView<T> weights_;
  double tau_;
  SparseMatrix<T> a_;
  std::unique_ptr<TreeData<T>> whole_;
};

// The tree of some nodes as a tree of all. The others are outliers of the root.
void number_anew(Tree& tree, const std::vector<Index>& core, Index n) {
  const auto map = [&](std::vector<RowIndex>& numbers) {
    for (RowIndex& number : numbers) number = static_cast<RowIndex>(core[number]);
  };
  for (TreeNode& node : tree.nodes) {
    map(node.items);
    map(node.outliers);
    map(node.topic.terms);
  }
  tree.rows = tree.cols = n;
  TreeNode& root = tree.nodes[0];
  if (root.first >= 0) {
    std::vector<char> taken(static_cast<std::size_t>(n), 0);
    for (const Index node : core) taken[node] = 1;
    for (Index i = 0; i < n; ++i) {
      if (!taken[i]) root.outliers.push_back(static_cast<RowIndex>(i));
    }
    std::ranges::sort(root.outliers);
  }
  root.items.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) root.items[i] = static_cast<RowIndex>(i);
}

}  // namespace

template <class T>
std::unique_ptr<TreeData<T>> graph_tree_data(SparseView<T> weights, double tau) {
  return std::make_unique<GraphTreeData<T>>(weights, tau);
}

std::vector<Index> graph_tree_labels(const Tree& tree, const Components& components) {
  const std::vector<Index> leaves = tree.leaf_nodes();
  std::vector<Index> number(tree.nodes.size(), -1);
  for (std::size_t c = 0; c < leaves.size(); ++c) number[leaves[c]] = static_cast<Index>(c);
  std::vector<Index> labels = tree.partition(tree.splits());
  for (Index& label : labels) label = label < 0 ? -1 : number[label];
  // A component that lies outside of the tree as a whole is a piece; single nodes that a split set aside are none.
  std::vector<char> inside(static_cast<std::size_t>(components.count()), 0);
  for (std::size_t i = 0; i < labels.size(); ++i) inside[components.labels[i]] |= labels[i] >= 0;
  std::vector<Index> piece(inside.size(), -1);
  Index count = static_cast<Index>(leaves.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Index component = components.labels[i];
    if (inside[component]) continue;
    if (piece[component] < 0) piece[component] = count++;
    labels[i] = piece[component];
  }
  return labels;
}

template <class T>
GraphTree cluster_graph_tree(const Graph<T>& graph, const GraphTreeOptions& options) {
  const Index n = graph.nodes();
  if (n == 0) throw InvalidArgument("the graph has no nodes");
  if (options.tree.leaves < 1 || options.tree.leaves > n)
    throw InvalidArgument("the number of leaves must be between 1 and the number of nodes, " + std::to_string(n) +
                          ", and is " + std::to_string(options.tree.leaves));
  GraphTree result;
  result.components = connected_components<T>(graph.weights);
  const std::vector<Index> core = nodes_taking_part(result.components, options.tree.leaves, options.least_component);
  if (static_cast<Index>(core.size()) == n) {
    const auto data = graph_tree_data<T>(SparseView<T>(graph.weights), options.tau);
    result.tree = build_tree(*data, options.tree);
  } else {
    const SparseMatrix<T> weights = induced<T>(SparseView<T>(graph.weights), core);
    const auto data = graph_tree_data<T>(SparseView<T>(weights), options.tau);
    result.tree = build_tree(*data, options.tree);
    number_anew(result.tree, core, n);
  }
  result.labels = graph_tree_labels(result.tree, result.components);
  const Index leaves = static_cast<Index>(result.tree.leaf_nodes().size());
  Pieces pieces;
  for (const Index label : result.labels) {
    pieces.count = std::max(pieces.count, label + 1 - leaves);
    pieces.nodes += label >= leaves;
  }
  result.pieces = pieces.count;
  result.nodes_set_aside = pieces.nodes;
  if (pieces.count > 0) result.notes.push_back(sentence(pieces));
  if (leaves < options.tree.leaves && result.tree.stop_reason == StopReason::converged)
    result.notes.push_back("The tree has " + std::to_string(leaves) + (leaves == 1 ? " leaf" : " leaves") +
                           " and not " + std::to_string(options.tree.leaves) +
                           ": no other part of the graph can be split.");
  result.quality = graph_quality<T>(graph.weights, result.labels);
  return result;
}

#define COPSE_INSTANTIATE(T)                                                    \
  template std::unique_ptr<TreeData<T>> graph_tree_data(SparseView<T>, double); \
  template GraphTree cluster_graph_tree(const Graph<T>&, const GraphTreeOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
