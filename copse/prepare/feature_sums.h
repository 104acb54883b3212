// Sums over all items, one for each feature.
#pragma once

#include <vector>

#include "copse/base/parallel.h"
#include "copse/matrix/dataset.h"

namespace copse {

// For each feature the sum of term(item, feature, value) over the entries that are not zero. Sixteen parts, added in
// order, bound the memory.
template <class T, class Term>
std::vector<double> feature_sums(const Dataset<T>& data, const Term& term) {
  constexpr Index parts = 16;
  std::vector<std::vector<double>> partial(parts);
  parallel_for(parts, [&](Index part) {
    auto& sums = partial[part];
    sums.assign(static_cast<std::size_t>(data.features()), 0);
    for (Index j = data.items() * part / parts; j < data.items() * (part + 1) / parts; ++j)
      visit_nonzeros(data, j, [&](Index i, T value) { sums[i] += term(j, i, value); });
  });
  std::vector<double> total(static_cast<std::size_t>(data.features()), 0);
  for (const auto& sums : partial) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += sums[i];
  }
  return total;
}

}  // namespace copse
