#include "copse/measure/measure.h"

#include <algorithm>
#include <iterator>

namespace copse {

const std::vector<Measure>& measures() {
  using Of = ClusteringMeasures;
  static const std::vector<Measure> all = {
      {.name = "accuracy",
       .title = "accuracy",
       .meaning = "Share of items in the class that their cluster is matched with",
       .needs = "classes",
       .agreement = &Of::accuracy},
      {.name = "nmi",
       .title = "NMI",
       .meaning = "Normalized mutual information with the classes",
       .needs = "classes",
       .agreement = &Of::nmi},
      {.name = "ari",
       .title = "ARI",
       .meaning = "Adjusted Rand index: pairs of items that agree with the classes, corrected for chance",
       .needs = "classes",
       .agreement = &Of::ari},
      {.name = "purity",
       .title = "purity",
       .meaning = "Share of items in the main class of their cluster",
       .needs = "classes",
       .agreement = &Of::purity},
      {.name = "entropy",
       .title = "",
       .meaning = "How mixed the classes of a cluster are, from 0 to 1",
       .needs = "classes",
       .better = Better::lower,
       .agreement = &Of::entropy,
       .compared = false},
      {.name = "mean_accuracy", .title = "", .meaning = "Mean accuracy of all runs", .needs = "classes, runs"},
      {.name = "mean_nmi", .title = "", .meaning = "Mean NMI of all runs with the classes", .needs = "classes, runs"},
      {.name = "coherence",
       .title = "coherence",
       .meaning = "Do the best words of a cluster occur together? The mean over the clusters; nearer to zero is better",
       .needs = "topics",
       .digits = 1},
      {.name = "silhouette",
       .title = "silhouette",
       .meaning = "Are items nearer to their own cluster than to the next? The mean over the items",
       .needs = "items"},
      {.name = "stability", .title = "stability", .meaning = "Mean NMI of every pair of runs", .needs = "runs"},
      {.name = "zero_share",
       .title = "zeros",
       .meaning = "Share of zeros among the weights of the items",
       .needs = "weights",
       .better = Better::neither,
       .digits = 2},
  };
  return all;
}

const std::vector<Measure>& agreement_measures() {
  static const std::vector<Measure> some = [] {
    std::vector<Measure> found;
    std::ranges::copy_if(measures(), std::back_inserter(found),
                         [](const Measure& measure) { return measure.agreement != nullptr; });
    return found;
  }();
  return some;
}

}  // namespace copse
