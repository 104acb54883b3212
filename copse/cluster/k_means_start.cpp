#include "copse/cluster/k_means_start.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {
namespace {

constexpr Index start_items_per_block = 256;
constexpr double infinitely_far = std::numeric_limits<double>::infinity();

// The item among those tried as centre c that leaves the items nearest to their centres.
template <class T>
void take_best(const KMeansItems<T>& items, Index c, const std::vector<Index>& tried, std::vector<double>& nearest,
               Matrix<T>& w) {
  const Index n = items.rows.items();
  const auto count = static_cast<Index>(tried.size());
  Matrix<T> centres(items.rows.features(), count);
  std::vector<double> squares;
  for (Index t = 0; t < count; ++t) {
    items.visit(tried[t], [&](Index i, double value) { centres(i, t) = static_cast<T>(value); });
    squares.push_back(items.square[tried[t]]);
  }
  Matrix<double> distance(n, count);
  std::vector<std::vector<double>> parts(
      static_cast<std::size_t>((n + start_items_per_block - 1) / start_items_per_block));
  parallel_blocks(n, start_items_per_block, [&](Index begin, Index end) {
    std::vector<Index> block(static_cast<std::size_t>(end - begin));
    std::iota(block.begin(), block.end(), begin);
    Matrix<T> products;
    items.rows.products(block, centres, products);
    std::vector<double>& sums = parts[begin / start_items_per_block];
    sums.assign(static_cast<std::size_t>(count), 0.0);
    for (Index j = begin; j < end; ++j) {
      if (!(items.factor[j] > 0)) continue;
      for (Index t = 0; t < count; ++t) {
        const double product = items.factor[j] * static_cast<double>(products(j - begin, t));
        const double between = items.square[j] + squares[t];
        double square = std::max(0.0, between - 2 * product);
        // A copy of the centre: nothing but rounding is left of its distance.
        if (j == tried[t] || square <= (sizeof(T) == 4 ? 1e-6 : 1e-14) * between) square = 0;
        distance(j, t) = std::min(nearest[j], square);
        sums[t] += distance(j, t);
      }
    }
  });
  std::vector<double> totals(static_cast<std::size_t>(count), 0.0);
  for (const auto& sums : parts) {
    for (Index t = 0; t < count; ++t) totals[t] += sums[t];
  }
  const Index best = std::min_element(totals.begin(), totals.end()) - totals.begin();
  for (Index j = 0; j < n; ++j) nearest[j] = distance(j, best);
  items.visit(tried[best], [&](Index i, double value) { w(i, c) = static_cast<T>(value); });
}

}  // namespace

template <class T>
SpreadCentres<T> spread_centres(const KMeansItems<T>& items, Index clusters, CentreStart start, std::uint64_t seed,
                                std::uint64_t stream) {
  Random random(seed, stream);
  const Index n = items.rows.items();
  SpreadCentres<T> result{.w = Matrix<T>(items.rows.features(), clusters)};
  std::vector<Index> part;
  for (Index j = 0; j < n; ++j) {
    if (items.factor[j] > 0) part.push_back(j);
  }
  if (start == CentreStart::random) {
    // Different items, each with the same chance.
    for (Index c = 0; c < clusters; ++c) {
      std::swap(part[c], part[c + random.below(static_cast<Index>(part.size()) - c)]);
      items.visit(part[c], [&](Index i, double value) { result.w(i, c) = static_cast<T>(value); });
    }
    return result;
  }
  const Index trials = 2 + static_cast<Index>(std::log(static_cast<double>(clusters)));
  std::vector<double> nearest(static_cast<std::size_t>(n), infinitely_far);
  for (Index c = 0; c < clusters; ++c) {
    std::vector<Index> tried;
    if (c == 0) {
      tried.push_back(part[random.below(static_cast<Index>(part.size()))]);
    } else {
      double total = 0;
      for (const Index j : part) total += nearest[j];
      if (!(total > 0)) {
        result.found = c;
        break;
      }
      for (Index t = 0; t < trials; ++t) {
        double left = random.uniform() * total;
        Index chosen = -1;
        for (const Index j : part) {
          if (!(nearest[j] > 0)) continue;
          chosen = j;
          left -= nearest[j];
          if (left < 0) break;
        }
        tried.push_back(chosen);
      }
    }
    take_best(items, c, tried, nearest, result.w);
  }
  return result;
}

#define COPSE_INSTANTIATE(T) \
  template SpreadCentres<T> spread_centres(const KMeansItems<T>&, Index, CentreStart, std::uint64_t, std::uint64_t);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
