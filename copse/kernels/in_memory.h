// Data that stands in this machine's memory, sparse or dense.
#pragma once

#include <memory>

#include "copse/matrix/data.h"
#include "copse/matrix/dataset.h"
#include "copse/matrix/more_of_data.h"
#include "copse/matrix/sparse.h"

namespace copse {

template <class T>
class SlicedTranspose;

// Sparse data. The arrays behind the view must outlive it. The first call of times() makes a transposed copy. If that
// is large, the next call of transpose_times() with few columns makes a copy of the row numbers.
template <class T>
class SparseData : public Data<T>, public SelectsItems<T>, public ShowsItems<T>, public MultipliesByColumn<T> {
 public:
  explicit SparseData(SparseView<T> x);
  explicit SparseData(const SparseMatrix<T>&&) = delete;
  ~SparseData() override;

  void times(const Matrix<T>& h, Matrix<T>& out) const override;
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override;
  void times_by_column(const Matrix<T>& h, Matrix<T>& out) const override;
  void transpose_times_by_column(const Matrix<T>& w, Matrix<T>& out) const override;
  double squared_norm_over(int exponent) const override;
  void visit_blocks(const VisitBlock<T>& visit) const override;
  Sample<T> select(std::span<const Index> items) const override;

 private:
  struct Copies;
  const SlicedTranspose<T>& turned() const;
  SparseView<T> x_;
  std::unique_ptr<Copies> copies_;
};

// The bytes per entry that its copies take, at most, for factors with k columns.
template <class T>
double copied_bytes_per_entry(Index k);

// Dense data, given as items: row j of `items` (n x m) is item j. The matrix must outlive it.
template <class T>
class DenseData : public Data<T>, public SelectsItems<T>, public ShowsItems<T> {
 public:
  explicit DenseData(const Matrix<T>& items)
      : Data<T>({.rows = items.cols(), .cols = items.rows(), .nonzeros = items.rows() * items.cols()}), items_(items) {}
  explicit DenseData(const Matrix<T>&&) = delete;

  void times(const Matrix<T>& h, Matrix<T>& out) const override;
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override;
  double squared_norm_over(int exponent) const override;
  void visit_blocks(const VisitBlock<T>& visit) const override;
  Sample<T> select(std::span<const Index> items) const override;

 private:
  const Matrix<T>& items_;
};

// The one of the two that fits; `dataset` must outlive it.
template <class T>
std::unique_ptr<Data<T>> in_memory(const Dataset<T>& dataset);
template <class T>
std::unique_ptr<Data<T>> in_memory(const Dataset<T>&& dataset) = delete;

// Sparse data that keeps its matrix.
template <class T>
std::unique_ptr<Data<T>> in_memory(SparseMatrix<T> matrix);

}  // namespace copse
