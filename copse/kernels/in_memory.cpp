#include "copse/kernels/in_memory.h"

#include <mutex>

#include "copse/kernels/dense_product.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/sparse_product.h"

namespace copse {
template <class T>
struct SparseData<T>::Transposed {
  std::once_flag made;
  SparseMatrix<T> matrix;
};

template <class T>
SparseData<T>::SparseData(SparseView<T> x) : x_(x), transposed_(std::make_unique<Transposed>()) {}

template <class T>
SparseData<T>::~SparseData() = default;

template <class T>
void SparseData<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  std::call_once(transposed_->made, [&] { transposed_->matrix = transpose(x_); });
  copse::transpose_times<T>(transposed_->matrix, h, out);
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
