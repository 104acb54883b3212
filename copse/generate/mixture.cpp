#include "copse/generate/mixture.h"

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {

template <class T>
Planted<T> generate_mixture(const MixtureOptions& options) {
  if (options.features < 1 || options.items < 1) throw InvalidArgument("a mixture needs at least one feature and item");
  if (options.k < 1 || options.k > options.items)
    throw InvalidArgument("the number of clusters of a mixture must be between 1 and the number of items");
  if (!(options.variance >= 0)) throw InvalidArgument("the variance of a mixture must not be negative");

  Random random(options.seed, shared_streams + 1);
  std::vector<Index> owner(static_cast<std::size_t>(options.features));
  std::vector<double> mean(static_cast<std::size_t>(options.features));
  for (Index i = 0; i < options.features; ++i) {
    owner[i] = random.below(options.k);
    mean[i] = static_cast<double>(1 + random.below(3));
  }

  Planted<T> result{.labels = balanced_labels(options.items, options.k, options.seed)};
  Matrix<T> items(options.items, options.features);
  const double deviation = std::sqrt(options.variance);
  parallel_blocks(options.items, 16, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      Random draw(options.seed, static_cast<std::uint64_t>(j));
      for (Index i = 0; i < options.features; ++i) {
        if (owner[i] == result.labels[j])
          items(j, i) = static_cast<T>(std::max(0.0, mean[i] + deviation * draw.normal()));
      }
    }
  });
  result.data.values = std::move(items);
  return result;
}

template Planted<float> generate_mixture(const MixtureOptions&);
template Planted<double> generate_mixture(const MixtureOptions&);

}  // namespace copse
