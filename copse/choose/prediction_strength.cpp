#include "copse/choose/prediction_strength.h"

#include <algorithm>
#include <vector>

#include "copse/base/error.h"

namespace copse {

double prediction_strength(std::span<const Index> found, std::span<const Index> predicted, Index k) {
  if (k < 1) throw InvalidArgument("Prediction strength needs at least one cluster.");
  if (found.size() != predicted.size())
    throw InvalidArgument("Prediction strength needs one predicted label for every item.");
  std::vector<double> sizes(static_cast<std::size_t>(k)), together(static_cast<std::size_t>(k * k));
  for (std::size_t j = 0; j < found.size(); ++j) {
    if (found[j] < -1 || found[j] >= k || predicted[j] < -1 || predicted[j] >= k)
      throw InvalidArgument("Prediction strength needs labels below the number of clusters.");
    if (found[j] < 0) continue;
    ++sizes[found[j]];
    if (predicted[j] >= 0) ++together[found[j] * k + predicted[j]];
  }
  double strength = 1;
  for (Index c = 0; c < k; ++c) {
    double pairs = 0;
    for (Index p = 0; p < k; ++p) pairs += together[c * k + p] * (together[c * k + p] - 1);
    strength = std::min(strength, sizes[c] < 2 ? 0 : pairs / (sizes[c] * (sizes[c] - 1)));
  }
  return strength;
}

}  // namespace copse
