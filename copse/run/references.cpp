#include "copse/run/references.h"

#include "copse/measure/component_match.h"
#include "copse/run/assign.h"

namespace copse {

template <class T>
ReferenceMatches match_references(const FlatModel& model, Dataset<T> references) {
  ReferenceMatches result;
  std::vector<std::string> names = std::move(references.item_names);
  references.item_names.clear();
  for (Index r = static_cast<Index>(names.size()); r < references.items(); ++r) names.push_back(std::to_string(r));
  result.notes = match_features(model.items, references);
  const std::vector<double>& factors = model.items.feature_factors;
  Matrix<double> components(model.w.cols(), model.w.rows()), known(references.items(), model.w.rows());
  for (Index i = 0; i < model.w.rows(); ++i) {
    const double factor = factors.empty() ? 1 : factors[i];  // 0 of a word that says nothing: it is in all documents
    for (Index c = 0; c < model.w.cols(); ++c)
      components(c, i) = factor > 0 ? static_cast<double>(model.w(i, c)) / factor : 0;
  }
  for (Index r = 0; r < known.rows(); ++r)
    visit_nonzeros(references, r, [&](Index i, T value) { known(r, i) = static_cast<double>(value); });
  const std::vector<ComponentMatch> matches = match_components(components, known);
  for (std::size_t c = 0; c < matches.size(); ++c) {
    const ComponentMatch& match = matches[c];
    result.matches.push_back({.topic = std::to_string(c),
                              .reference = match.partner < 0 ? "" : names[match.partner],
                              .cosine = match.cosine,
                              .nearest = match.nearest < 0 ? "" : names[match.nearest],
                              .nearest_cosine = match.nearest_cosine});
  }
  return result;
}

template ReferenceMatches match_references(const FlatModel&, Dataset<float>);
template ReferenceMatches match_references(const FlatModel&, Dataset<double>);

}  // namespace copse
