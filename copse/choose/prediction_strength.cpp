#include "copse/choose/prediction_strength.h"

#include <algorithm>
#include <vector>

#include "copse/base/error.h"

namespace copse {
namespace {

double ordered_pairs(double items) { return items * (items - 1); }

// Items by the cluster that was found and the one that was predicted.
class CrossTable {
 public:
  CrossTable(std::span<const Index> found, std::span<const Index> predicted, Index k)
      : k_(k), sizes_(valid_size(k)), predicted_sizes_(valid_size(k)), together_(valid_size(k) * valid_size(k)) {
    if (found.size() != predicted.size())
      throw InvalidArgument("Prediction strength needs one predicted label for every item.");
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (found[j] < -1 || found[j] >= k || predicted[j] < -1 || predicted[j] >= k)
        throw InvalidArgument("Prediction strength needs labels below the number of clusters.");
      if (found[j] < 0) continue;
      ++items_;
      ++sizes_[found[j]];
      if (predicted[j] < 0) continue;
      ++predicted_sizes_[predicted[j]];
      ++together_[found[j] * k + predicted[j]];
    }
  }

  double items() const { return items_; }
  double size(Index c) const { return sizes_[c]; }

  // Of the pairs of cluster c, those that the prediction puts together; 0 if it has none.
  double share_together(Index c) const {
    double pairs = 0;
    for (Index p = 0; p < k_; ++p) pairs += ordered_pairs(together_[c * k_ + p]);
    return sizes_[c] < 2 ? 0 : pairs / ordered_pairs(sizes_[c]);
  }

  // Whether more than half of the items that cluster c or some predicted one has are in both.
  bool comes_back(Index c) const {
    for (Index p = 0; p < k_; ++p) {
      const double both = together_[c * k_ + p];
      if (2 * both > sizes_[c] + predicted_sizes_[p] - both) return true;
    }
    return false;
  }

  // Of all pairs, those that the prediction puts together.
  double share_together() const {
    double pairs = 0;
    for (const double size : predicted_sizes_) pairs += ordered_pairs(size);
    return items_ < 2 ? 0 : pairs / ordered_pairs(items_);
  }

 private:
  static std::size_t valid_size(Index k) {
    if (k < 1) throw InvalidArgument("Prediction strength needs at least one cluster.");
    return static_cast<std::size_t>(k);
  }

  Index k_;
  double items_ = 0;
  std::vector<double> sizes_, predicted_sizes_, together_;
};

}  // namespace

double prediction_strength(std::span<const Index> found, std::span<const Index> predicted, Index k) {
  const CrossTable table(found, predicted, k);
  double strength = 1;
  for (Index c = 0; c < k; ++c) strength = std::min(strength, table.share_together(c));
  return strength;
}

double recurrence(std::span<const Index> found, std::span<const Index> predicted, Index k) {
  const CrossTable table(found, predicted, k);
  const double chance = table.share_together();
  if (table.items() == 0 || chance >= 1) return 0;
  std::vector<std::pair<double, double>> clusters;  // beyond chance, weight
  for (Index c = 0; c < k; ++c)
    clusters.emplace_back(std::max(0.0, (table.share_together(c) - chance) / (1 - chance)),
                          table.size(c) / table.items() + 1 / static_cast<double>(k));
  std::ranges::sort(clusters);
  double left = 1, sum = 0;  // all weights are 2
  for (const auto& [beyond, weight] : clusters) {
    const double taken = std::min(left, weight);
    sum += beyond * taken;
    left -= taken;
  }
  return sum;
}

Index returning_clusters(std::span<const Index> found, std::span<const Index> predicted, Index k) {
  const CrossTable table(found, predicted, k);
  Index count = 0;
  for (Index c = 0; c < k; ++c) count += table.comes_back(c) ? 1 : 0;
  return count;
}

}  // namespace copse
