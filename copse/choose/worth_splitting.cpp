#include "copse/choose/worth_splitting.h"

#include <cmath>
#include <vector>

#include "copse/choose/held_out.h"
#include "copse/choose/null_data.h"
#include "copse/choose/parts.h"

namespace copse {
namespace {

constexpr Index least_items = 8, least_features = 4;
constexpr double deviations = 3;

// The items that hold something, by what they hold.
template <class T>
Dataset<T> filled_items(const Dataset<T>& data) {
  std::vector<Index> filled;
  for (const Index j : content_order(data)) {
    bool empty = true;
    visit_nonzeros(data, j, [&](Index, T value) { empty &= value == T(0); });
    if (!empty) filled.push_back(j);
  }
  return part_of<T>(data, filled);
}

template <class T>
double gain_of(const Dataset<T>& data, std::uint64_t seed) {
  const NmfOptions one{.rank = 1, .tolerance = 1e-3, .seed = seed}, two{.rank = 2, .tolerance = 1e-3, .seed = seed};
  const double gain = bi_cross_validation(data, seed, one) - bi_cross_validation(data, seed, two);
  return std::isnan(gain) ? 0 : gain;
}

}  // namespace

template <class T>
SplitTest test_split(const Dataset<T>& items, const SplitTestOptions& options) {
  SplitTest result;
  // Turned twice: features without entries among these items go, too.
  const Dataset<T> data = transposed(filled_items(transposed(filled_items(items))));
  if (data.items() < least_items || data.features() < least_features) return result;
  for (int cut = 0; cut < options.cuts; ++cut)
    result.gain += gain_of(data, mixed_seed(options.seed, 1, static_cast<std::uint64_t>(cut))) / options.cuts;
  if (!(result.gain > 0)) return result;
  const auto nulls = null_data(data, Null::shuffled);
  std::vector<double> gains;
  for (int set = 0; set < options.nulls; ++set) {
    const auto number = static_cast<std::uint64_t>(set);
    gains.push_back(gain_of(nulls->draw(mixed_seed(options.seed, 2, number)), mixed_seed(options.seed, 3, number)));
    result.null_gain += gains.back() / options.nulls;
  }
  double square = 0;
  for (const double gain : gains) square += (gain - result.null_gain) * (gain - result.null_gain);
  if (options.nulls > 1) result.null_deviation = std::sqrt(square / (options.nulls - 1));
  result.worth_it = result.gain > result.null_gain + deviations * result.null_deviation;
  return result;
}

template SplitTest test_split(const Dataset<float>&, const SplitTestOptions&);
template SplitTest test_split(const Dataset<double>&, const SplitTestOptions&);

}  // namespace copse
