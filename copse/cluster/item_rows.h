// Items one by one, sparse or dense: what K-means asks of them besides products.
#pragma once

#include <span>

#include "copse/kernels/dense_product.h"
#include "copse/kernels/sparse_product.h"
#include "copse/matrix/dataset.h"

namespace copse {

template <class T>
class ItemRows {
 public:
  explicit ItemRows(const Dataset<T>& items) {
    if (const auto* sparse = std::get_if<SparseMatrix<T>>(&items.values)) {
      sparse_ = *sparse;
    } else {
      dense_ = &std::get<Matrix<T>>(items.values);
    }
  }
  explicit ItemRows(const Matrix<T>& dense) : dense_(&dense) {}

  bool is_sparse() const { return dense_ == nullptr; }
  Index features() const { return is_sparse() ? sparse_.rows : dense_->cols(); }
  Index items() const { return is_sparse() ? sparse_.cols : dense_->rows(); }

  // Calls visit(feature, value) for the entries of item j.
  template <class Visit>
  void visit(Index j, const Visit& visit) const {
    if (is_sparse()) {
      for (Index p = sparse_.offsets[j]; p < sparse_.offsets[j + 1]; ++p)
        visit(static_cast<Index>(sparse_.indices[p]), sparse_.values[p]);
    } else {
      const std::span<const T> row = dense_->row(j);
      for (std::size_t i = 0; i < row.size(); ++i) visit(static_cast<Index>(i), row[i]);
    }
  }

  // Row p of out = x_j'F for the p-th of the items, on the calling thread.
  void products(std::span<const Index> items, const Matrix<T>& f, Matrix<T>& out) const {
    out.reshape(static_cast<Index>(items.size()), f.cols());
    if (is_sparse()) {
      std::fill(out.values().begin(), out.values().end(), T(0));
      for (std::size_t p = 0; p < items.size();) {
        // Neighbouring items in one call.
        std::size_t end = p + 1;
        while (end < items.size() && items[end] == items[end - 1] + 1) ++end;
        add_transpose_times(sparse_, items[p], static_cast<Index>(end - p), f, out, static_cast<Index>(p));
        p = end;
      }
      return;
    }
    Matrix<T> piece;
    for (std::size_t p = 0; p < items.size();) {
      std::size_t end = p + 1;
      while (end < items.size() && items[end] == items[end - 1] + 1) ++end;
      times<T>({dense_->row(items[p]).data(), static_cast<Index>(end - p), dense_->cols(), 1}, f, piece);
      std::copy(piece.values().begin(), piece.values().end(), out.row(static_cast<Index>(p)).data());
      p = end;
    }
  }

 private:
  SparseView<T> sparse_ = {};
  const Matrix<T>* dense_ = nullptr;
};

}  // namespace copse
