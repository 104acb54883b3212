#include "copse/kernels/in_memory.h"

#include <mutex>

#include "copse/kernels/dense_product.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/sliced_transpose.h"
#include "copse/kernels/sparse_product.h"

namespace copse {
template <class T>
struct SparseData<T>::Transposed {
  std::once_flag made;
  SlicedTranspose<T> slices;
};

template <class T>
SparseData<T>::SparseData(SparseView<T> x) : x_(x), transposed_(std::make_unique<Transposed>()) {}

template <class T>
SparseData<T>::~SparseData() = default;

template <class T>
void SparseData<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  std::call_once(transposed_->made, [&] { transposed_->slices = SlicedTranspose<T>(x_); });
  transposed_->slices.times(h, out);
}

template <class T>
void SparseData<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  copse::transpose_times(x_, w, out);
}

template <class T>
double SparseData<T>::squared_norm() const {
  return copse::squared_norm(x_.values);
}

template <class T>
void DenseData<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  copse::times<T>({.values = items_.data(), .rows = rows(), .row_step = 1, .column_step = rows()}, h, out);
}

template <class T>
void DenseData<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  copse::times<T>({.values = items_.data(), .rows = cols(), .row_step = rows(), .column_step = 1}, w, out);
}

template <class T>
double DenseData<T>::squared_norm() const {
  return copse::squared_norm(items_.values());
}

namespace {

// Items that were copied out of other data. The matrix stands first: the data that reads it is made after it.
template <class T>
struct SparseItems {
  SparseMatrix<T> matrix;
};
template <class T>
class SelectedSparse : SparseItems<T>, public SparseData<T> {
 public:
  explicit SelectedSparse(SparseMatrix<T> matrix)
      : SparseItems<T>{std::move(matrix)}, SparseData<T>(SparseItems<T>::matrix) {}
};

template <class T>
struct DenseItems {
  Matrix<T> matrix;
};
template <class T>
class SelectedDense : DenseItems<T>, public DenseData<T> {
 public:
  explicit SelectedDense(Matrix<T> matrix) : DenseItems<T>{std::move(matrix)}, DenseData<T>(DenseItems<T>::matrix) {}
};

}  // namespace

template <class T>
std::unique_ptr<Data<T>> SparseData<T>::select(std::span<const Index> items) const {
  return std::make_unique<SelectedSparse<T>>(select_columns(x_, items));
}

template <class T>
std::unique_ptr<Data<T>> DenseData<T>::select(std::span<const Index> items) const {
  Matrix<T> selected(static_cast<Index>(items.size()), rows());
  for (Index j = 0; j < selected.rows(); ++j) {
    const auto item = items_.row(items[static_cast<std::size_t>(j)]);
    std::copy(item.begin(), item.end(), selected.row(j).begin());
  }
  return std::make_unique<SelectedDense<T>>(std::move(selected));
}

template <class T>
std::unique_ptr<Data<T>> in_memory(const Dataset<T>& dataset) {
  if (const auto* sparse = std::get_if<SparseMatrix<T>>(&dataset.values))
    return std::make_unique<SparseData<T>>(*sparse);
  return std::make_unique<DenseData<T>>(std::get<Matrix<T>>(dataset.values));
}

template class SparseData<float>;
template class SparseData<double>;
template class DenseData<float>;
template class DenseData<double>;
template std::unique_ptr<Data<float>> in_memory(const Dataset<float>&);
template std::unique_ptr<Data<double>> in_memory(const Dataset<double>&);

}  // namespace copse
