#include "copse/tree/place.h"

#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/nnls/two_columns.h"
#include "copse/tree/constants.h"
#include "copse/tree/trial_split.h"

namespace copse {
namespace {

constexpr Index block_items = 256;

// The two topics of a split side by side, so that a word's weights come with one read.
template <class T>
struct Split {
  Index first = -1, second = -1;
  Matrix<T> topics;  // rows x 2
  TwoColumns<double> solve{0, 0, 0};
};

template <class T>
Split<T> split_of(const Tree& tree, const TreeNode& node) {
  Split<T> split{node.first, node.second, Matrix<T>(tree.rows, 2)};
  for (int side = 0; side < 2; ++side) {
    const RankedTerms& topic = tree.nodes[side == 0 ? node.first : node.second].topic;
    for (std::size_t r = 0; r < topic.terms.size(); ++r)
      split.topics(topic.terms[r], side) = static_cast<T>(topic.weights[r]);
  }
  double a = 0, b = 0, c = 0;
  for (Index i = 0; i < tree.rows; ++i) {
    const auto first = static_cast<double>(split.topics(i, 0)), second = static_cast<double>(split.topics(i, 1));
    a += first * first, b += first * second, c += second * second;
  }
  split.solve = TwoColumns<double>(a, b, c);
  return split;
}

// Whether anything of the tree below each node is left, or of what it was joined to.
std::vector<char> living(const Tree& tree) {
  std::vector<char> alive(tree.nodes.size()), before;
  do {
    before = alive;
    for (Index n = static_cast<Index>(tree.nodes.size()) - 1; n >= 0; --n) {
      const TreeNode& node = tree.nodes[n];
      alive[n] = node.joined >= 0  ? alive[node.joined]
                 : node.first >= 0 ? alive[node.first] || alive[node.second]
                                   : !node.dropped;
    }
  } while (alive != before);
  return alive;
}

}  // namespace

template <class T>
Placement place_items(const Tree& tree, const Dataset<T>& x) {
  if (x.features() != tree.rows) {
    throw InvalidArgument("The items have " + std::to_string(x.features()) + " features, but the tree has " +
                          std::to_string(tree.rows) + ".");
  }
  std::vector<Split<T>> splits(tree.nodes.size());
  parallel_for(static_cast<Index>(tree.nodes.size()), [&](Index n) {
    if (tree.nodes[n].first >= 0) splits[n] = split_of<T>(tree, tree.nodes[n]);
  });
  const std::vector<char> alive = living(tree);

  const auto items = static_cast<std::size_t>(x.items());
  Placement placement{std::vector<Index>(items), std::vector<Index>(items), std::vector<double>(items, 1)};
  parallel_blocks(x.items(), block_items, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      Index node = 0;
      bool lost = false;
      double squared_norm = 0;
      visit_nonzeros(x, j,
                     [&](Index, T value) { squared_norm += static_cast<double>(value) * static_cast<double>(value); });
      while (splits[node].first >= 0 || tree.nodes[node].joined >= 0) {
        if (tree.nodes[node].joined >= 0) {
          node = tree.nodes[node].joined;
          continue;
        }
        const Split<T>& split = splits[node];
        double y1 = 0, y2 = 0;
        visit_nonzeros(x, j, [&](Index i, T value) {
          y1 += static_cast<double>(split.topics(i, 0)) * static_cast<double>(value);
          y2 += static_cast<double>(split.topics(i, 1)) * static_cast<double>(value);
        });
        const auto [h1, h2] = split.solve(y1, y2);
        // |W h|^2 = h'W'x where h meets the KKT conditions.
        const bool neither = h1 == h2 || h1 * y1 + h2 * y2 <= unexplained * squared_norm;
        bool to_first = neither || h1 > h2;
        const Index wanted = to_first ? split.first : split.second;
        if (!alive[wanted]) {
          lost = true;
          to_first = !to_first;
        }
        const double own = to_first ? h1 : h2;
        placement.weights[j] *= neither ? 0.5 : own / (h1 + h2);
        node = to_first ? split.first : split.second;
      }
      placement.nearest[j] = node;
      placement.leaf[j] = lost ? -1 : node;
    }
  });
  return placement;
}

template Placement place_items(const Tree&, const Dataset<float>&);
template Placement place_items(const Tree&, const Dataset<double>&);

}  // namespace copse
