#include "tests/support/random_matrices.h"

#include "copse/base/random.h"

namespace copse::testing {

template <class T>
SparseMatrix<T> random_integer_sparse(Index rows, Index cols, double density, std::uint64_t seed) {
  Matrix<T> x(rows, cols);
  Random random(seed);
  for (T& value : x.values()) {
    if (random.uniform() < density) value = static_cast<T>(1 + random.below(9));
  }
  return to_sparse(x);
}

template <class T>
Matrix<T> random_integer_dense(Index rows, Index cols, std::uint64_t seed) {
  Matrix<T> x(rows, cols);
  Random random(seed);
  for (T& value : x.values()) value = static_cast<T>(random.below(10));
  return x;
}

template <class T>
Matrix<T> random_dense(Index rows, Index cols, std::uint64_t seed) {
  Matrix<T> x(rows, cols);
  Random random(seed);
  for (T& value : x.values()) value = static_cast<T>(random.uniform());
  return x;
}

template <class T>
Matrix<T> to_dense(const SparseMatrix<T>& x) {
  Matrix<T> dense(x.rows, x.cols);
  for (Index j = 0; j < x.cols; ++j) {
    for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) dense(x.indices[p], j) += x.values[p];
  }
  return dense;
}

template <class T>
SparseMatrix<T> to_sparse(const Matrix<T>& x) {
  SparseMatrix<T> sparse{.rows = x.rows(), .cols = x.cols()};
  for (Index j = 0; j < x.cols(); ++j) {
    for (Index i = 0; i < x.rows(); ++i) {
      if (x(i, j) == T(0)) continue;
      sparse.indices.push_back(static_cast<RowIndex>(i));
      sparse.values.push_back(x(i, j));
    }
    sparse.offsets.push_back(static_cast<Index>(sparse.values.size()));
  }
  return sparse;
}

#define COPSE_INSTANTIATE(T)                                                           \
  template SparseMatrix<T> random_integer_sparse(Index, Index, double, std::uint64_t); \
  template Matrix<T> random_integer_dense(Index, Index, std::uint64_t);                \
  template Matrix<T> random_dense(Index, Index, std::uint64_t);                        \
  template Matrix<T> to_dense(const SparseMatrix<T>&);                                 \
  template SparseMatrix<T> to_sparse(const Matrix<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse::testing
