#include "copse/tree/singular_rays.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "copse/kernels/gram.h"

namespace copse {
namespace {

constexpr double beyond = 0.05;      // share of the items outside the rays, on either side
constexpr double everywhere = 1e-3;  // of the sum of items that the rays have at least
constexpr double lost = 1e-4;        // what is left of a vector after projection counts as zero below this share

template <class T>
double column_dot(const Matrix<T>& a, Index p, const Matrix<T>& b, Index q) {
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i) sum += static_cast<double>(a(i, p)) * static_cast<double>(b(i, q));
  return sum;
}

// Writes the two columns of `fresh` to the columns `done` and `done + 1` of `basis`, orthogonal to the columns before
// and of unit norm, or zero. One pass to project, one to subtract.
template <Index done, class T>
void append_orthonormal(const Matrix<T>& fresh, Matrix<T>& basis) {
  constexpr Index rows_per_sum = 256;  // sums of T are carried over to double after so many rows
  const Index rows = fresh.rows(), width = basis.cols();
  std::array<double, 2 * done> products{};
  for (Index begin = 0; begin < rows; begin += rows_per_sum) {
    std::array<T, done> part1{}, part2{};
    for (Index i = begin; i < std::min(rows, begin + rows_per_sum); ++i) {
      const T* row = basis.data() + i * width;
      const T f1 = fresh.data()[2 * i], f2 = fresh.data()[2 * i + 1];
      for (Index c = 0; c < done; ++c) part1[c] += row[c] * f1, part2[c] += row[c] * f2;
    }
    for (Index c = 0; c < done; ++c) {
      products[c] += static_cast<double>(part1[c]);
      products[done + c] += static_cast<double>(part2[c]);
    }
  }
  std::array<T, 2 * done> part{};
  std::ranges::transform(products, part.begin(), [](double product) { return static_cast<T>(product); });
  double before1 = 0, before2 = 0, a = 0, b = 0, c = 0;  // after: [a b; b c]
  for (Index i = 0; i < rows; ++i) {
    T* row = basis.data() + i * width;
    T f1 = fresh.data()[2 * i], f2 = fresh.data()[2 * i + 1];
    before1 += static_cast<double>(f1) * static_cast<double>(f1);
    before2 += static_cast<double>(f2) * static_cast<double>(f2);
    for (Index e = 0; e < done; ++e) f1 -= row[e] * part[e], f2 -= row[e] * part[done + e];
    row[done] = f1, row[done + 1] = f2;
    a += static_cast<double>(f1) * static_cast<double>(f1);
    b += static_cast<double>(f1) * static_cast<double>(f2);
    c += static_cast<double>(f2) * static_cast<double>(f2);
  }
  const double scale1 = a > lost * lost * before1 ? 1 / std::sqrt(a) : 0;
  const double shared = scale1 * scale1 * b;  // f2 - shared f1 is orthogonal to f1
  const double rest = c - shared * b;
  const double scale2 = rest > lost * lost * before2 ? 1 / std::sqrt(rest) : 0;
  for (Index i = 0; i < rows; ++i) {
    T* row = basis.data() + i * width + done;
    const T f1 = row[0], f2 = row[1];
    row[0] = static_cast<T>(scale1) * f1;
    row[1] = static_cast<T>(scale2) * (f2 - static_cast<T>(shared) * f1);
  }
}

// The block Krylov space of X X' that begins with the two columns of `space`: an orthonormal basis Q, two columns for
// every read, X'Q, and the eigenvalues, ascending, and eigenvectors of Q'X X'Q (Rayleigh-Ritz).
template <class T, int reads>
struct Krylov {
  static constexpr Index width = 2 * reads;
  Matrix<T> basis;
  Matrix<T> products;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, width, width>> ritz;

  Krylov(const NodeData<T>& x, const Matrix<T>& space) : basis(space.rows(), width), products(x.items(), width) {
    Sweep<T> sweep;
    [&]<int... read>(std::integer_sequence<int, read...>) {
      (append_products<2 * read>(x, read == 0 ? space : sweep.xh, sweep), ...);
    }
    (std::make_integer_sequence<int, reads>());
    const Matrix<double> small = gram(products);
    ritz.compute(Eigen::Map<const Eigen::Matrix<double, width, width>>(small.data()));
  }

  // Two more columns of Q, made of `fresh`, and of X'Q; sweep.xh is X X' times the two.
  template <Index done>
  void append_products(const NodeData<T>& x, const Matrix<T>& fresh, Sweep<T>& sweep) {
    append_orthonormal<done>(fresh, basis);
    Matrix<T> newest;
    newest.reshape(basis.rows(), 2);
    for (Index i = 0; i < basis.rows(); ++i) std::copy_n(basis.data() + i * width + done, 2, newest.data() + 2 * i);
    x.project(newest, sweep);
    for (Index j = 0; j < x.items(); ++j) std::copy_n(sweep.h.data() + 2 * j, 2, products.data() + j * width + done);
  }

  // Ritz values are too low, the first by next to nothing, the second by a twelfth at most for three reads of data
  // without any structure (random entries) and less otherwise.
  double two_leading() const { return ritz.eigenvalues().tail(2).dot(Eigen::Vector2d(1.1, 1)); }
};

}  // namespace

template <class T>
double two_leading(const NodeData<T>& x, const Matrix<T>& space) {
  return Krylov<T, two_leading_reads>(x, space).two_leading();
}

template <class T>
SingularRays<T> singular_rays(const NodeData<T>& x, const Matrix<T>& space) {
  const Krylov<T, singular_rays_reads> krylov(x, space);
  constexpr Index width = krylov.width;
  using Vector = Eigen::Matrix<double, width, 1>;
  const Index terms = krylov.basis.rows();
  Vector z1 = krylov.ritz.eigenvectors().col(width - 1), z2 = krylov.ritz.eigenvectors().col(width - 2);
  if (z1(0) < 0) z1 = -z1;  // u1 points where the items are

  // Row i of [columns] times two vectors.
  const auto combine = [](const Matrix<T>& columns, Index i, const Vector& u, const Vector& v) {
    std::array<double, 2> sums{};
    for (Index a = 0; a < width; ++a) {
      const double value = static_cast<double>(columns.data()[i * width + a]);
      sums[0] += u(a) * value, sums[1] += v(a) * value;
    }
    return sums;
  };
  std::vector<double> angles(static_cast<std::size_t>(x.items()));
  for (Index j = 0; j < x.items(); ++j) {
    const auto [along1, along2] = combine(krylov.products, j, z1, z2);
    angles[j] = std::atan2(along2, std::max(along1, 1e-30));
  }
  const auto quantile = [&](Index rank) {
    std::ranges::nth_element(angles, angles.begin() + rank);
    return angles[rank];
  };
  const Index tail = static_cast<Index>(beyond * static_cast<double>(x.items() - 1));
  const double low = quantile(tail), high = quantile(x.items() - 1 - tail);
  const Vector first = std::cos(low) * z1 + std::sin(low) * z2;
  const Vector second = std::cos(high) * z1 + std::sin(high) * z2;
  // A feature that is zero in both columns would stay so, and with it items that have no others.
  const double squared = column_dot(space, 0, space, 0) + column_dot(space, 1, space, 1);
  const double floor = squared > 0 ? everywhere / std::sqrt(squared) : 0;
  Matrix<T> w(terms, 2);
  for (Index i = 0; i < terms; ++i) {
    const double least = floor * (static_cast<double>(space(i, 0)) + static_cast<double>(space(i, 1)));
    const auto [ray1, ray2] = combine(krylov.basis, i, first, second);
    w(i, 0) = static_cast<T>(std::max(least, ray1));
    w(i, 1) = static_cast<T>(std::max(least, ray2));
  }
  for (Index c = 0; c < 2; ++c) {
    const double norm = std::sqrt(column_dot(w, c, w, c));
    for (Index i = 0; i < terms && norm > 0; ++i) w(i, c) = static_cast<T>(static_cast<double>(w(i, c)) / norm);
  }
  return {std::move(w), krylov.two_leading()};
}

#define COPSE_INSTANTIATE(T)                                         \
  template double two_leading(const NodeData<T>&, const Matrix<T>&); \
  template SingularRays<T> singular_rays(const NodeData<T>&, const Matrix<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
