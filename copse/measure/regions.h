// Segments against those that people drew, as regions: covering and variation of information [Arbelaez et al. 2011].
#pragma once

#include <span>

#include "copse/base/index.h"

namespace copse {

// sum_R |R| / n max_R' |R n R'| / |R u R'|, over the regions R of the truth and R' that were found; 1 is best. Only
// equality of labels counts. Both must have the same length, at least 1; throws InvalidArgument.
double region_covering(std::span<const Index> found, std::span<const Index> truth);

// H(found) + H(truth) - 2 I(found, truth), in bits [Meila 2007]; 0 is best.
double variation_of_information(std::span<const Index> found, std::span<const Index> truth);

}  // namespace copse
