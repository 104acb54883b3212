#include "copse/graph/set_aside.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace copse {
namespace {

// Depth-first search of one component. An edge to a child v is a bridge if nothing below v reaches beyond v.
template <class T>
class Walk {
 public:
  explicit Walk(SparseView<T> a)
      : a_(a),
        parent_(static_cast<std::size_t>(a.cols), -1),
        time_(parent_.size(), -1),
        low_(parent_.size()),
        size_(parent_.size()),
        next_(parent_.size()) {}

  // The nodes in the order of their discovery.
  const std::vector<Index>& from(Index root) {
    for (const Index node : order_) time_[node] = -1;
    order_.clear();
    discover(root, -1);
    std::vector<Index> stack{root};
    while (!stack.empty()) {
      const Index v = stack.back();
      if (next_[v] == a_.offsets[v + 1]) {
        stack.pop_back();
        if (parent_[v] < 0) continue;
        low_[parent_[v]] = std::min(low_[parent_[v]], low_[v]);
        size_[parent_[v]] += size_[v];
        continue;
      }
      const Index u = a_.indices[next_[v]++];
      if (time_[u] < 0) {
        discover(u, v);
        stack.push_back(u);
      } else if (u != parent_[v]) {
        low_[v] = std::min(low_[v], time_[u]);
      }
    }
    return order_;
  }
  void forget() { order_.clear(); }  // keeps the nodes as seen

  bool seen(Index v) const { return time_[v] >= 0; }
  bool is_below_bridge(Index v) const { return parent_[v] >= 0 && low_[v] > time_[parent_[v]]; }
  Index parent(Index v) const { return parent_[v]; }
  Index size(Index v) const { return size_[v]; }  // of all below v, with v

 private:
  void discover(Index v, Index parent) {
    time_[v] = low_[v] = static_cast<Index>(order_.size());
    parent_[v] = parent;
    size_[v] = 1;
    next_[v] = a_.offsets[v];
    order_.push_back(v);
  }

  SparseView<T> a_;
  std::vector<Index> parent_, time_, low_, size_, next_;
  std::vector<Index> order_;
};

}  // namespace

Index least_part(Index nodes, Index k) { return std::max<Index>(2, (nodes + 10 * k - 1) / (10 * k)); }

std::vector<Index> nodes_taking_part(const Components& components, Index k, Index least) {
  const Index nodes = static_cast<Index>(components.labels.size());
  const auto nodes_kept = [&] {
    Index sum = 0;
    for (const Index size : components.sizes) sum += size >= least ? size : 0;
    return sum;
  };
  if (least < 0) {
    least = least_part(nodes, k);
    if (2 * nodes_kept() < nodes) least = 2;
  }
  // k clusters need k nodes.
  if (nodes_kept() < k) least = 0;
  std::vector<Index> kept;
  for (Index i = 0; i < nodes; ++i) {
    if (components.sizes[components.labels[i]] >= least) kept.push_back(i);
  }
  return kept;
}

template <class T>
std::vector<Hanging> hanging_nodes(SparseView<T> a, Index least) {
  std::vector<Hanging> result;
  Walk<T> walk(a);
  std::vector<char> hangs(static_cast<std::size_t>(a.cols), 0);
  for (Index first = 0; first < a.cols; ++first) {
    if (walk.seen(first)) continue;
    // The search must begin in the core: from where it began, go over every bridge that leaves less than `least`
    // behind.
    const std::vector<Index>& nodes = walk.from(first);
    const Index count = static_cast<Index>(nodes.size());
    Index root = first;
    for (const Index v : nodes) {
      if (walk.is_below_bridge(v) && count - walk.size(v) < least && walk.size(v) >= least) root = v;
    }
    std::vector<Hanging> found;
    for (const Index v : walk.from(root)) {
      const Index parent = walk.parent(v);
      hangs[v] = parent >= 0 &&
                 (hangs[parent] || (walk.is_below_bridge(v) && walk.size(v) < least && count - walk.size(v) >= least));
      if (hangs[v]) found.push_back({v, parent});
    }
    walk.forget();
    if (2 * static_cast<Index>(found.size()) <= count) result.insert(result.end(), found.begin(), found.end());
  }
  return result;
}

std::vector<Index> without(const std::vector<Index>& nodes, const std::vector<Hanging>& hanging) {
  std::vector<Index> gone;
  for (const Hanging& h : hanging) gone.push_back(h.node);
  std::ranges::sort(gone);
  std::vector<Index> rest;
  std::ranges::set_difference(nodes, gone, std::back_inserter(rest));
  return rest;
}

template <class T>
void place_hanging(const std::vector<Hanging>& hanging, const std::vector<double>& degrees, Matrix<T>& b) {
  for (const auto& [node, anchor] : hanging) {
    const double scale = degrees[anchor] > 0 ? std::sqrt(degrees[node] / degrees[anchor]) : 0;
    for (Index c = 0; c < b.cols(); ++c) b(node, c) = static_cast<T>(static_cast<double>(b(anchor, c)) * scale);
  }
}

template std::vector<Hanging> hanging_nodes(SparseView<float>, Index);
template std::vector<Hanging> hanging_nodes(SparseView<double>, Index);
template void place_hanging(const std::vector<Hanging>&, const std::vector<double>&, Matrix<float>&);
template void place_hanging(const std::vector<Hanging>&, const std::vector<double>&, Matrix<double>&);

Pieces label_pieces(const Components& components, Index k, std::vector<Index>& labels) {
  Pieces pieces;
  std::vector<Index> piece(static_cast<std::size_t>(components.count()), -1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0) continue;
    Index& number = piece[components.labels[i]];
    if (number < 0) number = k + pieces.count++;
    labels[i] = number;
    ++pieces.nodes;
  }
  return pieces;
}

std::string sentence(const Pieces& pieces) {
  return (pieces.count == 1 ? "One small piece" : std::to_string(pieces.count) + " small pieces") +
         " of the graph with " + std::to_string(pieces.nodes) + (pieces.nodes == 1 ? " node has" : " nodes have") +
         " no edge to the rest and took no part; each is a cluster of its own.";
}

}  // namespace copse
