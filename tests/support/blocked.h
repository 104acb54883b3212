// Other kinds of data than those in memory, to prove that solvers assume nothing else.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/matrix/blocked_items.h"
#include "copse/matrix/data.h"
#include "tests/support/naive.h"

namespace copse::testing {

// A matrix in memory that is handed out in blocks of odd sizes: 3 items, none, 10, 17, ... The matrix must outlive it.
template <class T>
class OddBlocks : public BlockedItems<T> {
 public:
  explicit OddBlocks(const SparseMatrix<T>& x, Index step = 7) : x_(x) {
    Index size = 3;
    bool empty = true;
    for (Index j = 0; j < x.cols; size += step) {
      j = std::min(x.cols, j + size);
      add(j);
      if (std::exchange(empty, false)) add(j);
    }
    if (x.cols == 0) add(0);
  }

  Index rows() const override { return x_.rows; }
  std::span<const Index> first_items() const override { return items_; }
  std::span<const Index> first_entries() const override { return entries_; }
  void read(Index block, SparseMatrix<T>& into) const override {
    ++reads_;
    std::vector<Index> own;
    for (Index j = items_[block]; j < items_[block + 1]; ++j) own.push_back(j);
    into = select_columns<T>(x_, own);
  }
  Index reads() const { return reads_; }  // of blocks

 private:
  void add(Index end) {
    items_.push_back(end);
    entries_.push_back(x_.offsets[end]);
  }

  const SparseMatrix<T>& x_;
  std::vector<Index> items_ = {0}, entries_ = {0};
  mutable std::atomic<Index> reads_ = 0;
};

// Slow data that gives what it must and nothing more: plain loops over a dense matrix (m x n), one read in blocks of
// five items, one after the other, no copies of items.
template <class T>
class SlowData : public Data<T> {
 public:
  // Entries count as those of other kinds do, who store no zeros.
  explicit SlowData(Matrix<T> x)
      : Data<T>({.rows = x.rows(),
                 .cols = x.cols(),
                 .nonzeros = std::ranges::count_if(x.values(), [](T value) { return value != T(0); }),
                 .is_fetched = true}),
        x_(std::move(x)) {}

  void times(const Matrix<T>& h, Matrix<T>& out) const override { out = naive::times(x_, h); }
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override { out = naive::transpose_times(x_, w); }
  double squared_norm_over(int exponent) const override {
    double sum = 0;
    for (const T value : x_.values()) sum += static_cast<double>(value) * static_cast<double>(value);
    return std::ldexp(sum, -2 * exponent);
  }

  void read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const override {
    ++reads_;
    out = Matrix<T>(x_.rows(), w.cols());
    for (Index block = (x_.cols() + size - 1) / size - 1; block >= 0; --block) {  // in whatever order
      const Index first = block * size, count = std::min(size, x_.cols() - first);
      Matrix<T> part(x_.rows(), count);
      for (Index i = 0; i < x_.rows(); ++i) {
        for (Index j = 0; j < count; ++j) part(i, j) = x_(i, first + j);
      }
      Matrix<T> h(count, w.cols());
      update(first, naive::transpose_times(part, w), h);
      const Matrix<T> product = naive::times(part, h);
      for (std::size_t e = 0; e < product.values().size(); ++e) out.values()[e] += product.values()[e];
    }
  }
  Index reads() const { return reads_; }  // of all items

 private:
  static constexpr Index size = 5;
  Matrix<T> x_;
  mutable Index reads_ = 0;
};

}  // namespace copse::testing
