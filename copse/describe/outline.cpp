#include "copse/describe/outline.h"

#include <algorithm>
#include <cmath>

namespace copse {
namespace {

class Outliner {
 public:
  explicit Outliner(const Tree& tree) : tree_(tree), rest_(static_cast<std::size_t>(tree.rows), 0), spread_(rest_) {
    outline_.parent.assign(tree.nodes.size(), -1);
    outline_.children.resize(tree.nodes.size());
  }

  Outline run() {
    to_open_.push_back(0);
    while (!to_open_.empty()) {
      const Index top = to_open_.back();
      to_open_.pop_back();
      if (tree_.nodes[top].first < 0) continue;
      open(top, top);
      std::ranges::stable_sort(outline_.children[top], std::greater(),
                               [&](Index node) { return tree_.nodes[node].items.size(); });
    }
    return std::move(outline_);
  }

 private:
  const TreeNode& node(Index n) const { return tree_.nodes[n]; }

  // The length of the mean item of a node along its topic.
  double mean_length(Index n) const {
    return node(n).squared_norm > 0 ? std::sqrt(std::max(0.0, node(n).explained) / node(n).squared_norm) : 0;
  }

  // Puts both parts of `n` below `top`; the other part is of what is beside each.
  void open(Index n, Index top) {
    for (const auto& [part, other] : {std::pair(node(n).first, node(n).second), {node(n).second, node(n).first}}) {
      const RankedTerms& topic = node(other).topic;
      std::vector<double> before;  // to be exact when the sum goes back
      before.reserve(topic.terms.size());
      const auto count = static_cast<double>(node(other).items.size());
      const double count_before = rest_count_, scale = count * mean_length(other);
      for (std::size_t r = 0; r < topic.terms.size(); ++r) {
        double& sum = rest_[topic.terms[r]];
        before.push_back(sum);
        sum += scale * topic.weights[r];
      }
      rest_count_ += count;
      place(part, top);
      rest_count_ = count_before;
      for (std::size_t r = 0; r < topic.terms.size(); ++r) rest_[topic.terms[r]] = before[r];
    }
  }

  void place(Index n, Index top) {
    if (node(n).joined >= 0) return;
    if (node(n).first >= 0 && node(n).name.empty() && (has_joined_part(n) || !has_own_topic(n))) return open(n, top);
    outline_.parent[n] = top;
    outline_.children[top].push_back(n);
    to_open_.push_back(n);
  }

  bool has_joined_part(Index n) const { return node(node(n).first).joined >= 0 || node(node(n).second).joined >= 0; }

  bool has_own_topic(Index n) {
    const auto count = static_cast<double>(node(n).items.size());
    const double share = count / (count + rest_count_);
    const double inside = similarity_of_parts(n);
    const double outside = rest_count_ > 0 ? mean_length(n) * dot(node(n).topic, rest_) / rest_count_ : 0;
    return share * inside + (1 - share) * outside < own_topic * inside;
  }

  double similarity_of_parts(Index n) {
    const RankedTerms& first = node(node(n).first).topic;
    for (std::size_t r = 0; r < first.terms.size(); ++r) spread_[first.terms[r]] = first.weights[r];
    const double cosine = dot(node(node(n).second).topic, spread_);
    for (const RowIndex term : first.terms) spread_[term] = 0;
    return cosine * mean_length(node(n).first) * mean_length(node(n).second);
  }

  static double dot(const RankedTerms& topic, const std::vector<double>& values) {
    double sum = 0;
    for (std::size_t r = 0; r < topic.terms.size(); ++r) sum += topic.weights[r] * values[topic.terms[r]];
    return sum;
  }

  const Tree& tree_;
  std::vector<double> rest_;  // the sum of the items of P \ A, each along its node's topic
  double rest_count_ = 0;
  std::vector<double> spread_;  // zero between calls
  std::vector<Index> to_open_;
  Outline outline_;
};

}  // namespace

Outline outline_of(const Tree& tree) { return Outliner(tree).run(); }

}  // namespace copse
