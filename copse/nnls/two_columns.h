// min |B g - y|, g >= 0, where B has two columns, in closed form (thesis, algorithms 4 and 5), for one y at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse {

template <class T>
class TwoColumns {
 public:
  struct Solution {
    T first, second;
  };

  // Of a c. Columns closer to parallel than that cannot be told apart: rounding of B'B and B'y, sums of T, would
  // decide.
  static constexpr double least_determinant =
      std::max(1e-12, 64 * static_cast<double>(std::numeric_limits<T>::epsilon()));

  // B'B = [a b; b c].
  TwoColumns(double a, double b, double c) {
    const double determinant = a * c - b * b;
    regular_ = determinant > least_determinant * a * c;
    if (regular_) {
      inverse11_ = static_cast<T>(c / determinant);
      inverse12_ = static_cast<T>(b / determinant);
      inverse22_ = static_cast<T>(a / determinant);
    }
    // A column of zeros gets the scale zero, and with it the coefficient zero.
    scale1_ = a > 0 ? static_cast<T>(1 / std::sqrt(a)) : T(0);
    scale2_ = c > 0 ? static_cast<T>(1 / std::sqrt(c)) : T(0);
  }

  // From B'y = (y1, y2): the unconstrained solution if it is nonnegative, else the better single column. Ties between
  // the two columns go to the first.
  Solution operator()(T y1, T y2) const {
    const T g1 = inverse11_ * y1 - inverse12_ * y2;
    const T g2 = inverse22_ * y2 - inverse12_ * y1;
    const T u = scale1_ * y1 > T(0) ? scale1_ * y1 : T(0);
    const T v = scale2_ * y2 > T(0) ? scale2_ * y2 : T(0);
    const bool both = regular_ & (g1 >= T(0)) & (g2 >= T(0));
    const T single1 = u >= v ? u * scale1_ : T(0);
    const T single2 = u >= v ? T(0) : v * scale2_;
    return {both ? g1 : single1, both ? g2 : single2};
  }

  // What the solution is made of, for loops that take several right-hand sides at once.
  bool regular() const { return regular_; }  // B'B can be inverted, to [inverse11 -inverse12; -inverse12 inverse22]
  T inverse11() const { return inverse11_; }
  T inverse12() const { return inverse12_; }
  T inverse22() const { return inverse22_; }
  T scale1() const { return scale1_; }  // 1 / |b1|, or 0
  T scale2() const { return scale2_; }

 private:
  bool regular_ = false;
  T inverse11_ = 0, inverse12_ = 0, inverse22_ = 0;
  T scale1_ = 0, scale2_ = 0;
};

}  // namespace copse
