// Data whose clusters are known, because they were planted.
#pragma once

#include <vector>

#include "copse/matrix/dataset.h"

namespace copse {

template <class T>
struct Planted {
  Dataset<T> data;
  std::vector<Index> labels;   // the true cluster of each item, 0 ... k - 1
  std::vector<Index> parents;  // the group of each item's cluster; empty where there is no hierarchy
};

}  // namespace copse
