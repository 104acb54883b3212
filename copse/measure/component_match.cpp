#include "copse/measure/component_match.h"

#include <cmath>

#include "copse/base/error.h"
#include "copse/measure/matching.h"

namespace copse {
namespace {

double dot_rows(const Matrix<double>& a, Index i, const Matrix<double>& b, Index j) {
  double sum = 0;
  for (Index c = 0; c < a.cols(); ++c) sum += a(i, c) * b(j, c);
  return sum;
}

std::vector<double> norms_of(const Matrix<double>& rows) {
  std::vector<double> norms;
  for (Index i = 0; i < rows.rows(); ++i) norms.push_back(std::sqrt(dot_rows(rows, i, rows, i)));
  return norms;
}

}  // namespace

std::vector<ComponentMatch> match_components(const Matrix<double>& components, const Matrix<double>& references) {
  if (components.cols() != references.cols())
    throw InvalidArgument("Components and references need the same features.");
  const std::vector<double> own = norms_of(components), other = norms_of(references);
  std::vector<ComponentMatch> matches(static_cast<std::size_t>(components.rows()));
  SparseMatrix<double> cosines{.rows = references.rows(), .cols = components.rows()};
  for (Index c = 0; c < components.rows(); ++c) {
    for (Index r = 0; r < references.rows(); ++r) {
      const double norm = own[c] * other[r];
      const double cosine = norm > 0 ? dot_rows(components, c, references, r) / norm : 0;
      cosines.indices.push_back(static_cast<RowIndex>(r));
      cosines.values.push_back(cosine);
      if (matches[c].nearest < 0 || cosine > matches[c].nearest_cosine) {
        matches[c].nearest = r;
        matches[c].nearest_cosine = cosine;
      }
    }
    cosines.offsets.push_back(static_cast<Index>(cosines.values.size()));
  }
  const std::vector<Index> partners = best_matching(cosines);
  for (Index c = 0; c < components.rows(); ++c) {
    matches[c].partner = partners[c];
    if (partners[c] >= 0) matches[c].cosine = cosines.values[cosines.offsets[c] + partners[c]];
  }
  return matches;
}

}  // namespace copse
