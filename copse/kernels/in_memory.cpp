#include "copse/kernels/in_memory.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <numeric>

#include "copse/base/isolated.h"
#include "copse/base/parallel.h"
#include "copse/kernels/dense_product.h"
#include "copse/kernels/frequent_rows.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/sliced_transpose.h"
#include "copse/kernels/sparse_product.h"

namespace copse {
namespace {

constexpr Index items_per_block = 64;
constexpr Index narrow = 2;  // columns of a W whose rows are worth sorting; with 4 nothing certain is gained

}  // namespace

// What is made when it is first needed.
template <class T>
struct SparseData<T>::Copies {
  std::once_flag once, once_renumbered;
  SlicedTranspose<T> transposed;
  std::atomic<bool> is_cut = false;  // X' was made, and the order of rows with it
  FrequentRows<T> renumbered;
};

template <class T>
SparseData<T>::SparseData(SparseView<T> x)
    : Data<T>({.rows = x.rows, .cols = x.cols, .nonzeros = x.nonzeros()}), x_(x), copies_(std::make_unique<Copies>()) {}

template <class T>
SparseData<T>::~SparseData() = default;

template <class T>
const SlicedTranspose<T>& SparseData<T>::turned() const {
  // The copies are made by parallel loops, and this may be called from several tasks of one.
  std::call_once(copies_->once, [&] {
    isolated([&] { copies_->transposed = SlicedTranspose<T>(x_); });
    copies_->is_cut = !copies_->transposed.order().empty();
  });
  return copies_->transposed;
}

template <class T>
void SparseData<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  turned().times(h, out);
}

template <class T>
void SparseData<T>::times_by_column(const Matrix<T>& h, Matrix<T>& out) const {
  turned().times(h, out, Sums::by_column);
}

template <class T>
void SparseData<T>::transpose_times_by_column(const Matrix<T>& w, Matrix<T>& out) const {
  copse::transpose_times(x_, w, out, Sums::by_column);
}

template <class T>
void SparseData<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  if (w.cols() != narrow || !copies_->is_cut) return copse::transpose_times(x_, w, out);
  std::call_once(copies_->once_renumbered,
                 [&] { isolated([&] { copies_->renumbered = FrequentRows<T>(x_, copies_->transposed.order()); }); });
  copies_->renumbered.transpose_times(x_, w, out);
}

template <class T>
double SparseData<T>::squared_norm_over(int exponent) const {
  return copse::squared_norm_over(x_.values, exponent);
}

template <class T>
void SparseData<T>::visit_blocks(const VisitBlock<T>& visit) const {
  parallel_blocks(this->cols(), items_per_block, [&](Index begin, Index end) {
    const auto offsets = x_.offsets.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin + 1));
    visit(begin, {x_.rows, end - begin, offsets, x_.indices, x_.values});
  });
}

template <class T>
double copied_bytes_per_entry(Index k) {
  // X' has an offset for every 8 entries of a slice and for every 32 of a piece; 16 bits per entry sort it.
  const double offsets = sizeof(Index) * (1.0 / 8 + 1.0 / 32);
  return sizeof(T) + sizeof(RowIndex) + offsets + (k == narrow ? sizeof(RowIndex) : sizeof(std::uint16_t));
}

template <class T>
void DenseData<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  copse::times<T>({.values = items_.data(), .rows = this->rows(), .row_step = 1, .column_step = this->rows()}, h, out);
}

template <class T>
void DenseData<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  copse::times<T>({.values = items_.data(), .rows = this->cols(), .row_step = this->rows(), .column_step = 1}, w, out);
}

template <class T>
void DenseData<T>::visit_blocks(const VisitBlock<T>& visit) const {
  parallel_blocks(this->cols(), items_per_block, [&](Index begin, Index end) {
    SparseMatrix<T> block{.rows = this->rows(), .cols = end - begin};
    const auto room = static_cast<std::size_t>(this->rows() * (end - begin));
    block.indices.resize(room);
    block.values.resize(room);
    Index count = 0;  // every entry is written, and stays only if it is not zero: no branch to guess
    for (Index j = begin; j < end; ++j) {
      const T* item = items_.row(j).data();
      for (Index i = 0; i < this->rows(); ++i) {
        block.indices[count] = static_cast<RowIndex>(i);
        block.values[count] = item[i];
        count += item[i] != T(0) ? 1 : 0;
      }
      block.offsets.push_back(count);
    }
    block.indices.resize(static_cast<std::size_t>(count));
    block.values.resize(static_cast<std::size_t>(count));
    visit(begin, block);
  });
}

template <class T>
double DenseData<T>::squared_norm_over(int exponent) const {
  return copse::squared_norm_over(items_.values(), exponent);
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
Sample<T> SparseData<T>::select(std::span<const Index> items) const {
  SparseMatrix<T> selected = select_columns(x_, items);
  std::vector<Index> features = drop_empty_rows(selected);
  return {in_memory(std::move(selected)), std::move(features)};
}

template <class T>
Sample<T> DenseData<T>::select(std::span<const Index> items) const {
  Matrix<T> selected(static_cast<Index>(items.size()), this->rows());
  for (Index j = 0; j < selected.rows(); ++j) {
    const auto item = items_.row(items[static_cast<std::size_t>(j)]);
    std::copy(item.begin(), item.end(), selected.row(j).begin());
  }
  std::vector<Index> features(static_cast<std::size_t>(this->rows()));
  std::iota(features.begin(), features.end(), Index{0});
  return {std::make_unique<SelectedDense<T>>(std::move(selected)), std::move(features)};
}

template <class T>
std::unique_ptr<Data<T>> in_memory(const Dataset<T>& dataset) {
  if (const auto* sparse = std::get_if<SparseMatrix<T>>(&dataset.values))
    return std::make_unique<SparseData<T>>(*sparse);
  return std::make_unique<DenseData<T>>(std::get<Matrix<T>>(dataset.values));
}

template <class T>
std::unique_ptr<Data<T>> in_memory(SparseMatrix<T> matrix) {
  return std::make_unique<SelectedSparse<T>>(std::move(matrix));
}

template class SparseData<float>;
template class SparseData<double>;
template double copied_bytes_per_entry<float>(Index);
template double copied_bytes_per_entry<double>(Index);
template class DenseData<float>;
template class DenseData<double>;
template std::unique_ptr<Data<float>> in_memory(const Dataset<float>&);
template std::unique_ptr<Data<double>> in_memory(const Dataset<double>&);
template std::unique_ptr<Data<float>> in_memory(SparseMatrix<float>);
template std::unique_ptr<Data<double>> in_memory(SparseMatrix<double>);

}  // namespace copse
