// Small results from tall and skinny matrices. Sums are carried in double from block to block, whatever T is.
#pragma once

#include <span>

#include "copse/base/buffer.h"
#include "copse/matrix/dense.h"

namespace copse {

// F'F, k x k, symmetric.
template <class T>
Matrix<double> gram(const Matrix<T>& f);

// Room that is kept from one small Gram matrix to the next.
template <class T>
struct GramScratch {
  Buffer<T> gathered, packed, products;
  Buffer<double> sums;
};

// The same of the rows of F that are named, on this thread. Only the part of `result` (k x k) on and above the diagonal
// is written.
template <class T>
void gram_of_some(const Matrix<T>& f, std::span<const Index> rows, GramScratch<T>& scratch, double* result);

// Sum of the products of corresponding entries: <A, B> = tr(A'B).
template <class T>
double dot(const Matrix<T>& a, const Matrix<T>& b);

// Sum of the squares of all entries.
template <class T>
double squared_norm(std::span<const T> values);

// The same of all entries divided by 2^exponent, for entries whose squares no number holds.
template <class T>
double squared_norm_over(std::span<const T> values, int exponent);

}  // namespace copse
