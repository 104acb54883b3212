// Data without clusters that looks like the given data otherwise: what a measure finds in it is chance.
#pragma once

#include <cstdint>
#include <memory>

#include "copse/matrix/dataset.h"

namespace copse {

enum class Null {
  automatic,  // box for dense data, shuffled for sparse data
  box,        // uniform in the box of the principal components [Kuang 2014, algorithm 3]; gives dense data
  shuffled    // the values of each feature go to other items, more likely to those with many entries; items keep their
              // norms. What features have in common is lost; sparse data stays sparse
};

template <class T>
class NullData {
 public:
  virtual ~NullData() = default;
  // As many items and features as the data has. The same seed gives the same bits.
  virtual Dataset<T> draw(std::uint64_t seed) const = 0;
};

// `data` must outlive it.
template <class T>
std::unique_ptr<NullData<T>> null_data(const Dataset<T>& data, Null kind);

}  // namespace copse
