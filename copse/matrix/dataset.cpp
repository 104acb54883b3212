#include "copse/matrix/dataset.h"

#include <algorithm>

namespace copse {

template <class T>
Index Dataset<T>::nonzeros() const {
  const auto count = [](const auto& entries) {
    return std::count_if(entries.begin(), entries.end(), [](T value) { return value != T(0); });
  };
  if (is_sparse()) return count(std::get<SparseMatrix<T>>(values).values);
  return count(std::get<Matrix<T>>(values).values());
}

template struct Dataset<float>;
template struct Dataset<double>;

}  // namespace copse
