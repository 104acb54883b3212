#include "copse/describe/comparison.h"

#include <cmath>
#include <limits>
#include <map>

namespace copse {

std::optional<double>* own_measure(CompareOutcome& outcome, const std::string& name) {
  using Of = CompareOutcome;
  static const std::map<std::string, std::optional<double> Of::*> fields = {
      {"mean_accuracy", &Of::mean_accuracy}, {"mean_nmi", &Of::mean_nmi},   {"coherence", &Of::coherence},
      {"silhouette", &Of::silhouette},       {"stability", &Of::stability}, {"zero_share", &Of::zero_share}};
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : &(outcome.*(found->second));
}

const std::optional<double>* own_measure(const CompareOutcome& outcome, const std::string& name) {
  return own_measure(const_cast<CompareOutcome&>(outcome), name);
}

std::optional<double> value_of(const CompareOutcome& outcome, const Measure& measure) {
  std::optional<double> value;
  if (measure.agreement != nullptr) {
    if (outcome.measures) value = (*outcome.measures).*measure.agreement;
  } else {
    value = *own_measure(outcome, measure.name);
  }
  return value && std::isfinite(*value) ? value : std::nullopt;
}

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
