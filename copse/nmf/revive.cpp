#include "copse/nmf/revive.h"

#include <algorithm>
#include <cmath>

#include "copse/nmf/residual.h"

namespace copse {
namespace {

constexpr int revive_power_iterations = 2;

template <class T>
void clip(Matrix<T>& factor) {
  for (T& value : factor.values()) value = std::max(value, T(0));
}

}  // namespace

template <class T>
Index revive_components(const Data<T>& x, Factors<T>& factors, std::span<const Index> dead, double norm,
                        double squared_error, double least_gain, std::uint64_t seed) {
  const Residual<T> residual(x, factors);
  auto [u, v] = singular_start(residual, static_cast<Index>(dead.size()), Start::nndsvd, seed, revive_power_iterations);
  residual.times(v, u);
  clip(u);
  residual.transpose_times(u, v);
  clip(v);
  const std::vector<double> u_squares = squared_columns(x, u), v_squares = squared_columns(x, v);
  Index revived = 0;
  for (Index d = 0; d < u.cols(); ++d) {
    // v / |u|^2 is the best h >= 0 for u, and takes |v|^2 / |u|^2 off the squared error.
    if (!(v_squares[d] > least_gain * squared_error * u_squares[d])) continue;
    const double length = std::sqrt(u_squares[d]);
    for (Index i = 0; i < u.rows(); ++i) factors.w(i, dead[d]) = static_cast<T>(u(i, d) * (norm / length));
    for (Index j = 0; j < v.rows(); ++j) factors.h(j, dead[d]) = static_cast<T>(v(j, d) / (norm * length));
    ++revived;
  }
  return revived;
}

template Index revive_components(const Data<float>&, Factors<float>&, std::span<const Index>, double, double, double,
                                 std::uint64_t);
template Index revive_components(const Data<double>&, Factors<double>&, std::span<const Index>, double, double, double,
                                 std::uint64_t);

}  // namespace copse
