// Whether items are worth splitting in two: do two components explain entries that were hidden from them better than
// one, and by more than they would by chance?
#pragma once

#include <cstdint>

#include "copse/matrix/dataset.h"

namespace copse {

struct SplitTestOptions {
  int cuts = 3;   // ways to cut the data into blocks
  int nulls = 5;  // data sets without structure
  std::uint64_t seed = 0;
};

struct SplitTest {
  double gain = 0;       // error of one component less that of two, by bi_cross_validation(); the mean over cuts
  double null_gain = 0;  // the same for items whose features are shuffled (Null::shuffled), the mean over data sets
  double null_deviation = 0;  // over these data sets, each cut once
  bool worth_it = false;      // gain > 0 and gain > null_gain + 3 null_deviation
};

// Items and features that are empty say nothing and are left out. Less than eight items or four features are not worth
// it. The order of the items does not matter.
template <class T>
SplitTest test_split(const Dataset<T>& items, const SplitTestOptions& options);

}  // namespace copse
