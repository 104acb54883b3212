// Components beside others that are known, by the cosine of their angle.
#pragma once

#include <vector>

#include "copse/matrix/dense.h"

namespace copse {

struct ComponentMatch {
  Index partner = -1;         // no two components have the same; -1: there are more components than references
  double cosine = 0;          // with the partner
  Index nearest = -1;         // the reference with the largest cosine, the first of equal ones
  double nearest_cosine = 0;  // with the nearest
};

// One for each row of `components`. The partners are those with the largest sum of cosines. Rows are not negative; one
// that is all zero has cosine 0 with every other. Throws InvalidArgument where the columns differ in number.
std::vector<ComponentMatch> match_components(const Matrix<double>& components, const Matrix<double>& references);

}  // namespace copse
