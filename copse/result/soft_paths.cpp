#include "copse/result/soft_paths.h"

namespace copse {

template <class T>
SoftPaths<T>::SoftPaths(const Tree<T>& tree)
    : last(static_cast<std::size_t>(tree.cols), 0), weights(last.size()), second(last.size(), -1), beside(last.size()) {
  for (Index n = 1; n < static_cast<Index>(tree.nodes.size()); ++n) {
    const TreeNode<T>& node = tree.nodes[n];
    const Index sibling = tree.nodes[node.parent].first == n ? n + 1 : n - 1;
    for (std::size_t e = 0; e < node.items.size(); ++e) {
      const auto j = static_cast<std::size_t>(node.items[e]);
      const double above = weights[j].empty() ? 1 : weights[j].back(), share = static_cast<double>(node.shares[e]);
      if (above * (1 - share) > beside[j]) {
        beside[j] = above * (1 - share);
        second[j] = sibling;
      }
      last[j] = n;
      weights[j].push_back(above * share);
    }
  }
}

template struct SoftPaths<float>;
template struct SoftPaths<double>;

}  // namespace copse
