// min |B g - y|, g >= 0, where B has two columns, in closed form [Kuang & Park 2013, algorithm 2]: the one place of
// this formula. Here for one y at a time; two_columns-inl.h has the same for vectors of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse {

// With columns scaled to norm 1, u = b1'y, v = b2'y and c = b1'b2:
// - inside: g = (u - c v, v - c u) / (1 - c^2), if both are nonnegative;
// - else the minimum lies on an edge, at max(0, u) or max(0, v), and the longer of the two fits better [Kuang 2014,
//   eq. 57]; of equal ones the first is taken;
// - columns that are parallel but for rounding have u = v but for rounding: the first column takes it all, unless it is
//   zero or points away from y. Rounding decides nothing.
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

  // B'B = [a b; b c]. A column of zeros gets the scale zero, and with it the coefficient zero.
  TwoColumns(double a, double b, double c, double parallel = least_determinant) {
    const double scale1 = a > 0 ? 1 / std::sqrt(a) : 0, scale2 = c > 0 ? 1 / std::sqrt(c) : 0;
    const double cosine = b * scale1 * scale2;
    const double squared_sine = (1 - cosine) * (1 + cosine);
    scale1_ = static_cast<T>(scale1);
    scale2_ = static_cast<T>(scale2);
    cosine_ = static_cast<T>(cosine);
    if (squared_sine > parallel) {
      inside1_ = static_cast<T>(scale1 / squared_sine);
      inside2_ = static_cast<T>(scale2 / squared_sine);
    } else {
      regular_ = false;
      bias_ = T(0.5);
    }
  }

  // From B'y = (y1, y2).
  Solution operator()(T y1, T y2) const {
    const T u = scale1_ * y1, v = scale2_ * y2;
    const T x1 = u - cosine_ * v, x2 = v - cosine_ * u;
    if (regular_ && x1 >= T(0) && x2 >= T(0)) return {x1 * inside1_, x2 * inside2_};
    const T edge1 = std::max(u, T(0)), edge2 = std::max(v, T(0));
    if (edge1 >= bias_ * edge2) return {edge1 * scale1_, T(0)};
    return {T(0), edge2 * scale2_};
  }

  // What the solution is made of, for vectors of right-hand sides.
  bool regular() const { return regular_; }
  T scale1() const { return scale1_; }  // 1 / |b1|, or 0
  T scale2() const { return scale2_; }
  T cosine() const { return cosine_; }
  T inside1() const { return inside1_; }  // scale1 / (1 - c^2)
  T inside2() const { return inside2_; }
  T bias() const { return bias_; }  // the first edge is taken when it is as long as bias times the second

 private:
  bool regular_ = true;
  T scale1_ = 0, scale2_ = 0, cosine_ = 0, inside1_ = 0, inside2_ = 0, bias_ = 1;
};

}  // namespace copse
