#include "copse/tree/singular_rays.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "copse/base/random.h"

namespace copse {
namespace {

constexpr int blocks = 5;        // of two vectors each
constexpr double beyond = 0.05;  // share of the items outside the rays, on either side
constexpr double lost = 1e-4;    // what is left of a vector after projection counts as zero below this share

template <class T>
double column_dot(const Matrix<T>& a, Index p, const Matrix<T>& b, Index q) {
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i) sum += static_cast<double>(a(i, p)) * static_cast<double>(b(i, q));
  return sum;
}

// Column `column` of the newest block becomes orthogonal to all columns before it, and of unit norm or zero.
template <class T>
void orthonormalize(std::vector<Matrix<T>>& basis, Index column) {
  Matrix<T>& newest = basis.back();
  const double before = std::sqrt(column_dot(newest, column, newest, column));
  for (std::size_t b = 0; b < basis.size(); ++b) {
    for (Index c = 0; c < (b + 1 == basis.size() ? column : 2); ++c) {
      const T product = static_cast<T>(column_dot(newest, column, basis[b], c));
      for (Index i = 0; i < newest.rows(); ++i) newest(i, column) -= product * basis[b](i, c);
    }
  }
  const double norm = std::sqrt(column_dot(newest, column, newest, column));
  const T scale = norm > lost * before ? static_cast<T>(1 / norm) : T(0);
  for (Index i = 0; i < newest.rows(); ++i) newest(i, column) *= scale;
}

}  // namespace

template <class T>
Matrix<T> singular_rays(const NodeData<T>& x, Index stride, double& reads) {
  const Index terms = static_cast<Index>(x.terms().size());
  const Index sampled = (x.items() + stride - 1) / stride;

  // The space begins with the sum of the items, close to u1, and a sum with random signs.
  Sweep<T> sweep;
  sweep.h = Matrix<T>(x.items(), 2);
  Random random(0);
  for (Index j = 0; j < x.items(); ++j) {
    sweep.h(j, 0) = 1;
    sweep.h(j, 1) = random.bits() % 2 == 0 ? T(1) : T(-1);
  }
  x.spread(stride, sweep);
  std::vector<Matrix<T>> basis, products;  // Q and X'Q, two columns at a time
  for (int b = 0; b < blocks; ++b) {
    basis.push_back(sweep.xh);
    orthonormalize(basis, 0);
    orthonormalize(basis, 1);
    x.project(basis.back(), stride, sweep);
    Matrix<T> kept(sampled, 2);
    for (Index j = 0; j < sampled; ++j) {
      for (Index c = 0; c < 2; ++c) kept(j, c) = sweep.h(j * stride, c);
    }
    products.push_back(std::move(kept));
  }
  reads += static_cast<double>(blocks + 1) / static_cast<double>(stride);

  // Rayleigh-Ritz: the eigenvectors of Q'X X'Q.
  Eigen::MatrixXd small(2 * blocks, 2 * blocks);
  for (int a = 0; a < 2 * blocks; ++a) {
    for (int b = 0; b <= a; ++b) small(a, b) = small(b, a) = column_dot(products[a / 2], a % 2, products[b / 2], b % 2);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(small);
  Eigen::VectorXd z1 = eigen.eigenvectors().col(2 * blocks - 1), z2 = eigen.eigenvectors().col(2 * blocks - 2);
  if (z1(0) < 0) z1 = -z1;  // u1 points where the items are

  const auto combine = [&](const std::vector<Matrix<T>>& columns, Index i, const Eigen::VectorXd& z) {
    double sum = 0;
    for (int a = 0; a < 2 * blocks; ++a) sum += z(a) * static_cast<double>(columns[a / 2](i, a % 2));
    return sum;
  };
  std::vector<double> angles(static_cast<std::size_t>(sampled));
  for (Index j = 0; j < sampled; ++j)
    angles[j] = std::atan2(combine(products, j, z2), std::max(combine(products, j, z1), 1e-30));
  const auto quantile = [&](Index rank) {
    std::ranges::nth_element(angles, angles.begin() + rank);
    return angles[rank];
  };
  const Index tail = static_cast<Index>(beyond * static_cast<double>(sampled - 1));
  const double low = quantile(tail), high = quantile(sampled - 1 - tail);
  Matrix<T> w(terms, 2);
  for (Index i = 0; i < terms; ++i) {
    const double u1 = combine(basis, i, z1), u2 = combine(basis, i, z2);
    w(i, 0) = static_cast<T>(std::max(0.0, std::cos(low) * u1 + std::sin(low) * u2));
    w(i, 1) = static_cast<T>(std::max(0.0, std::cos(high) * u1 + std::sin(high) * u2));
  }
  for (Index c = 0; c < 2; ++c) {
    const double norm = std::sqrt(column_dot(w, c, w, c));
    for (Index i = 0; i < terms && norm > 0; ++i) w(i, c) = static_cast<T>(static_cast<double>(w(i, c)) / norm);
  }
  return w;
}

template Matrix<float> singular_rays(const NodeData<float>&, Index, double&);
template Matrix<double> singular_rays(const NodeData<double>&, Index, double&);

}  // namespace copse
