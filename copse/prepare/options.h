// What preparation is asked for, and what it found and did.
#pragma once

#include <vector>

#include "copse/base/index.h"

namespace copse {

enum class Weighting {
  none,
  tf_idf,         // x_ij log(n / df_i), df_i the number of items with x_ij != 0; a feature of all items becomes zero
  smooth_tf_idf,  // x_ij (log((1 + n) / (1 + df_i)) + 1), as scikit-learn has it
  log_tf_idf,     // log(1 + x_ij) log(n / df_i)
  log,            // log(1 + x_ij)
  text,           // log(1 + x_ij) log(n / df_i)^1.5; unit items and normalized cut are damped, see below
};

enum class FeatureScaling {
  none,
  max,        // each feature divided by its largest entry
  deviation,  // each feature divided by its standard deviation (n - 1), not centred; a constant one is left as it is
};

// What makes a feature worth keeping, of its values over all items. A feature without any entry comes last.
enum class FeatureSelection {
  variation,  // standard deviation (n - 1) / mean [Kuang 2014, section 4.7]
  dispersion  // variance / mean, which prefers features with many counts
};

// The steps are done in this order: drop, library size, select, weigh, scale features, unit items, normalized cut.
//
// Unit items count all the same, though a short one says little. The normalized cut divides an item by the square root
// of its degree, d = X'X 1, so that items that share little with others count more; but where a few share nothing, they
// count so much that topics describe them alone. Weighting::text damps both by medians over the items that are not
// empty: unit items becomes x_j / sqrt(|x_j|^2 + 3 median |x_j|^2), then comes x_j / sqrt(d_j + median d), up to a
// constant. An item counts up to twice, then up to sqrt(2) times as much as one in the middle.
struct PrepareOptions {
  double min_feature_total = 0;  // drop features whose entries add up to less
  double min_item_total = 0;     // drop items whose entries add up to less
  bool drop_empty = false;       // drop features and items with no entry but zeros
  bool drop_duplicates = false;  // drop items that equal an earlier one and are not empty
  double library_size = 0;  // multiply each item so that its entries, before any is dropped, add up to this; 0: do not
  Index select_features = 0;  // keep so many features, the best by select_by, the first of equal ones; 0: all
  FeatureSelection select_by = FeatureSelection::variation;
  Weighting weighting = Weighting::none;
  FeatureScaling feature_scaling = FeatureScaling::none;
  bool unit_items = false;      // x_j / |x_j|_2, or damped
  bool normalized_cut = false;  // X D^(-1/2) with D = diag(d), [Kuang 2014, eq. 7]: not damped, whatever the weighting
};

// What was found and done. Items and features that were kept are named by their numbers before.
struct PrepareReport {
  std::vector<Index> kept_features;     // ascending
  std::vector<Index> kept_items;        // ascending
  std::vector<double> feature_factors;  // of kept features: what tf-idf and scaling multiplied each by; empty: by one
  std::vector<double> feature_totals;   // of kept features: t such that X't is what items are divided by; or empty
  Index rare_features = 0;              // dropped: total too small
  Index unselected_features = 0;        // dropped: others were better
  Index short_items = 0;                // dropped: total too small
  Index empty_features = 0;             // besides those: dropped if options.drop_empty, otherwise kept
  Index empty_items = 0;                // likewise
  Index duplicate_items = 0;            // dropped if options.drop_duplicates, otherwise kept
};

}  // namespace copse
