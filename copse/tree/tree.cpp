#include "copse/tree/tree.h"

#include <algorithm>

#include "copse/base/error.h"
#include "copse/tree/ids.h"

namespace copse {

std::string Tree::id(Index node) const {
  std::string id;  // from the node up, then turned round
  for (; nodes[node].parent >= 0; node = nodes[node].parent) {
    if (!id.empty()) id += '.';
    id += nodes[nodes[node].parent].first == node ? '1' : '2';
  }
  std::reverse(id.begin(), id.end());
  return id;
}

Index Tree::find(const std::string& wanted) const {
  const std::string full = full_id(wanted);
  for (Index n = 0; n < static_cast<Index>(nodes.size()); ++n) {
    if (id(n) == full) return n;
  }
  throw InvalidArgument("The tree has no node " + wanted + ".");
}

std::vector<Index> Tree::leaf_nodes() const {
  std::vector<Index> leaves, stack{0};
  while (!stack.empty()) {
    const Index node = stack.back();
    stack.pop_back();
    if (nodes[node].first < 0) {
      if (!nodes[node].dropped) leaves.push_back(node);
    } else {
      stack.push_back(nodes[node].second);
      stack.push_back(nodes[node].first);
    }
  }
  return leaves;
}

std::vector<Index> Tree::partition(int splits) const {
  std::vector<Index> leaf(static_cast<std::size_t>(cols), 0);
  for (Index n = 0; n < static_cast<Index>(nodes.size()); ++n) {
    if (n > 0 && nodes[nodes[n].parent].split > splits) continue;
    for (const RowIndex j : nodes[n].items) leaf[j] = nodes[n].dropped ? -1 : n;
    if (nodes[n].split == 0 || nodes[n].split > splits) continue;
    for (const RowIndex j : nodes[n].outliers) leaf[j] = -1;
  }
  return leaf;
}

Tree Tree::beginning(Index leaf_count) const {
  const int kept = static_cast<int>(std::min<Index>(std::max<Index>(1, leaf_count) - 1, splits()));
  Tree begun{.precision = precision,
             .rows = rows,
             .cols = cols,
             .nodes = {},
             .leaves = kept + 1,
             .stop_reason = stop_reason,
             .cost = cost};
  begun.nodes.assign(nodes.begin(), nodes.begin() + 2 * kept + 1);
  for (TreeNode& node : begun.nodes) {
    if (node.split <= kept) continue;
    node.first = node.second = -1;
    node.outliers.clear();
    node.split = 0;
  }
  return begun;
}

}  // namespace copse
