#include "copse/describe/soft_paths.h"

#include <numeric>

namespace copse {

SoftPaths::SoftPaths(const Tree& tree)
    : last(static_cast<std::size_t>(tree.cols), 0),
      second(last.size(), -1),
      beside(last.size()),
      starts_(last.size() + 2) {
  // Item j is filled from starts_[j + 1] on, which ends up where item j + 1 begins.
  for (std::size_t n = 1; n < tree.nodes.size(); ++n) {
    for (const RowIndex j : tree.nodes[n].items) ++starts_[static_cast<std::size_t>(j) + 2];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  weights_.resize(static_cast<std::size_t>(starts_.back()));
  for (Index n = 1; n < static_cast<Index>(tree.nodes.size()); ++n) {
    const TreeNode& node = tree.nodes[n];
    const Index sibling = tree.nodes[node.parent].first == n ? n + 1 : n - 1;
    for (std::size_t e = 0; e < node.items.size(); ++e) {
      const auto j = static_cast<std::size_t>(node.items[e]);
      const Index place = starts_[j + 1]++;
      const double above = last[j] == 0 ? 1 : weights_[place - 1], share = node.shares[e];
      if (above * (1 - share) > beside[j]) {
        beside[j] = above * (1 - share);
        second[j] = sibling;
      }
      last[j] = n;
      weights_[place] = above * share;
    }
  }
}

}  // namespace copse
