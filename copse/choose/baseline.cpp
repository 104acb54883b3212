#include "copse/choose/baseline.h"

#include <algorithm>
#include <cmath>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index features_per_block = 16;
constexpr Index share_below = 10;  // one item in so many may have less than the baseline

struct Squares {
  double all = 0, explained = 0;
  Squares& operator+=(const Squares& other) {
    all += other.all;
    explained += other.explained;
    return *this;
  }
};

}  // namespace

template <class T>
double baseline_share(const Dataset<T>& data, std::span<const Index> items) {
  if (data.is_sparse() || items.empty()) return 0;
  const auto& x = std::get<Matrix<T>>(data.values);
  const auto n = static_cast<Index>(items.size());
  const Squares sums = sum_blocks(x.cols(), features_per_block, Squares{}, [&](Index begin, Index end) {
    Matrix<double> values(end - begin, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = begin; i < end; ++i) values(i - begin, j) = static_cast<double>(x(items[j], i));
    }
    Squares part;
    for (Index i = 0; i < values.rows(); ++i) {
      const auto feature = values.row(i);
      double sum = 0, square = 0;
      for (const double value : feature) {
        sum += value;
        square += value * value;
      }
      std::ranges::nth_element(feature, feature.begin() + n / share_below);
      const double base = std::max(0.0, feature[n / share_below]);
      part += {square, base * (2 * sum - static_cast<double>(n) * base)};  // x^2 - (x - b)^2 = b (2 x - b)
    }
    return part;
  });
  return sums.all > 0 && std::isfinite(sums.all) ? std::clamp(sums.explained / sums.all, 0.0, 1.0) : 0;
}

template double baseline_share(const Dataset<float>&, std::span<const Index>);
template double baseline_share(const Dataset<double>&, std::span<const Index>);

}  // namespace copse
