// Data without clusters that looks like the given data otherwise: what a measure finds in it is chance.
#pragma once

#include <cstdint>
#include <memory>

#include "copse/choose/answer.h"
#include "copse/matrix/dataset.h"

namespace copse {

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
