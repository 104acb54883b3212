#include "copse/tree/singular_rays.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "copse/tree/constants.h"
#include "copse/tree/pair_rows.h"

namespace copse {
namespace {

// The block Krylov space of X X' that begins with the two columns of `space`: an orthonormal basis Q of two columns for
// every read, X'Q, and the eigenvalues, ascending, and eigenvectors of Q'X X'Q (block Lanczos, Rayleigh-Ritz).
template <class T, int reads>
struct Krylov {
  static constexpr int width = 2 * reads;
  std::array<Matrix<T>, reads> basis;     // two columns of Q each
  std::array<Matrix<T>, reads> products;  // X' times these
  double squared_space = 0;               // |space|^2
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, width, width>> ritz;

  Krylov(const NodeData<T>& x, const Matrix<T>& space) {
    using Block = Eigen::Matrix2d;
    Eigen::Matrix<double, width, width> small = Eigen::Matrix<double, width, width>::Zero();  // its lower triangle
    Sweep<T> sweep;
    sweep.xh = space;
    for (int read = 0; read < reads; ++read) {
      // The vectors F in sweep.xh are X X' times the last two of Q; in Q'F all blocks but the last two are zero.
      const Block r = append_orthonormal(read, sweep.xh);
      if (read > 0) small.template block<2, 2>(2 * read, 2 * read - 2) = r;
      x.project(basis[read], sweep);
      small.template block<2, 2>(2 * read, 2 * read) << sweep.hh.a, sweep.hh.b, sweep.hh.b, sweep.hh.c;
      products[read] = std::move(sweep.h);
      x.share_rows(products[read]);
    }
    ritz.compute(small);
  }

  // Makes `fresh` orthogonal to the first `done` pairs, and basis[done] of it: F = [the first pairs] ... + basis[done]
  // R, with R upper triangular. A vector of which nothing is left becomes zero. Returns R.
  Eigen::Matrix2d append_orthonormal(int done, Matrix<T>& fresh) {
    double before1 = 0, before2 = 0;
    std::array<std::array<double, 4>, reads> parts{};
    for (int i = 0; i < done; ++i) parts[i] = cross(basis[i], fresh);
    for (int i = 0; i < done; ++i) {
      const auto& [p11, p12, p21, p22] = parts[i];
      before1 += p11 * p11 + p21 * p21, before2 += p12 * p12 + p22 * p22;
      add_product(basis[i], {-p11, -p12, -p21, -p22}, fresh);
    }
    const auto [a, b, c] = pair_gram(fresh);
    before1 += a, before2 += c;
    if (done == 0) squared_space = before1 + before2;
    const double norm1 = a > lost_vector * lost_vector * before1 ? std::sqrt(a) : 0;
    const double scale1 = norm1 > 0 ? 1 / norm1 : 0;
    const double shared = scale1 * b;  // q1'f2
    const double rest = c - shared * shared;
    const double norm2 = rest > lost_vector * lost_vector * before2 ? std::sqrt(rest) : 0;
    const double scale2 = norm2 > 0 ? 1 / norm2 : 0;
    basis[done] = Matrix<T>(fresh.rows(), 2);
    add_product(fresh, {scale1, -scale1 * shared * scale2, 0, scale2}, basis[done]);
    Eigen::Matrix2d r;
    r << norm1, shared, 0, norm2;
    return r;
  }

  // Row i of [columns] times two vectors.
  template <class Vector>
  static std::array<double, 2> combine(const std::array<Matrix<T>, reads>& columns, Index i, const Vector& u,
                                       const Vector& v) {
    std::array<double, 2> sums{};
    for (int e = 0; e < width; ++e) {
      const double value = static_cast<double>(columns[e / 2].data()[2 * i + e % 2]);
      sums[0] += u(e) * value, sums[1] += v(e) * value;
    }
    return sums;
  }
};

}  // namespace

template <class T>
Matrix<T> singular_rays(const NodeData<T>& x, const Matrix<T>& space) {
  using Space = Krylov<T, singular_rays_reads>;
  const Space krylov(x, space);
  constexpr int width = Space::width;
  using Vector = Eigen::Matrix<double, width, 1>;
  Vector z1 = krylov.ritz.eigenvectors().col(width - 1), z2 = krylov.ritz.eigenvectors().col(width - 2);
  if (z1(0) < 0) z1 = -z1;  // u1 points where the items are

  // The tangents of the items' angles with u1 are ordered like the angles.
  std::vector<double> tangents(static_cast<std::size_t>(x.items()));
  for (Index j = 0; j < x.items(); ++j) {
    const auto [along1, along2] = Space::combine(krylov.products, j, z1, z2);
    tangents[j] = along2 / std::max(along1, 1e-30);
  }
  const auto quantile = [&](Index rank) {
    std::ranges::nth_element(tangents, tangents.begin() + rank);
    return tangents[rank];
  };
  const Index tail = static_cast<Index>(beyond_rays * static_cast<double>(x.items() - 1));
  const auto ray = [&](double tangent) -> Vector { return (z1 + tangent * z2) / std::hypot(1, tangent); };
  const Vector first = ray(quantile(tail)), second = ray(quantile(x.items() - 1 - tail));
  Matrix<T> w(space.rows(), 2);
  for (int i = 0; i < singular_rays_reads; ++i)
    add_product(krylov.basis[i], {first(2 * i), second(2 * i), first(2 * i + 1), second(2 * i + 1)}, w);
  // A feature that is zero in both columns would stay so, and with it items that have no others.
  const double squared = krylov.squared_space;
  const T floor = static_cast<T>(squared > 0 ? least_ray / std::sqrt(squared) : 0);
  T* rays = w.data();
  const T* sums = space.data();
  for (Index i = 0; i < w.rows(); ++i) {
    const T least = floor * (sums[2 * i] + sums[2 * i + 1]);
    rays[2 * i] = std::max(least, rays[2 * i]);
    rays[2 * i + 1] = std::max(least, rays[2 * i + 1]);
  }
  return w;
}

template Matrix<float> singular_rays(const NodeData<float>&, const Matrix<float>&);
template Matrix<double> singular_rays(const NodeData<double>&, const Matrix<double>&);

}  // namespace copse
