// Dense times skinny, for data without zeros: out = A B, where A may be stored by rows or by columns.
#pragma once

#include "copse/matrix/dense.h"

namespace copse {

// A with `rows` rows; entry (i, p) stands at values[i * row_step + p * column_step].
template <class T>
struct StridedView {
  const T* values = nullptr;
  Index rows = 0;
  Index row_step = 0;
  Index column_step = 0;
};

// out = A B (rows x k), where b has as many rows as a has columns.
template <class T>
void times(const StridedView<T>& a, const Matrix<T>& b, Matrix<T>& out);

}  // namespace copse
