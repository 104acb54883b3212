#include "copse/choose/linkage.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "copse/base/parallel.h"

namespace copse {
namespace {

// Who a cluster belongs to, over merges.
class Roots {
 public:
  explicit Roots(Index count) : above_(static_cast<std::size_t>(count)) {
    std::iota(above_.begin(), above_.end(), Index(0));
  }
  Index find(Index node) {
    while (above_[node] != node) node = above_[node] = above_[above_[node]];
    return node;
  }
  void join(Index node, Index root) { above_[find(node)] = root; }

 private:
  std::vector<Index> above_;
};

struct RawMerge {
  Index a, b;  // an item of each cluster
  double height;
};

}  // namespace

Dendrogram average_linkage(PairDistances distances) {
  const Index n = distances.items;
  Dendrogram tree{n, {}};
  if (n < 2) return tree;

  // Merges come out in the order of the chains. Average linkage has no inversions, so sorting by height makes the
  // dendrogram.
  std::vector<RawMerge> raw;
  std::vector<double> size(static_cast<std::size_t>(n), 1);
  std::vector<char> alive(static_cast<std::size_t>(n), 1);
  std::vector<Index> chain;
  for (Index start = 0; static_cast<Index>(raw.size()) < n - 1;) {
    check_cancelled();
    if (chain.empty()) {
      while (!alive[start]) ++start;
      chain.push_back(start);
    }
    for (;;) {
      const Index top = chain.back();
      Index nearest = chain.size() > 1 ? chain[chain.size() - 2] : -1;  // on a tie the chain ends
      double least = nearest >= 0 ? distances(top, nearest) : INFINITY;
      for (Index other = 0; other < n; ++other) {
        if (other == top || !alive[other]) continue;
        if (distances(top, other) < least) {
          least = distances(top, other);
          nearest = other;
        }
      }
      if (chain.size() < 2 || nearest != chain[chain.size() - 2]) {
        chain.push_back(nearest);
        continue;
      }
      chain.resize(chain.size() - 2);
      const Index kept = std::min(top, nearest), gone = std::max(top, nearest);
      raw.push_back({kept, gone, least});
      alive[gone] = 0;
      const double total = size[kept] + size[gone];
      for (Index other = 0; other < n; ++other) {
        if (other == kept || !alive[other]) continue;
        distances(kept, other) = (size[kept] * distances(kept, other) + size[gone] * distances(gone, other)) / total;
      }
      size[kept] = total;
      break;
    }
  }

  std::stable_sort(raw.begin(), raw.end(), [](const RawMerge& x, const RawMerge& y) { return x.height < y.height; });
  Roots roots(2 * n - 1);
  std::vector<Index> sizes(static_cast<std::size_t>(2 * n - 1), 1);
  for (const RawMerge& merge : raw) {
    const Index made = n + static_cast<Index>(tree.merges.size());
    const Index left = roots.find(merge.a), right = roots.find(merge.b);
    sizes[made] = sizes[left] + sizes[right];
    tree.merges.push_back({left, right, merge.height, sizes[made]});
    roots.join(left, made);
    roots.join(right, made);
  }
  return tree;
}

std::vector<Index> Dendrogram::order() const {
  if (merges.empty()) return items == 0 ? std::vector<Index>{} : std::vector<Index>{0};
  std::vector<Index> first(static_cast<std::size_t>(2 * items - 1));
  std::iota(first.begin(), first.begin() + items, Index(0));
  for (std::size_t i = 0; i < merges.size(); ++i)
    first[items + static_cast<Index>(i)] = std::min(first[merges[i].left], first[merges[i].right]);
  std::vector<Index> order, stack{2 * items - 2};
  while (!stack.empty()) {
    const Index node = stack.back();
    stack.pop_back();
    if (node < items) {
      order.push_back(node);
      continue;
    }
    const auto& [left, right, height, size] = merges[node - items];
    const bool left_first = first[left] < first[right];
    stack.push_back(left_first ? right : left);
    stack.push_back(left_first ? left : right);
  }
  return order;
}

std::vector<Index> Dendrogram::cut(Index k) const {
  Roots roots(2 * items);
  for (Index i = 0; i + k < items; ++i) {
    roots.join(merges[i].left, items + i);
    roots.join(merges[i].right, items + i);
  }
  std::vector<Index> number(static_cast<std::size_t>(2 * items), -1), labels;
  Index next = 0;
  for (Index j = 0; j < items; ++j) {
    Index& label = number[roots.find(j)];
    if (label < 0) label = next++;
    labels.push_back(label);
  }
  return labels;
}

PairDistances Dendrogram::cophenetic() const {
  PairDistances heights{items,
                        std::vector<double>(static_cast<std::size_t>(items * std::max<Index>(items - 1, 0) / 2))};
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(std::max<Index>(2 * items - 1, 0)));
  for (Index j = 0; j < items; ++j) members[j] = {j};
  for (std::size_t i = 0; i < merges.size(); ++i) {
    auto &left = members[merges[i].left], &right = members[merges[i].right];
    for (const Index a : left) {
      for (const Index b : right) heights(a, b) = merges[i].height;
    }
    auto& made = members[items + static_cast<Index>(i)];
    made = std::move(left);
    made.insert(made.end(), right.begin(), right.end());
    right = {};
  }
  return heights;
}

double correlation(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<double>(a.size());
  if (a.empty()) return 1;
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  if (aa == 0 && bb == 0) return 1;
  return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa * bb);
}

}  // namespace copse
