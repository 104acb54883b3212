// A dense matrix, row-major. Factors are stored item-major: W as m x k and H' as n x k.
#pragma once

#include <cassert>
#include <span>

#include "copse/base/buffer.h"
#include "copse/base/index.h"

namespace copse {

template <class T>
class Matrix {
 public:
  Matrix() = default;
  // Entries start as zero.
  Matrix(Index rows, Index cols) : rows_(rows), cols_(cols), values_(static_cast<std::size_t>(rows * cols), T(0)) {
    assert(rows >= 0 && cols >= 0);
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  T& operator()(Index i, Index j) { return values_[offset(i, j)]; }
  const T& operator()(Index i, Index j) const { return values_[offset(i, j)]; }

  std::span<T> row(Index i) { return {values_.data() + i * cols_, static_cast<std::size_t>(cols_)}; }
  std::span<const T> row(Index i) const { return {values_.data() + i * cols_, static_cast<std::size_t>(cols_)}; }

  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::span<T> values() { return values_; }
  std::span<const T> values() const { return values_; }

  // Loses the entries; the new ones are unwritten.
  void reshape(Index rows, Index cols) {
    rows_ = rows;
    cols_ = cols;
    values_.resize(static_cast<std::size_t>(rows * cols));
  }

  friend bool operator==(const Matrix&, const Matrix&) = default;

 private:
  std::size_t offset(Index i, Index j) const {
    assert(0 <= i && i < rows_ && 0 <= j && j < cols_);
    return static_cast<std::size_t>(i * cols_ + j);
  }

  Index rows_ = 0;
  Index cols_ = 0;
  Buffer<T> values_;
};

}  // namespace copse
