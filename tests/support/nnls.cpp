#include "tests/support/nnls.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/gram.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse::testing {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> view(const Matrix<double>& x) { return {x.data(), x.rows(), x.cols()}; }

Matrix<double> shifted(Matrix<double> x, double shift) {
  for (double& value : x.values()) value += shift;
  return x;
}

// Least squares on some columns, by QR.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& b, const std::vector<Index>& columns, const Eigen::VectorXd& y) {
  Eigen::VectorXd g = Eigen::VectorXd::Zero(b.cols());
  if (columns.empty()) return g;
  const Eigen::MatrixXd chosen = b(Eigen::all, columns);
  g(columns) = chosen.colPivHouseholderQr().solve(y);
  return g;
}

}  // namespace

std::vector<NnlsProblem> nnls_problems(Index k, Index n) {
  const Index m = k + 10;
  const auto b = random_dense<double>(m, k, 1);
  const auto signed_b = shifted(b, -0.5);
  const auto y = random_dense<double>(m, n, 2);
  const auto signed_y = shifted(y, -0.5);
  std::vector<NnlsProblem> problems{
      {"random", b, y},
      {"negative right-hand sides", b, signed_y},
      {"signed columns", signed_b, signed_y},
      {"zero right-hand sides", b, Matrix<double>(m, n)},
      {"wider than tall", random_dense<double>((k + 1) / 2, k, 3), random_dense<double>((k + 1) / 2, n, 4)},
      {"wider than tall, signed", shifted(random_dense<double>((k + 1) / 2, k, 5), -0.5),
       shifted(random_dense<double>((k + 1) / 2, n, 6), -0.5)},
      {"all columns zero", Matrix<double>(m, k), y},
  };

  NnlsProblem duplicates{"duplicate columns", b, signed_y};
  for (Index i = 0; i < m; ++i) {
    for (Index c = 1; c < k; c += 2) duplicates.b(i, c) = (c % 4 == 1 ? 1.0 : 3.0) * b(i, c - 1);
  }
  problems.push_back(duplicates);

  NnlsProblem zeros{"zero columns", b, signed_y};
  for (Index i = 0; i < m; ++i) {
    for (Index c = 0; c < k; c += 3) zeros.b(i, c) = 0;
  }
  problems.push_back(zeros);

  NnlsProblem scaled{"columns scaled by 1e-6 to 1e6", b, signed_y};
  for (Index i = 0; i < m; ++i) {
    for (Index c = 0; c < k; ++c) scaled.b(i, c) *= std::pow(10.0, static_cast<double>(c * 5 % 13 - 6));
  }
  problems.push_back(scaled);

  NnlsProblem correlated{"nearly parallel columns", b, y};
  for (Index i = 0; i < m; ++i) {
    for (Index c = 0; c < k; ++c) correlated.b(i, c) = b(i, 0) + 1e-3 * b(i, c);
  }
  problems.push_back(correlated);

  // y = B g with a sparse g: every gradient is zero at the solution, and so is most of g.
  NnlsProblem degenerate{"degenerate", b, Matrix<double>(m, n)};
  Random random(7);
  for (Index j = 0; j < n; ++j) {
    for (Index c = 0; c < k; ++c) {
      const double value = random.uniform() < 0.7 ? 0 : static_cast<double>(1 + random.below(3));
      for (Index i = 0; i < m; ++i) degenerate.y(i, j) += b(i, c) * value;
    }
  }
  problems.push_back(degenerate);
  return problems;
}

template <class T>
Matrix<T> right_hand_sides(const NnlsProblem& problem) {
  const auto products = naive::transpose_times(problem.y, problem.b);
  Matrix<T> rhs(products.rows(), products.cols());
  for (std::size_t e = 0; e < rhs.values().size(); ++e) rhs.values()[e] = static_cast<T>(products.values()[e]);
  return rhs;
}

template <class T>
std::vector<double> squared_residuals(const NnlsProblem& problem, const Matrix<T>& g) {
  std::vector<double> squares;
  for (Index r = 0; r < g.rows(); ++r) {
    double sum = 0;
    for (Index i = 0; i < problem.b.rows(); ++i) {
      double difference = -problem.y(i, r);
      for (Index c = 0; c < g.cols(); ++c) difference += problem.b(i, c) * static_cast<double>(g(r, c));
      sum += difference * difference;
    }
    squares.push_back(sum);
  }
  return squares;
}

std::vector<double> least_squared_residuals_by_enumeration(const NnlsProblem& problem) {
  const Eigen::MatrixXd b = view(problem.b);
  std::vector<double> least;
  for (Index r = 0; r < problem.y.cols(); ++r) {
    const Eigen::VectorXd y = view(problem.y).col(r);
    double best = y.squaredNorm();
    for (Index set = 1; set < Index{1} << b.cols(); ++set) {
      std::vector<Index> columns;
      for (Index c = 0; c < b.cols(); ++c) {
        if (set >> c & 1) columns.push_back(c);
      }
      const Eigen::VectorXd g = least_squares(b, columns, y);
      if (g.minCoeff() >= 0) best = std::min(best, (b * g - y).squaredNorm());
    }
    least.push_back(best);
  }
  return least;
}

std::vector<double> least_squared_residuals_by_lawson_hanson(const NnlsProblem& problem) {
  Eigen::MatrixXd b = view(problem.b);
  for (Index c = 0; c < b.cols(); ++c) {
    if (b.col(c).norm() > 0) b.col(c).normalize();
  }
  std::vector<double> least;
  for (Index r = 0; r < problem.y.cols(); ++r) {
    const Eigen::VectorXd y = view(problem.y).col(r);
    Eigen::VectorXd g = Eigen::VectorXd::Zero(b.cols());
    std::vector<Index> passive;
    for (Index outer = 0; outer < 30 * b.cols(); ++outer) {
      Eigen::VectorXd w = b.transpose() * (y - b * g);
      for (Index c : passive) w(c) = 0;
      Index entering = 0;
      if (w.maxCoeff(&entering) <= 1e-13 * y.norm()) break;
      passive.push_back(entering);
      for (;;) {
        const Eigen::VectorXd s = least_squares(b, passive, y);
        double step = 1;
        for (Index c : passive) {
          if (s(c) <= 0) step = std::min(step, g(c) / (g(c) - s(c)));
        }
        const bool feasible = step >= 1;
        g += step * (s - g);
        std::erase_if(passive, [&](Index c) { return g(c) <= 1e-15 * g.maxCoeff(); });
        for (Index c = 0; c < b.cols(); ++c) {
          if (std::ranges::find(passive, c) == passive.end()) g(c) = 0;
        }
        if (feasible || passive.empty()) break;
      }
    }
    least.push_back((b * g - y).squaredNorm());
  }
  return least;
}

template <class T>
void expect_kkt(const NnlsProblem& problem, const Matrix<T>& g, double tolerance) {
  const auto a = gram(problem.b);
  const auto rhs = naive::transpose_times(problem.y, problem.b);
  double worst = 0;
  for (Index r = 0; r < g.rows(); ++r) {
    const double norm = view(problem.y).col(r).norm();
    for (Index c = 0; c < g.cols(); ++c) {
      ASSERT_GE(g(r, c), T(0));
      double gradient = -rhs(r, c);
      for (Index d = 0; d < g.cols(); ++d) gradient += a(c, d) * static_cast<double>(g(r, d));
      const double violation = g(r, c) > T(0) ? std::abs(gradient) : -gradient;
      const double unit = std::sqrt(a(c, c)) * norm;
      if (unit > 0) worst = std::max(worst, violation / unit);
    }
  }
  EXPECT_LE(worst, tolerance);
}

template <class T>
void expect_exact(const NnlsSolver<T>& solve, const std::vector<NnlsProblem>& problems) {
  const double tolerance = sizeof(T) == sizeof(double) ? 1e-9 : 1e-5;
  for (const NnlsProblem& problem : problems) {
    SCOPED_TRACE(::testing::Message() << problem.name << ", k = " << problem.b.cols() << ", n = " << problem.y.cols());
    const Index k = problem.b.cols();
    const auto a = gram(problem.b);
    const auto rhs = right_hand_sides<T>(problem);
    const auto least =
        k <= 6 ? least_squared_residuals_by_enumeration(problem) : least_squared_residuals_by_lawson_hanson(problem);
    for (const Matrix<T>& start : {Matrix<T>(), random_dense<T>(rhs.rows(), k, 9)}) {
      Matrix<T> g = start;
      with_threads(1, nullptr, [&] { solve(a, rhs, g); });
      ASSERT_EQ(g.rows(), rhs.rows());
      ASSERT_EQ(g.cols(), k);
      expect_kkt(problem, g, tolerance);
      const auto squares = squared_residuals(problem, g);
      for (Index r = 0; r < g.rows(); ++r) {
        const auto e = static_cast<std::size_t>(r);
        EXPECT_NEAR(squares[e], least[e], tolerance * view(problem.y).col(r).squaredNorm()) << "row " << r;
      }
      for (int threads : {2, 3, 8}) {
        Matrix<T> again = start;
        with_threads(threads, nullptr, [&] { solve(a, rhs, again); });
        EXPECT_EQ(again, g) << threads << " threads";
      }
    }
  }
}

#define COPSE_INSTANTIATE(T)                                                            \
  template Matrix<T> right_hand_sides(const NnlsProblem&);                              \
  template std::vector<double> squared_residuals(const NnlsProblem&, const Matrix<T>&); \
  template void expect_kkt(const NnlsProblem&, const Matrix<T>&, double);               \
  template void expect_exact(const NnlsSolver<T>&, const std::vector<NnlsProblem>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse::testing
