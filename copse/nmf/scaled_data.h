// The scale of X, and X at another scale, so that neither large nor small entries leave the range of T.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "copse/matrix/more_of_data.h"

namespace copse {

// E with 2^E <= |X| < 2^(E + 1); 0 where X = 0.
template <class T>
int exponent_of_norm(const Data<T>& x);

// |X| of this size needs no other scale: the products with factors, and their squares, stay well inside the range of T.
template <class T>
bool is_moderate(int exponent) {
  return std::abs(exponent) <= (sizeof(T) == sizeof(float) ? 20 : 150);
}

// X / 2^exponent. A part of the factor is applied to what X is multiplied with, the rest to the product: powers of two
// change no bit, as long as nothing leaves the range of T on the way.
template <class T>
class ScaledData : public Data<T>, public SelectsItems<T>, public ShowsItems<T> {
 public:
  ScaledData(const Data<T>& x, int exponent) : Data<T>(x.sizes()), x_(x), exponent_(exponent) {}
  ScaledData(std::unique_ptr<Data<T>> x, int exponent)
      : Data<T>(x->sizes()), owned_(std::move(x)), x_(*owned_), exponent_(exponent) {}

  void times(const Matrix<T>& h, Matrix<T>& out) const override;
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override;
  double squared_norm_over(int exponent) const override { return x_.squared_norm_over(exponent_ + exponent); }
  void read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const override;
  void sum(std::span<double> values) const override { x_.sum(values); }
  void visit_blocks(const VisitBlock<T>& visit) const override;
  Sample<T> select(std::span<const Index> items) const override;

 private:
  // Small entries meet large factors, so that their products are no smaller than need be.
  int before() const { return exponent_ < 0 ? std::min(-exponent_, largest_before) : -exponent_ / 2; }
  static constexpr int largest_before = sizeof(T) == sizeof(float) ? 100 : 900;

  const std::unique_ptr<Data<T>> owned_;
  const Data<T>& x_;
  const int exponent_;
};

// f 2^exponent, entry by entry.
template <class T>
void scale_by_power(std::span<T> f, int exponent);

}  // namespace copse
