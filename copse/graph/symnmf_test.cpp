#include "copse/graph/symnmf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/generate/graph.h"
#include "copse/graph/graph.h"
#include "copse/graph/newton_step.h"
#include "copse/graph/normalize.h"
#include "copse/graph/sym_step.h"
#include "copse/kernels/in_memory.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

constexpr SymSolver all_solvers[] = {SymSolver::coordinate,   SymSolver::hals,   SymSolver::anls,
                                     SymSolver::anls_growing, SymSolver::newton, SymSolver::projected_gradient,
                                     SymSolver::gauss_newton};

// Random weights, denser within k groups.
template <class T>
SparseMatrix<T> grouped(Index n, Index k, std::uint64_t seed) {
  Random random(seed);
  std::vector<Edge> edges;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      const bool same = i % k == j % k;
      if (random.uniform() < (same ? 0.9 : 0.15))
        edges.push_back(
            {static_cast<RowIndex>(i), static_cast<RowIndex>(j), (same ? 1 : 0.3) * (0.5 + random.uniform())});
    }
  }
  return normalized<T>(graph_from_edges<T>(n, edges).weights, 0);
}

double naive_objective(const Matrix<double>& a, const Matrix<double>& b) {
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      double value = a(i, j);
      for (Index c = 0; c < b.cols(); ++c) value -= b(i, c) * b(j, c);
      sum += value * value;
    }
  }
  return sum;
}

SymPoint<double> evaluated(const SparseMatrix<double>& a, Matrix<double> b) {
  const SparseData<double> data(a);
  SymPoint<double> point{.b = std::move(b)};
  SymProblem<double>{data, nullptr, data.squared_norm(), 0}.evaluate(point);
  return point;
}

TEST(SymNmf, ObjectiveAndGradientAgreeWithTheDefinition) {
  const auto a = grouped<double>(15, 3, 1);
  const auto dense = testing::to_dense(a);
  Matrix<double> b = testing::random_dense<double>(15, 3, 2);
  const SymPoint<double> point = evaluated(a, b);
  EXPECT_NEAR(point.objective, naive_objective(dense, b), 1e-10);
  const Matrix<double> gradient = sym_gradient(point);
  const double step = 1e-5;
  for (Index i = 0; i < 15; ++i) {
    for (Index c = 0; c < 3; ++c) {
      Matrix<double> up = b, down = b;
      up(i, c) += step;
      down(i, c) -= step;
      const double slope = (naive_objective(dense, up) - naive_objective(dense, down)) / (2 * step);
      EXPECT_NEAR(gradient(i, c), slope, 1e-6 * (1 + std::abs(slope)));
    }
  }
}

TEST(SymNmf, HessianBlocksAgreeWithDifferencesOfGradients) {
  const Index n = 12, k = 3;
  const auto a = grouped<double>(n, k, 3);
  const Matrix<double> b = testing::random_dense<double>(n, k, 4);
  Matrix<double> difference = testing::to_dense(a);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      difference(i, j) = -difference(i, j);
      for (Index c = 0; c < k; ++c) difference(i, j) += b(i, c) * b(j, c);
    }
  }
  const std::vector<Index> nodes = {0, 2, 3, 7, 11};
  const double step = 1e-6;
  for (Index c = 0; c < k; ++c) {
    const Matrix<double> block = hessian_block(difference, b, c, nodes);
    for (std::size_t q = 0; q < nodes.size(); ++q) {
      Matrix<double> up = b, down = b;
      up(nodes[q], c) += step;
      down(nodes[q], c) -= step;
      const Matrix<double> high = sym_gradient(evaluated(a, up)), low = sym_gradient(evaluated(a, down));
      for (std::size_t p = 0; p < nodes.size(); ++p)
        EXPECT_NEAR(block(static_cast<Index>(p), static_cast<Index>(q)),
                    (high(nodes[p], c) - low(nodes[p], c)) / (2 * step), 1e-6);
    }
  }
}

TEST(LeastQuartic, BeatsEveryPointOfAFineGrid) {
  Random random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    const double scale = std::pow(10, 4 * random.uniform() - 2);
    const double a = scale * scale * random.normal(), b = scale * scale * scale * random.normal();
    const auto value = [&](double x) { return x * (x * x * x / 4 + a * x / 2 + b); };
    const double found = value(least_quartic(a, b));
    for (const double guess : {1e-3, 0.3, 1.0, 2.0, 30.0})
      EXPECT_NEAR(value(least_quartic(a, b, guess * scale)), found, 1e-12 * std::pow(scale, 4)) << a << " " << b;
    for (int g = 0; g <= 1000; ++g)
      EXPECT_LE(found, value(5 * scale * g / 1000) + 1e-12 * std::pow(scale, 4)) << a << " " << b;
  }
  EXPECT_EQ(least_quartic(0, 0), 0);
  EXPECT_EQ(least_quartic(0, 1), 0);
  EXPECT_NEAR(least_quartic(0, -8), 2, 1e-14);
  EXPECT_NEAR(least_quartic(-4, 0), 2, 1e-14);
}

TEST(SymNmf, CoordinateDescentMinimisesEachEntryGivenTheOthers) {
  auto a = grouped<double>(9, 2, 6);
  auto dense = testing::to_dense(a);
  dense(0, 0) = 0.7;  // a diagonal is allowed here
  a = testing::to_sparse(dense);
  Matrix<double> b = testing::random_dense<double>(9, 2, 7);
  for (const Index node : {Index{0}, Index{1}}) {
    // After a sweep of one step the last entry that moved is the minimiser given all others.
    const SymNmfOptions options = {.rank = 2, .max_iterations = 1, .tolerance = 0};
    const Matrix<double> swept = factorize_symmetric<double>(a, options, b).b;
    Matrix<double> partial = b;
    // What the sweep has seen when it came to the first entry of the first node: the start, unchanged.
    if (node == 0) {
      double best = std::numeric_limits<double>::infinity(), place = 0;
      for (int g = 0; g <= 20000; ++g) {
        partial(0, 0) = 2.0 * g / 20000;
        const double value = naive_objective(dense, partial);
        if (value < best) {
          best = value;
          place = partial(0, 0);
        }
      }
      EXPECT_NEAR(swept(0, 0), place, 2e-4);
    } else {
      partial = swept;
      const double found = naive_objective(dense, swept);
      for (int g = 0; g <= 20000; ++g) {
        partial(8, 1) = 2.0 * g / 20000;
        EXPECT_GE(naive_objective(dense, partial), found - 1e-12);
      }
    }
  }
}

// More nodes than the rows that are prepared at once, and edges between all parts of the graph.
TEST(SymNmf, ASweepOfCoordinateDescentChangesOneRowAfterTheOther) {
  const Index n = 5000, k = 4;
  const auto planted = generate_graph<double>({.nodes = n, .k = k, .degree = 9, .seed = 2});
  const auto a = normalized<double>(std::get<SparseMatrix<double>>(planted.data.values), 0.1);
  const SparseData<double> data(a);
  const Matrix<double> start = random_sym_start<double>(data, k, 3);
  Matrix<double> naive = start;
  for (int sweep = 0; sweep < 2; ++sweep) {
    for (Index i = 0; i < n; ++i) {
      Matrix<double> gram(k, k), q(1, k);  // of all rows but this one
      for (Index j = 0; j < n; ++j) {
        for (Index c = 0; c < k && j != i; ++c) {
          for (Index d = 0; d < k; ++d) gram(c, d) += naive(j, c) * naive(j, d);
        }
      }
      for (Index p = a.offsets[i]; p < a.offsets[i + 1]; ++p) {
        for (Index c = 0; c < k; ++c) q(0, c) += a.values[p] * naive(a.indices[p], c);
      }
      for (Index c = 0; c < k; ++c) {
        double quadratic = gram(c, c), linear = -q(0, c);
        for (Index d = 0; d < k; ++d) {
          if (d == c) continue;
          quadratic += naive(i, d) * naive(i, d);
          linear += naive(i, d) * gram(d, c);
        }
        naive(i, c) = least_quartic(quadratic, linear, naive(i, c));
      }
    }
  }
  for (const int threads : {1, 3}) {
    with_threads(threads, nullptr, [&] {
      const SymNmfOptions options = {.rank = k, .max_iterations = 2, .tolerance = 0};
      const Matrix<double> found = factorize_symmetric<double>(a, options, start).b;
      for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < k; ++c) ASSERT_NEAR(found(i, c), naive(i, c), 1e-9) << i << " " << c;
      }
    });
  }
}

TEST(SymNmf, TheObjectiveNeverRisesWhereItMustNot) {
  for (const SymSolver solver : {SymSolver::coordinate, SymSolver::hals, SymSolver::newton,
                                 SymSolver::projected_gradient, SymSolver::gauss_newton}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto a = grouped<double>(40, 4, seed);
      const SparseData<double> data(a);
      const auto result = factorize_symmetric<double>(a, {.rank = 4, .solver = solver, .max_iterations = 60},
                                                      random_sym_start<double>(data, 4, seed));
      double before = 1e300;
      for (const SymIteration& iteration : result.history) {
        EXPECT_LE(iteration.relative_error, before + 1e-12) << static_cast<int>(solver);
        before = iteration.relative_error;
      }
      EXPECT_NEAR(result.objective, naive_objective(testing::to_dense(a), result.b), 1e-9);
    }
  }
}

// From a start close to a minimum every solver ends there.
TEST(SymNmf, EverySolverReachesTheSameStationaryPoint) {
  const Index n = 36, k = 3;
  const auto a = grouped<double>(n, k, 11);
  std::vector<Index> labels;
  for (Index i = 0; i < n; ++i) labels.push_back(i % k);
  const auto start = partition_start<double>(a, labels, k);
  SymNmfOptions options = {.rank = k, .solver = SymSolver::coordinate, .tolerance = 1e-9, .alpha = 1};
  const auto reference = factorize_symmetric<double>(a, options, start);
  EXPECT_EQ(reference.stop_reason, StopReason::converged);
  for (const SymSolver solver : all_solvers) {
    options.solver = solver;
    options.tolerance = 1e-7;
    const auto result = factorize_symmetric<double>(a, options, start);
    EXPECT_EQ(result.stop_reason, StopReason::converged) << static_cast<int>(solver);
    EXPECT_NEAR(result.objective, reference.objective, 1e-8 * reference.objective) << static_cast<int>(solver);
    for (std::size_t e = 0; e < result.b.values().size(); ++e)
      EXPECT_NEAR(result.b.values()[e], reference.b.values()[e], 1e-4) << static_cast<int>(solver);
  }
}

TEST(SymNmf, EverySolverConvergesFromARandomStart) {
  const auto a = grouped<double>(50, 4, 12);
  const SparseData<double> data(a);
  double of_start = 0;
  const auto start = random_sym_start<double>(data, 4, 3, &of_start);
  const double first = sym_gradient_norm<double>(data, start);
  EXPECT_NEAR(of_start, first, 1e-12 * first);
  for (const SymSolver solver : all_solvers) {
    const auto result = factorize_symmetric<double>(a, {.rank = 4, .solver = solver, .tolerance = 1e-5}, start);
    EXPECT_EQ(result.stop_reason, StopReason::converged) << static_cast<int>(solver);
    EXPECT_LE(sym_gradient_norm<double>(data, result.b), 1.0001e-5 * first) << static_cast<int>(solver);
    for (const double value : result.b.values()) EXPECT_GE(value, 0);
  }
}

TEST(SymNmf, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto planted = generate_graph<float>({.nodes = 1300, .k = 5, .degree = 12, .seed = 1});
  const auto a = normalized<float>(std::get<SparseMatrix<float>>(planted.data.values), 0.1);
  for (const SymSolver solver : all_solvers) {
    const bool costly = solver == SymSolver::newton;
    const SymNmfOptions options = {.rank = 5, .solver = solver, .max_iterations = costly ? 1 : 5};
    std::vector<SymNmfResult<float>> results(3);
    for (const int threads : {1, 2, 3}) {
      with_threads(threads, nullptr, [&] {
        const SparseData<float> data(a);
        results[threads - 1] = factorize_symmetric<float>(a, options, random_sym_start<float>(data, 5, 9));
      });
    }
    EXPECT_EQ(results[0].b, results[1].b) << static_cast<int>(solver);
    EXPECT_EQ(results[0].b, results[2].b) << static_cast<int>(solver);
  }
}

TEST(SymNmf, DenseDataGivesWhatSparseDataGives) {
  const auto a = grouped<double>(30, 3, 13);
  const auto dense = testing::to_dense(a);
  const SparseData<double> sparse_data(a);
  const DenseData<double> dense_data(dense);
  const auto start = random_sym_start<double>(sparse_data, 3, 1);
  for (const SymSolver solver : all_solvers) {
    const SymNmfOptions options = {.rank = 3, .solver = solver, .max_iterations = 8, .alpha = 0.5};
    if (solver == SymSolver::coordinate) {
      EXPECT_THROW(factorize_symmetric<double>(dense_data, options, start), InvalidArgument);
      continue;
    }
    const auto expected = factorize_symmetric<double>(a, options, start).b;
    const auto found = factorize_symmetric<double>(dense_data, options, start).b;
    for (std::size_t e = 0; e < found.values().size(); ++e)
      EXPECT_NEAR(found.values()[e], expected.values()[e], 1e-8) << static_cast<int>(solver);
  }
}

TEST(SymNmf, StopsForEveryReason) {
  const auto a = grouped<double>(30, 3, 14);
  const auto start = random_sym_start<double>(SparseData<double>(a), 3, 1);
  SymNmfOptions options = {.rank = 3, .max_iterations = 2, .tolerance = 0};
  EXPECT_EQ(factorize_symmetric<double>(a, options, start).stop_reason, StopReason::max_iterations);
  options.time_limit = 0;
  options.max_iterations = 100;
  EXPECT_EQ(factorize_symmetric<double>(a, options, start).stop_reason, StopReason::time_limit);
  options.time_limit = 1e9;
  options.progress = [](const SymIteration& iteration) { return iteration.number < 3; };
  const auto stopped = factorize_symmetric<double>(a, options, start);
  EXPECT_EQ(stopped.stop_reason, StopReason::interrupted);
  EXPECT_EQ(stopped.history.size(), 3u);
  Cancellation cancellation;
  options.progress = [&](const SymIteration&) {
    cancellation.request();
    return true;
  };
  with_threads(2, &cancellation, [&] {
    const auto cancelled = factorize_symmetric<double>(a, options, start);
    EXPECT_EQ(cancelled.stop_reason, StopReason::interrupted);
    EXPECT_EQ(cancelled.history.size(), 1u);
    EXPECT_THROW(factorize_symmetric<double>(a, options, start), Cancelled);
  });
}

TEST(SymNmf, RefusesBadOptions) {
  const auto a = grouped<double>(10, 2, 15);
  const Matrix<double> start(10, 2);
  EXPECT_THROW(factorize_symmetric<double>(a, {.rank = 0}, start), InvalidArgument);
  EXPECT_THROW(factorize_symmetric<double>(a, {.rank = 11}, start), InvalidArgument);
  EXPECT_THROW(factorize_symmetric<double>(a, {.rank = 3}, start), InvalidArgument);
  EXPECT_THROW(factorize_symmetric<double>(a, {.rank = 2, .max_iterations = 0}, start), InvalidArgument);
  EXPECT_THROW(factorize_symmetric<double>(a, {.rank = 2, .tolerance = std::nan("")}, start), InvalidArgument);
  Matrix<double> negative = start;
  negative(0, 0) = -1;
  EXPECT_THROW(factorize_symmetric<double>(a, {.rank = 2}, negative), InvalidArgument);
  const SparseMatrix<double> wide = testing::random_integer_sparse<double>(10, 11, 0.5, 1);
  EXPECT_THROW(factorize_symmetric<double>(wide, {.rank = 2}, Matrix<double>(11, 2)), InvalidArgument);
  const auto large = graph_from_edges<double>(3000, std::vector<Edge>{{0, 1}});
  EXPECT_THROW(
      factorize_symmetric<double>(large.weights, {.rank = 1, .solver = SymSolver::newton}, Matrix<double>(3000, 1)),
      InvalidArgument);
}

TEST(SymNmf, GraphsWithoutEdgesAndZeroStartsEndAtOnce) {
  const auto empty = graph_from_edges<double>(3, {});
  for (const SymSolver solver : all_solvers) {
    const SymNmfOptions options = {.rank = 2, .solver = solver};
    const auto zero = factorize_symmetric<double>(empty.weights, options, Matrix<double>(3, 2));
    EXPECT_EQ(zero.stop_reason, StopReason::converged);
    EXPECT_EQ(zero.relative_error, 0);
    const auto result = factorize_symmetric<double>(empty.weights, options, testing::random_dense<double>(3, 2, 1));
    EXPECT_LT(result.objective, 1e-2) << static_cast<int>(solver);
  }
}

TEST(PartitionStart, IsTheBestRankOneFitOfEachBlock) {
  const auto a = grouped<double>(24, 3, 16);
  std::vector<Index> labels;
  for (Index i = 0; i < 24; ++i) labels.push_back(i % 3);
  labels[5] = -1;
  const auto b = partition_start<double>(a, labels, 3);
  const auto dense = testing::to_dense(a);
  for (Index i = 0; i < 24; ++i) {
    for (Index c = 0; c < 3; ++c) {
      if (c != labels[i]) {
        EXPECT_EQ(b(i, c), 0);
        continue;
      }
      // A b = lambda b with |b|^2 = lambda, within the block.
      double product = 0, square = 0;
      for (Index j = 0; j < 24; ++j) {
        if (labels[j] != c) continue;
        product += dense(i, j) * b(j, c);
        square += b(j, c) * b(j, c);
      }
      EXPECT_NEAR(product, square * b(i, c), 0.02);
    }
  }
}

}  // namespace
}  // namespace copse
