// The simulated gene expression profiles of [Kuang 2014, section 4.5]: genes are features, patients are items.
#pragma once

#include <cstdint>

#include "copse/generate/planted.h"

namespace copse {

struct GeneExpressionOptions {
  Index k = 0;                     // required: at least 1
  Index features = 200;            // M, nuisance features among them
  Index nuisance_features = 80;    // M_noise, the last ones: the same distribution in every cluster
  Index items_per_cluster = 60;    // N = items_per_cluster k
  double deviation = 0.25;         // sigma, 0.25 ... 0.5 in the paper
  double outlier_fraction = 0.15;  // z
  double largest_outlier = 0;      // above 0: outliers are uniform between 0 and this
  std::uint64_t seed = 0;
};

// Entries are normal around their cluster's centre, which is uniform in [0, 1]. The paper leaves the rest open: here a
// nuisance feature is normal around 1/2; every entry is an outlier with probability z, and is then uniform between the
// smallest and the largest entry of the clean matrix, unless largest_outlier says otherwise; each feature moves up by
// the least that makes it nonnegative, as in [Kuang 2014, algorithm 3]; items stand in random order. Dense. Throws
// InvalidArgument for an option out of range.
template <class T>
Planted<T> generate_gene_expression(const GeneExpressionOptions& options);

}  // namespace copse
