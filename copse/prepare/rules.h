// The rules of preparation, for data in memory and for data that is read in blocks.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "copse/base/median.h"
#include "copse/prepare/item_sums.h"
#include "copse/prepare/options.h"

namespace copse {

// Of a feature that `holders` of `items` items have.
inline double idf(Weighting weighting, double items, double holders) {
  if (weighting == Weighting::smooth_tf_idf) return std::log((1 + items) / (1 + holders)) + 1;
  const double plain = holders > 0 ? std::log(items / holders) : 0;
  return weighting == Weighting::text ? plain * std::sqrt(plain) : plain;
}

inline bool takes_logarithms(Weighting weighting) {
  return weighting == Weighting::log || weighting == Weighting::log_tf_idf || weighting == Weighting::text;
}

inline bool has_factors(Weighting weighting) { return weighting != Weighting::none && weighting != Weighting::log; }

inline bool is_damped(const PrepareOptions& options) {
  return options.weighting == Weighting::text && !options.normalized_cut;
}

inline bool divides_by_degree(const PrepareOptions& options) { return options.normalized_cut || is_damped(options); }

// Of the values above zero; 1 if there are none.
inline double median_above_zero(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !(value > 0); });
  return values.empty() ? 1 : median<double>(values);
}

// The standard deviation (n - 1) of a feature with this mean over all items, whose entries have this sum of squared
// differences from it; 0 for a constant one.
inline double feature_deviation(double items, double holders, double mean, double squares_of_holders) {
  const double squares = squares_of_holders + (items - holders) * mean * mean;
  const double deviation = items > 1 ? std::sqrt(squares / (items - 1)) : 0;
  constexpr double rounding = 1e-9;  // round-off need not leave exactly zero
  return deviation > rounding * mean ? deviation : 0;
}

inline double deviation_factor(double items, double holders, double mean, double squares_of_holders) {
  const double deviation = feature_deviation(items, holders, mean, squares_of_holders);
  return deviation > 0 ? 1 / deviation : 1;
}

// If damped: x / sqrt(|x|^2 + 3), where the median of |x| is one. A document of many words then counts up to twice as
// much as one of median length. With less than 3, topics of 20 Newsgroups were signatures under short posts; with much
// more, planted documents of many words of their own took topics for themselves.
inline double unit_factor(const ItemNorm& norm, bool damped) {
  if (damped) return 1 / std::hypot(norm.value(), std::sqrt(3.0));
  return norm.mantissa > 0 ? norm.scale / norm.mantissa : 1.0;
}

// Of an item with the degree d; if damped, the median of all degrees is one.
inline double degree_factor(double degree, bool damped) {
  degree += damped ? 1 : 0;
  return degree > 0 ? 1 / std::sqrt(degree) : 1.0;
}

}  // namespace copse
