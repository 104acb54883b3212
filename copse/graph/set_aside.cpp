#include "copse/graph/set_aside.h"

#include <algorithm>

namespace copse {

std::vector<Index> nodes_taking_part(const Components& components, Index k, Index least) {
  const Index nodes = static_cast<Index>(components.labels.size());
  const auto nodes_kept = [&] {
    Index sum = 0;
    for (const Index size : components.sizes) sum += size >= least ? size : 0;
    return sum;
  };
  if (least < 0) {
    least = std::max<Index>(2, (nodes + 10 * k - 1) / (10 * k));
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
