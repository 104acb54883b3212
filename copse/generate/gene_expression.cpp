#include "copse/generate/gene_expression.h"

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {

template <class T>
Planted<T> generate_gene_expression(const GeneExpressionOptions& options) {
  if (options.k < 1 || options.items_per_cluster < 1)
    throw InvalidArgument("simulated gene expression needs at least one cluster, and one item in each");
  if (options.features < 1 || options.nuisance_features < 0 || options.nuisance_features > options.features)
    throw InvalidArgument("the nuisance features must be between none and all of the features");
  if (!(options.deviation >= 0)) throw InvalidArgument("the deviation must not be negative");
  if (!(options.outlier_fraction >= 0 && options.outlier_fraction <= 1))
    throw InvalidArgument("the fraction of outliers must be between 0 and 1");

  if (!(options.largest_outlier >= 0 && std::isfinite(options.largest_outlier)))
    throw InvalidArgument("the largest outlier must be a number that is not negative");

  const Index informative = options.features - options.nuisance_features;
  const Index item_count = options.k * options.items_per_cluster;
  Random random(options.seed, shared_streams + 1);
  Matrix<double> centres(options.k, options.features);
  for (Index c = 0; c < options.k; ++c) {
    for (Index i = 0; i < options.features; ++i) centres(c, i) = i < informative ? random.uniform() : 0.5;
  }

  Planted<T> result{.labels = balanced_labels(item_count, options.k, options.seed)};
  Matrix<T> items(item_count, options.features);
  parallel_blocks(item_count, 16, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      Random draw(options.seed, static_cast<std::uint64_t>(j));
      for (Index i = 0; i < options.features; ++i)
        items(j, i) = static_cast<T>(centres(result.labels[j], i) + options.deviation * draw.normal());
    }
  });
  const auto [smallest, largest] = std::minmax_element(items.values().begin(), items.values().end());
  const bool has_range = options.largest_outlier > 0;
  const double low = has_range ? 0 : *smallest, high = has_range ? options.largest_outlier : *largest;
  const auto outlier_streams = static_cast<std::uint64_t>(item_count);
  parallel_blocks(item_count, 16, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      Random draw(options.seed, outlier_streams + static_cast<std::uint64_t>(j));
      for (T& value : items.row(j)) {
        if (draw.uniform() < options.outlier_fraction) value = static_cast<T>(low + (high - low) * draw.uniform());
      }
    }
  });
  for (Index i = 0; i < options.features; ++i) {
    T least = 0;
    for (Index j = 0; j < item_count; ++j) least = std::min(least, items(j, i));
    for (Index j = 0; j < item_count; ++j) items(j, i) -= least;
  }
  result.data.values = std::move(items);
  return result;
}

template Planted<float> generate_gene_expression(const GeneExpressionOptions&);
template Planted<double> generate_gene_expression(const GeneExpressionOptions&);

}  // namespace copse
