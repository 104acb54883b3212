#include "copse/nmf/singular.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/small_eigen.h"
#include "copse/nmf/factors.h"

namespace copse {
namespace {

constexpr Index singular_rows_per_block = 512;
constexpr Index extra_columns = 10;

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Spectrum {
  Eigen::VectorXd values;   // descending
  Eigen::MatrixXd vectors;  // one column each
  Index rank = 0;           // values above round-off
};

template <class T>
Spectrum gram_spectrum(const Data<T>& x, const Matrix<T>& f) {
  const Matrix<double> square = global_gram(x, f);
  const Index k = f.cols();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::MatrixXd(Eigen::Map<const Eigen::MatrixXd>(square.data(), k, k)));
  Spectrum spectrum{solver.eigenvalues().reverse(), solver.eigenvectors().rowwise().reverse()};
  const double floor = spectrum.values(0) * static_cast<double>(k) * std::numeric_limits<T>::epsilon();
  while (spectrum.rank < k && spectrum.values(spectrum.rank) > floor) ++spectrum.rank;
  return spectrum;
}

// F M for a small matrix M.
template <class T>
Matrix<T> times_small(const Matrix<T>& f, const Eigen::MatrixXd& small) {
  const Rows<T> factor = small.cast<T>();
  Matrix<T> out(f.rows(), small.cols());
  parallel_blocks(f.rows(), singular_rows_per_block, [&](Index begin, Index end) {
    const Eigen::Map<const Rows<T>> in(f.data() + begin * f.cols(), end - begin, f.cols());
    Eigen::Map<Rows<T>>(out.data() + begin * out.cols(), end - begin, out.cols()).noalias() = in * factor;
  });
  return out;
}

// An orthonormal basis of the columns of f. With F'F = V L V' it is F V L^(-1/2); the second round repairs what
// squaring the condition number lost. Columns beyond the rank are zero.
template <class T>
Matrix<T> orthonormal(const Data<T>& x, Matrix<T> f) {
  for (int round = 0; round < 2; ++round) {
    Spectrum spectrum = gram_spectrum(x, f);
    for (Index c = 0; c < f.cols(); ++c)
      spectrum.vectors.col(c) *= c < spectrum.rank ? 1 / std::sqrt(spectrum.values(c)) : 0.0;
    f = times_small(f, spectrum.vectors);
  }
  return f;
}

}  // namespace

template <class T>
SingularTriplets<T> leading_singular_triplets(const Data<T>& x, Index count, std::uint64_t seed, int power_iterations) {
  const Whole whole = x.whole();
  const Index width = std::min({count + extra_columns, whole.rows, whole.cols});
  Matrix<T> right(x.cols(), width);
  parallel_blocks(x.cols(), singular_rows_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      Random random(seed, static_cast<std::uint64_t>(whole.first_col + j));
      for (T& value : right.row(j)) value = static_cast<T>(random.normal());
    }
  });

  // The columns of `right` turn towards the leading eigenvectors of X'X.
  Matrix<T> left;
  x.times(right, left);
  for (int i = 0; i < power_iterations; ++i) {
    x.transpose_times(left, right);
    right = orthonormal(x, std::move(right));
    x.times(right, left);
  }

  // X V = B with B'B = Z S^2 Z': the triplets are B Z S^(-1), S and V Z.
  const Spectrum spectrum = gram_spectrum(x, left);
  SingularTriplets<T> triplets;
  triplets.weights.assign(static_cast<std::size_t>(count), 0.0);
  Eigen::MatrixXd to_right = spectrum.vectors.leftCols(count);
  Eigen::MatrixXd to_left = to_right;
  for (Index c = 0; c < count; ++c) {
    const double weight = c < spectrum.rank ? std::sqrt(spectrum.values(c)) : 0.0;
    triplets.weights[static_cast<std::size_t>(c)] = weight;
    to_right.col(c) *= weight > 0 ? 1.0 : 0.0;
    to_left.col(c) *= weight > 0 ? 1 / weight : 0.0;
  }
  triplets.u = times_small(left, to_left);
  triplets.v = times_small(right, to_right);
  return triplets;
}

template SingularTriplets<float> leading_singular_triplets(const Data<float>&, Index, std::uint64_t, int);
template SingularTriplets<double> leading_singular_triplets(const Data<double>&, Index, std::uint64_t, int);

}  // namespace copse
