#include "copse/nmf/online.h"

#include <cmath>
#include <string>
#include <vector>

#include "copse/base/error.h"
#include "copse/kernels/gram.h"
#include "copse/nmf/assign.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

template <class T>
std::vector<double> column_norms(const Matrix<T>& w) {
  const Matrix<double> products = gram(w);
  std::vector<double> norms;
  for (Index c = 0; c < w.cols(); ++c) norms.push_back(std::sqrt(products(c, c)));
  return norms;
}

// W D^-1 has unit columns; h becomes D h, and A and B with it.
template <class T>
void scale_to_unit_columns(OnlineNmf<T>& model) {
  const std::vector<double> norms = column_norms(model.w);
  const Index k = model.w.cols();
  for (Index c = 0; c < k; ++c) {
    if (norms[c] == 0) continue;
    for (Index i = 0; i < model.w.rows(); ++i) {
      model.w(i, c) = static_cast<T>(static_cast<double>(model.w(i, c)) / norms[c]);
      model.b(i, c) = static_cast<T>(static_cast<double>(model.b(i, c)) * norms[c]);
    }
    for (Index d = 0; d < k; ++d) {
      model.a(c, d) *= norms[c];
      model.a(d, c) *= norms[c];
    }
  }
}

}  // namespace

template <class T>
Matrix<T> take_in(OnlineNmf<T>& model, const Data<T>& x, double keep) {
  const Index k = model.w.cols();
  if (!(keep >= 0 && keep <= 1))
    throw InvalidArgument("The share of the past that is kept must lie between 0 and 1, not " + std::to_string(keep) +
                          ".");
  if (model.a.rows() != k || model.a.cols() != k || model.b.rows() != model.w.rows() || model.b.cols() != k)
    throw InvalidArgument("The statistics do not belong to these components.");
  const Matrix<T> h = assign_items<T>(x, model.w);
  Matrix<T> product;
  x.times(h, product);
  const Matrix<double> h_gram = gram(h);
  for (Index c = 0; c < k; ++c) {
    for (Index d = 0; d < k; ++d) model.a(c, d) = keep * model.a(c, d) + h_gram(c, d);
  }
  for (Index i = 0; i < model.b.rows(); ++i) {
    for (Index c = 0; c < k; ++c)
      model.b(i, c) = static_cast<T>(keep * static_cast<double>(model.b(i, c)) + static_cast<double>(product(i, c)));
  }
  // Row i of W: min w'A w - 2 b_i'w, w >= 0.
  Matrix<T> next(model.w.rows(), k);
  solve_pivoting(model.a, model.b, next);
  const std::vector<double> norms = column_norms(next);
  for (Index c = 0; c < k; ++c) {
    if (norms[c] > 0) continue;
    for (Index i = 0; i < next.rows(); ++i) next(i, c) = model.w(i, c);
  }
  model.w = std::move(next);
  scale_to_unit_columns(model);
  return assign_items<T>(x, model.w);
}

template struct OnlineNmf<float>;
template struct OnlineNmf<double>;
template Matrix<float> take_in(OnlineNmf<float>&, const Data<float>&, double);
template Matrix<double> take_in(OnlineNmf<double>&, const Data<double>&, double);

}  // namespace copse
