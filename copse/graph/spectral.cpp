#include "copse/graph/spectral.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/graph.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/small_eigen.h"
#include "copse/nmf/residual.h"

namespace copse {
namespace {

constexpr Index spectral_rows_per_block = 512;
constexpr Index dense_nodes = 400;  // up to here all eigenvectors cost less than a few products
constexpr int filter_degree = 10;
constexpr int max_filters = 25;
constexpr int bound_iterations = 10;

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd as_eigen(const Matrix<double>& x) {
  return Eigen::Map<const Rows<double>>(x.data(), x.rows(), x.cols());
}

// F M for a small matrix M.
template <class T>
Matrix<T> times_small(const Matrix<T>& f, const Eigen::MatrixXd& small) {
  const Rows<T> factor = small.cast<T>();
  Matrix<T> out;
  out.reshape(f.rows(), small.cols());
  parallel_blocks(f.rows(), spectral_rows_per_block, [&](Index begin, Index end) {
    const Eigen::Map<const Rows<T>> in(f.data() + begin * f.cols(), end - begin, f.cols());
    Eigen::Map<Rows<T>>(out.data() + begin * out.cols(), end - begin, out.cols()).noalias() = in * factor;
  });
  return out;
}

// A bound of all |eigenvalues|: max_i (A x)_i / x_i for any x > 0 (Collatz & Wielandt), close where x is close to the
// leading eigenvector.
template <class T>
double spectral_bound(const Data<T>& a) {
  Matrix<T> x(a.cols(), 1), y;
  std::fill(x.values().begin(), x.values().end(), T(1));
  double bound = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < bound_iterations; ++iteration) {
    a.transpose_times(x, y);
    double largest = 0, norm = 0;
    for (Index i = 0; i < x.rows(); ++i)
      largest = std::max(largest, static_cast<double>(y(i, 0)) / static_cast<double>(x(i, 0)));
    bound = std::min(bound, largest);
    for (Index i = 0; i < x.rows(); ++i) {
      y(i, 0) += static_cast<T>(bound / 2) * x(i, 0);  // stays positive, and a bipartite graph converges
      norm = std::max(norm, static_cast<double>(y(i, 0)));
    }
    if (!(norm > 0)) return 0;
    for (Index i = 0; i < x.rows(); ++i) x(i, 0) = std::max(static_cast<T>(y(i, 0) / norm), static_cast<T>(1e-6));
  }
  return bound * 1.001;
}

template <class T>
Eigenpairs<T> all_eigenpairs(const Data<T>& a, Index count) {
  const Index n = a.cols();
  Matrix<T> unit(n, n), product;
  for (Index i = 0; i < n; ++i) unit(i, i) = T(1);
  a.transpose_times(unit, product);
  const Eigen::MatrixXd dense = Eigen::Map<const Rows<T>>(product.data(), n, n).template cast<double>();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dense);
  Eigenpairs<T> pairs;
  pairs.vectors.reshape(n, count);
  for (Index c = 0; c < count; ++c) {
    pairs.values.push_back(solver.eigenvalues()(n - 1 - c));
    for (Index i = 0; i < n; ++i) pairs.vectors(i, c) = static_cast<T>(solver.eigenvectors()(i, n - 1 - c));
  }
  return pairs;
}

// x <- p(A) x with the Chebyshev polynomial that is at most 1 on [low, high] and grows beyond.
template <class T>
Matrix<T> filtered(const Data<T>& a, Matrix<T> x, double low, double high) {
  const double half = (high - low) / 2, middle = (high + low) / 2;
  Matrix<T> before = std::move(x), now, next;
  const auto combine = [&](const Matrix<T>& in, double scale, const Matrix<T>* subtract, Matrix<T>& out) {
    // out = scale (out - middle in) - subtract, where out holds A in.
    parallel_blocks(static_cast<Index>(in.values().size()), 16384, [&](Index begin, Index end) {
      for (Index e = begin; e < end; ++e) {
        const T value = static_cast<T>(scale) * (out.data()[e] - static_cast<T>(middle) * in.data()[e]);
        out.data()[e] = subtract != nullptr ? value - subtract->data()[e] : value;
      }
    });
  };
  a.transpose_times(before, now);
  combine(before, 1 / half, nullptr, now);
  for (int degree = 2; degree <= filter_degree; ++degree) {
    a.transpose_times(now, next);
    combine(now, 2 / half, &before, next);
    std::swap(before, now);
    std::swap(now, next);
  }
  return now;
}

}  // namespace

template <class T>
Matrix<T> orthonormal(const Data<T>& a, Matrix<T> f) {
  // F (F'F)^(-1/2), twice: the second round repairs what squaring lost.
  for (int round = 0; round < 2; ++round) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(as_eigen(inner_products(a, f, f)));
    const double floor = solver.eigenvalues().maxCoeff() * 1e-14;
    Eigen::MatrixXd turn = solver.eigenvectors();
    for (Index c = 0; c < turn.cols(); ++c)
      turn.col(c) *= solver.eigenvalues()(c) > floor ? 1 / std::sqrt(solver.eigenvalues()(c)) : 0.0;
    f = times_small(f, turn);
  }
  return f;
}

template <class T>
Matrix<T> times_small(const Matrix<T>& f, const Matrix<double>& small) {
  return times_small(f, as_eigen(small));
}

template <class T>
Eigenpairs<T> leading_eigenpairs(const Data<T>& a, Index count, std::uint64_t seed, double tolerance) {
  const Index n = a.cols();
  if (count < 1 || count > n)
    throw InvalidArgument("the number of eigenvectors must be between 1 and the number of nodes");
  const Index width = count + std::max<Index>(8, count / 4);
  if (n <= dense_nodes || 2 * width > n) return all_eigenpairs(a, count);
  const double bound = spectral_bound(a);
  Matrix<T> x(n, width), product;
  parallel_blocks(n, spectral_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Random random(seed, static_cast<std::uint64_t>(i));
      for (T& value : x.row(i)) value = static_cast<T>(random.normal());
    }
  });
  Eigenpairs<T> pairs;
  double cut = 0;
  for (int round = 0; round <= max_filters; ++round) {
    check_cancelled();
    if (round > 0 && bound > 0) x = filtered(a, std::move(x), -bound, std::min(cut, 0.999 * bound));
    x = orthonormal(a, std::move(x));
    a.transpose_times(x, product);
    Eigen::MatrixXd small = as_eigen(inner_products(a, x, product));
    small = (small + small.transpose()).eval() / 2;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(small);
    const Eigen::MatrixXd turn = solver.eigenvectors().rowwise().reverse();
    const Eigen::VectorXd values = solver.eigenvalues().reverse();
    x = times_small(x, turn);
    product = times_small(product, turn);
    cut = values(width - 1);
    double worst = 0;
    for (Index c = 0; c < count; ++c) {
      worst = std::max(worst, std::sqrt(sum_blocks(n, spectral_rows_per_block, 0.0, [&](Index begin, Index end) {
                         double sum = 0;
                         for (Index i = begin; i < end; ++i) {
                           const double residual =
                               static_cast<double>(product(i, c)) - values(c) * static_cast<double>(x(i, c));
                           sum += residual * residual;
                         }
                         return sum;
                       })));
    }
    if (worst <= tolerance * bound || round == max_filters) {
      pairs.values.assign(values.data(), values.data() + count);
      pairs.converged = worst <= tolerance * bound;
      break;
    }
  }
  pairs.vectors.reshape(n, count);
  for (Index i = 0; i < n; ++i) std::copy_n(x.row(i).data(), count, pairs.vectors.row(i).data());
  return pairs;
}

template <class T>
Eigenpairs<T> leading_eigenpairs_by_component(SparseView<T> a, Index count, std::uint64_t seed, double tolerance) {
  const Components components = connected_components(a);
  if (components.count() == 1) return leading_eigenpairs<T>(SparseData<T>(a), count, seed, tolerance);
  std::vector<std::vector<Index>> members(components.sizes.size());
  for (Index i = 0; i < a.cols; ++i) members[components.labels[i]].push_back(i);
  struct Found {
    double value;
    Index component, column;
  };
  std::vector<Found> found;
  std::vector<Matrix<T>> vectors;
  Eigenpairs<T> result;
  Graph<T> whole;
  whole.weights = {.rows = a.rows,
                   .cols = a.cols,
                   .offsets = {a.offsets.begin(), a.offsets.end()},
                   .indices = {a.indices.begin(), a.indices.end()},
                   .values = {a.values.begin(), a.values.end()}};
  for (Index c = 0; c < components.count(); ++c) {
    const Graph<T> part = induced(whole, members[c]);
    const Index wanted = std::min(count, part.nodes());
    Eigenpairs<T> pairs = leading_eigenpairs<T>(SparseData<T>(part.weights), wanted, seed, tolerance);
    for (Index p = 0; p < wanted; ++p) found.push_back({pairs.values[p], c, p});
    vectors.push_back(std::move(pairs.vectors));
    result.converged = result.converged && pairs.converged;
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& x, const Found& y) {
    const bool x_first = x.column == 0, y_first = y.column == 0;
    return x_first != y_first ? x_first : x.value > y.value;
  });
  found.resize(static_cast<std::size_t>(std::min<Index>(count, std::ssize(found))));
  std::stable_sort(found.begin(), found.end(), [](const Found& x, const Found& y) { return x.value > y.value; });
  result.vectors = Matrix<T>(a.cols, count);
  for (Index p = 0; p < count; ++p) {
    result.values.push_back(found[p].value);
    const auto& nodes = members[found[p].component];
    for (std::size_t v = 0; v < nodes.size(); ++v)
      result.vectors(nodes[v], p) = vectors[found[p].component](static_cast<Index>(v), found[p].column);
  }
  return result;
}

template <class T>
std::vector<Index> cluster_qr(const Matrix<T>& vectors) {
  const Index n = vectors.rows(), k = vectors.cols();
  // Gram-Schmidt on the columns of V', each time the one with most left.
  std::vector<double> left(static_cast<std::size_t>(n), 0.0);
  parallel_blocks(n, spectral_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (const T value : vectors.row(i)) left[i] += static_cast<double>(value) * static_cast<double>(value);
    }
  });
  const double most = n == 0 ? 0 : *std::max_element(left.begin(), left.end());
  Eigen::MatrixXd basis(k, 0), chosen(k, 0);
  while (chosen.cols() < std::min(n, k)) {
    const Index pivot = std::max_element(left.begin(), left.end()) - left.begin();
    if (!(left[pivot] > 1e-10 * most)) break;
    Eigen::VectorXd row(k);
    for (Index c = 0; c < k; ++c) row(c) = static_cast<double>(vectors(pivot, c));
    Eigen::VectorXd rest = row - basis * (basis.transpose() * row);
    rest -= basis * (basis.transpose() * rest).eval();
    if (!(rest.norm() > 0)) break;
    rest.normalize();
    basis.conservativeResize(k, basis.cols() + 1);
    basis.col(basis.cols() - 1) = rest;
    chosen.conservativeResize(k, chosen.cols() + 1);
    chosen.col(chosen.cols() - 1) = row;
    parallel_blocks(n, spectral_rows_per_block, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        double part = 0;
        for (Index c = 0; c < k; ++c) part += static_cast<double>(vectors(i, c)) * rest(c);
        left[i] = std::max(0.0, left[i] - part * part);
      }
    });
    left[pivot] = 0;
  }
  std::vector<Index> labels(static_cast<std::size_t>(n), -1);
  if (chosen.cols() == 0) return labels;
  const Eigen::JacobiSVD<Eigen::MatrixXd> polar(chosen, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Matrix<T> turned = times_small(vectors, polar.matrixU() * polar.matrixV().transpose());
  for (Index i = 0; i < n; ++i) {
    T largest = 0;
    for (Index c = 0; c < turned.cols(); ++c) {
      if (std::abs(turned(i, c)) > largest) {
        largest = std::abs(turned(i, c));
        labels[i] = c;
      }
    }
  }
  return labels;
}

#define COPSE_INSTANTIATE(T)                                                                           \
  template Eigenpairs<T> leading_eigenpairs(const Data<T>&, Index, std::uint64_t, double);             \
  template Eigenpairs<T> leading_eigenpairs_by_component(SparseView<T>, Index, std::uint64_t, double); \
  template std::vector<Index> cluster_qr(const Matrix<T>&);                                            \
  template Matrix<T> orthonormal(const Data<T>&, Matrix<T>);                                           \
  template Matrix<T> times_small(const Matrix<T>&, const Matrix<double>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
