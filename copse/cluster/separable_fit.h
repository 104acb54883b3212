// The coefficients of all columns on some of them.
#pragma once

#include <span>
#include <vector>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

// X in double precision, checked, with what the methods ask of it again and again.
struct Columns {
  SparseMatrix<double> x;
  std::vector<double> squares;  // |x_j|^2
  std::vector<double> sums;     // p'x_j, p = 1
  double squared_norm = 0;

  // Throws InvalidArgument for an entry that is negative or not finite.
  template <class T>
  explicit Columns(SparseView<T> given);

  Index count() const { return x.cols; }
  std::vector<double> dense(Index j) const;
  // X'v for every column.
  std::vector<double> products(std::span<const double> v) const;
};

// The anchors found so far and the coefficients of every column on them: min |x_j - X(:, A) h|, h >= 0.
class AnchorFit {
 public:
  explicit AnchorFit(const Columns& columns) : columns_(columns) {}

  void add(Index anchor);
  std::vector<double> squared_residuals() const;  // |x_j - X(:, A) h_j|^2, not below zero
  double relative_error() const;

  const std::vector<Index>& anchors() const { return anchors_; }
  const Matrix<double>& coefficients() const { return h_; }  // columns x anchors
  const Matrix<double>& products() const { return c_; }      // X' X(:, A), columns x anchors

 private:
  const Columns& columns_;
  std::vector<Index> anchors_;
  Matrix<double> h_;
  Matrix<double> c_;
};

}  // namespace copse
