// Which components of a fit are found again with other numbers of clusters.
#pragma once

#include <string>
#include <vector>

#include "copse/choose/survey.h"

namespace copse {

// Persistence::values. `components` is a sketch (sketch.h) of components of the survey's features; `records` may be
// any, in any order, of which the resampled runs with components count. The same records give the same bits.
std::vector<std::vector<double>> persistence_of(const Matrix<float>& components, const std::vector<RunRecord>& records,
                                                const std::vector<Index>& ks);

// Which components are found again at every k, with a cosine of at least .8, and at which k the others are. Empty where
// there are fewer than two k to compare.
std::string sentence_on(const Persistence& persistence, Question question);

}  // namespace copse
