#include "copse/describe/comparison.h"

#include <limits>

namespace copse {

Matrix<double> agreement(const std::vector<CompareOutcome>& outcomes, const CompareItems& items) {
  const auto count = static_cast<Index>(outcomes.size());
  Matrix<double> nmi(count, count);
  const auto kept_of = [&](const CompareOutcome& outcome) {
    std::vector<Index> labels;
    for (std::size_t i = 0; i < outcome.labels.size() && i < items.kept.size(); ++i) {
      if (items.kept[i]) labels.push_back(outcome.labels[i]);
    }
    return labels;
  };
  std::vector<std::vector<Index>> all;
  for (const CompareOutcome& outcome : outcomes) all.push_back(kept_of(outcome));
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < count; ++b) {
      const bool both = !all[a].empty() && all[a].size() == all[b].size();
      nmi(a, b) = !both ? std::numeric_limits<double>::quiet_NaN() : compare_clusterings(all[a], all[b]).nmi;
    }
  }
  return nmi;
}

}  // namespace copse
