// The two factors, and what is small about them. The rows of both are spread as the parts of X are: sums over rows are
// local sums, added up by Data::sum.
#pragma once

#include <vector>

#include "copse/matrix/data.h"

namespace copse {

template <class T>
struct Factors {
  Matrix<T> w;  // rows x k
  Matrix<T> h;  // cols x k (H')
};

// F'F over all parts of x.
template <class T>
Matrix<double> global_gram(const Data<T>& x, const Matrix<T>& f);

// A'B over all parts of x.
template <class T>
Matrix<double> inner_products(const Data<T>& x, const Matrix<T>& a, const Matrix<T>& b);

// |f_c|^2 of every column, over all parts of x.
template <class T>
std::vector<double> squared_columns(const Data<T>& x, const Matrix<T>& f);

// [F M], in place of F.
template <class T>
void append_columns(Matrix<T>& f, const Matrix<T>& more);

// W D^-1 and D H for the first `components` columns, with d_c = |w_c|: unit columns of W, the same product. A component
// that is zero in one factor becomes zero in both, with d_c = 0. Returns d.
template <class T>
std::vector<double> scale_to_unit_columns(const Data<T>& x, Factors<T>& factors, Index components);

}  // namespace copse
