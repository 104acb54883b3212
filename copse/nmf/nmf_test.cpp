// The driver by its definitions: the objective falls, its record is the true one, planted factors come back, the KKT
// conditions hold at the end, and neither storage nor threads change the outcome.
#include "copse/nmf/nmf.h"

#include <gmock/gmock.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/kernels/in_memory.h"
#include "copse/nnls/nnls.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;
using testing::random_integer_sparse;
namespace naive = testing::naive;

constexpr Solver nmf_solvers[] = {Solver::hals, Solver::mu, Solver::active_set, Solver::pivoting,
                                  Solver::projected_gradient};

// X = W H' with one row per feature.
Matrix<double> product(const Matrix<double>& w, const Matrix<double>& h) {
  return naive::transpose_times(naive::transposed(w), naive::transposed(h));
}

// Two thirds of the entries of the factors are zero.
Matrix<double> sparse_factor(Index rows, Index k, std::uint64_t seed) {
  Matrix<double> f = random_dense<double>(rows, k, seed);
  for (double& value : f.values()) value = value < 0.66 ? 0 : value;
  return f;
}

// |X - W H - w0 1'| from the definition.
double naive_error(const Matrix<double>& x, const NmfResult<double>& result) {
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      double residual = x(i, j) - (result.baseline.empty() ? 0 : result.baseline[i]);
      for (Index c = 0; c < result.w.cols(); ++c) residual -= result.w(i, c) * result.h(j, c);
      sum += residual * residual;
    }
  }
  return std::sqrt(sum);
}

double norm(const Matrix<double>& x) {
  double sum = 0;
  for (const double value : x.values()) sum += value * value;
  return std::sqrt(sum);
}

NmfResult<double> factorize_dense(const Matrix<double>& x, const NmfOptions& options) {
  const Matrix<double> items = naive::transposed(x);
  return factorize(DenseData<double>(items), options);
}

class EverySolver : public ::testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver, ::testing::ValuesIn(nmf_solvers));

// The multiplicative update does not come near enough in any reasonable time [Kuang 2014, section 2.2.3].
class EverySolverButMu : public ::testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(Solvers, EverySolverButMu,
                         ::testing::Values(Solver::hals, Solver::active_set, Solver::pivoting,
                                           Solver::projected_gradient));

TEST_P(EverySolver, NeverLetsTheErrorRise) {
  const Matrix<double> x = random_dense<double>(40, 30, 1);
  for (const Index k : {1, 2, 5}) {
    const auto result = factorize_dense(x, {.rank = k, .solver = GetParam(), .max_iterations = 60, .seed = 3});
    ASSERT_GT(result.history.size(), 2u);
    EXPECT_LT(result.history.back().relative_error, result.history.front().relative_error);
    for (std::size_t i = 1; i < result.history.size(); ++i)
      EXPECT_LE(result.history[i].relative_error, result.history[i - 1].relative_error + 1e-12) << "iteration " << i;
  }
}

TEST_P(EverySolver, RecordsTheTrueError) {
  const Matrix<double> x = random_dense<double>(23, 31, 2);
  for (const bool affine : {false, true}) {
    const auto result =
        factorize_dense(x, {.rank = 4, .solver = GetParam(), .max_iterations = 7, .tolerance = 0, .affine = affine});
    EXPECT_NEAR(result.relative_error, naive_error(x, result) / norm(x), 1e-10);
    EXPECT_EQ(result.history.size(), 7u);
    EXPECT_EQ(result.stop_reason, StopReason::max_iterations);
    EXPECT_NEAR(result.objective, std::pow(naive_error(x, result), 2), 1e-9 * result.objective);
  }
}

TEST_P(EverySolver, HasUnitColumnsAndNoNegativeEntries) {
  const Matrix<double> x = random_dense<double>(23, 31, 2);
  const auto result = factorize_dense(x, {.rank = 3, .solver = GetParam(), .max_iterations = 5});
  for (Index c = 0; c < 3; ++c) {
    double square = 0;
    for (Index i = 0; i < 23; ++i) square += result.w(i, c) * result.w(i, c);
    EXPECT_NEAR(square, 1, 1e-12);
  }
  EXPECT_THAT(result.w.values(), ::testing::Each(::testing::Ge(0)));
  EXPECT_THAT(result.h.values(), ::testing::Each(::testing::Ge(0)));
}

TEST_P(EverySolverButMu, FindsPlantedFactors) {
  const Matrix<double> w = sparse_factor(60, 4, 5);
  const Matrix<double> h = sparse_factor(50, 4, 6);
  const Matrix<double> x = product(w, h);
  const auto result =
      factorize_dense(x, {.rank = 4, .solver = GetParam(), .runs = 5, .max_iterations = 2000, .tolerance = 1e-8});
  EXPECT_LT(naive_error(x, result) / norm(x), 1e-4);
  // Sparse factors are unique up to order: every planted column has its match.
  for (Index planted = 0; planted < 4; ++planted) {
    double best = 0;
    for (Index c = 0; c < 4; ++c) {
      double cosine = 0;
      double square = 0;
      for (Index i = 0; i < 60; ++i) {
        cosine += w(i, planted) * result.w(i, c);
        square += w(i, planted) * w(i, planted);
      }
      best = std::max(best, cosine / std::sqrt(square));
    }
    EXPECT_GT(best, 0.999);
  }
}

TEST_P(EverySolver, GivesTheSameForSparseAndDense) {
  // Full, since the number of stored entries decides how often hals sweeps.
  const auto sparse = random_integer_sparse<double>(50, 40, 1, 9);
  const NmfOptions options{.rank = 5, .solver = GetParam(), .max_iterations = 10, .seed = 1};
  const auto from_sparse = factorize(SparseData<double>(sparse), options);
  const auto from_dense = factorize_dense(testing::to_dense(sparse), options);
  EXPECT_NEAR(from_sparse.relative_error, from_dense.relative_error, 1e-9);
  for (std::size_t e = 0; e < from_sparse.w.values().size(); ++e)
    ASSERT_NEAR(from_sparse.w.values()[e], from_dense.w.values()[e], 1e-6);
}

TEST_P(EverySolver, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto x = random_integer_sparse<float>(3000, 2500, 0.01, 4);
  const SparseData<float> data(x);
  for (const Start start : {Start::automatic, Start::random, Start::nndsvdar}) {
    const NmfOptions options{
        .rank = 6, .solver = GetParam(), .start = start, .runs = 2, .max_iterations = 5, .affine = true};
    NmfResult<float> one;
    with_threads(1, nullptr, [&] { one = factorize(data, options); });
    for (const int threads : {2, 3, 8}) {
      NmfResult<float> many;
      with_threads(threads, nullptr, [&] { many = factorize(data, options); });
      EXPECT_EQ(one.w, many.w);
      EXPECT_EQ(one.h, many.h);
      EXPECT_EQ(one.baseline, many.baseline);
      EXPECT_EQ(one.relative_error, many.relative_error);
      EXPECT_EQ(one.projected_gradient_ratio, many.projected_gradient_ratio);
    }
  }
}

// Independently of the driver, from its definition in nmf.h: the projected gradient of the returned factors, whose
// columns of W have unit norm. With w_c = d_c u_c, alpha |w_c|^2 has the gradient alpha d_c^2 u_c in u_c.
double projected_gradient(const Matrix<double>& x, const NmfResult<double>& result, const NmfOptions& options = {}) {
  Matrix<double> residual = product(result.w, result.h);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) residual(i, j) += (options.affine ? result.baseline[i] : 0) - x(i, j);
  }
  Matrix<double> w_gradient = naive::times(residual, result.h);
  Matrix<double> h_gradient = naive::transpose_times(residual, result.w);
  if (options.beta > 0) {
    const auto& v = result.penalty;
    for (Index c = 0; c < result.w.cols(); ++c) {
      const double squared_norm = v[c] > 0 ? options.beta / (v[c] * v[c]) : 0;
      for (Index i = 0; i < x.rows(); ++i) w_gradient(i, c) += options.alpha * squared_norm * result.w(i, c);
      for (Index j = 0; j < x.cols(); ++j) {
        for (Index d = 0; d < result.w.cols(); ++d) h_gradient(j, c) += v[c] * v[d] * result.h(j, d);
      }
    }
  }
  const auto square = [](double gradient, double value) { return value > 0 || gradient < 0 ? gradient * gradient : 0; };
  const double whole = norm(x) * norm(x);
  double sum = 0;
  for (std::size_t e = 0; e < result.w.values().size(); ++e)
    sum += square(w_gradient.values()[e], result.w.values()[e]) / (whole * whole);
  for (std::size_t e = 0; e < result.h.values().size(); ++e)
    sum += square(h_gradient.values()[e], result.h.values()[e]) / whole;
  for (Index i = 0; i < x.rows() && options.affine; ++i) {
    double gradient = 0;
    for (Index j = 0; j < x.cols(); ++j) gradient += residual(i, j);
    sum += square(gradient, result.baseline[i]) / (whole * static_cast<double>(x.cols()));
  }
  return std::sqrt(sum / static_cast<double>(result.w.cols()));
}

// Whatever ends the run, and whether or not it ran ahead of its iterates.
TEST_P(EverySolver, ReportsTheProjectedGradientOfWhatItReturns) {
  const auto sparse = random_integer_sparse<double>(40, 50, 0.3, 8);
  const Matrix<double> x = testing::to_dense(sparse);
  const SparseData<double> data(sparse);
  for (const bool affine : {false, true}) {
    for (const double beta : {0.0, 0.5}) {
      NmfOptions options{.rank = 4, .solver = GetParam(), .tolerance = 0, .seed = 2, .alpha = beta > 0 ? 2.0 : 0.0};
      options.beta = beta;
      options.affine = affine;
      const auto expect_true = [&](const NmfResult<double>& result) {
        EXPECT_NEAR(result.projected_gradient_ratio, projected_gradient(x, result, options), 1e-10)
            << "affine " << affine << " beta " << beta << " iterations " << result.history.back().number;
        EXPECT_EQ(result.projected_gradient_ratio, result.history.back().projected_gradient_ratio);
      };
      std::vector<double> ratios;
      for (int iterations = 1; iterations <= 60; iterations += iterations < 30 ? 1 : 10) {
        options.max_iterations = iterations;
        expect_true(factorize(data, options));
        options.max_iterations = 200;
        options.progress = [&](const Iteration& iteration) { return iteration.number < iterations; };
        const auto stopped = factorize(data, options);
        EXPECT_EQ(stopped.stop_reason, StopReason::interrupted);
        expect_true(stopped);
        options.progress = {};
      }
      options.time_limit = 1e-9;
      expect_true(factorize(data, options));
    }
  }
}

// Without running ahead every record is that of its iterate.
TEST_P(EverySolver, RecordsTheProjectedGradientOfEveryIterate) {
  const auto sparse = random_integer_sparse<double>(40, 50, 0.3, 8);
  const SparseData<double> data(sparse);
  NmfOptions options{.rank = 4, .solver = GetParam(), .start = Start::random, .tolerance = 0, .extrapolate = false};
  options.max_iterations = 12;
  const auto whole = factorize(data, options);
  for (int iterations = 1; iterations <= 12; ++iterations) {
    options.max_iterations = iterations;
    const auto part = factorize(data, options);
    EXPECT_EQ(part.projected_gradient_ratio,
              whole.history[static_cast<std::size_t>(iterations - 1)].projected_gradient_ratio);
  }
}

TEST_P(EverySolverButMu, MeetsTheKktConditionsWhenItSaysConverged) {
  const auto sparse = random_integer_sparse<double>(60, 50, 0.2, 3);
  const Matrix<double> x = testing::to_dense(sparse);
  const SparseData<double> data(sparse);
  for (const Start start : {Start::automatic, Start::random, Start::nndsvd, Start::nndsvda}) {
    const auto result = factorize(
        data, {.rank = 4, .solver = GetParam(), .start = start, .max_iterations = 5000, .tolerance = 1e-6, .seed = 2});
    EXPECT_EQ(result.stop_reason, StopReason::converged);
    EXPECT_LE(result.projected_gradient_ratio, 1e-6);
    EXPECT_LE(projected_gradient(x, result), 1.001e-6);
  }
}

TEST_P(EverySolver, EqualsTheSingularVectorsForRankOne) {
  const Matrix<double> x = random_dense<double>(20, 15, 11);
  const auto result = factorize_dense(x, {.rank = 1, .solver = GetParam(), .max_iterations = 500, .tolerance = 1e-10});
  Eigen::MatrixXd dense(20, 15);
  for (Index i = 0; i < 20; ++i) {
    for (Index j = 0; j < 15; ++j) dense(i, j) = x(i, j);
  }
  const Eigen::VectorXd weights = Eigen::JacobiSVD<Eigen::MatrixXd>(dense).singularValues();
  EXPECT_NEAR(naive_error(x, result), std::sqrt(weights.tail(14).squaredNorm()), 1e-8);
}

// Alternating exact solutions by trying every passive set, in the order of the driver.
double naive_alternation(const Matrix<double>& x, Matrix<double> w, int iterations) {
  const auto solve = [](const Matrix<double>& b, const Matrix<double>& y) {
    const Matrix<double> gram = naive::transpose_times(b, b);
    const Matrix<double> rhs = naive::transpose_times(y, b);
    Matrix<double> g(rhs.rows(), 2);
    for (Index r = 0; r < rhs.rows(); ++r) {
      double least = 0;
      const auto consider = [&](double first, double second) {
        if (!(first >= 0 && second >= 0)) return;
        const double value = gram(0, 0) * first * first + 2 * gram(0, 1) * first * second +
                             gram(1, 1) * second * second - 2 * (rhs(r, 0) * first + rhs(r, 1) * second);
        if (value >= least) return;
        least = value;
        g(r, 0) = first;
        g(r, 1) = second;
      };
      const double determinant = gram(0, 0) * gram(1, 1) - gram(0, 1) * gram(0, 1);
      consider((rhs(r, 0) * gram(1, 1) - rhs(r, 1) * gram(0, 1)) / determinant,
               (rhs(r, 1) * gram(0, 0) - rhs(r, 0) * gram(0, 1)) / determinant);
      consider(rhs(r, 0) / gram(0, 0), 0);
      consider(0, rhs(r, 1) / gram(1, 1));
    }
    return g;
  };
  Matrix<double> h;
  for (int i = 0; i < iterations; ++i) {
    h = solve(w, x);
    w = solve(h, naive::transposed(x));
  }
  NmfResult<double> result;
  result.w = w;
  result.h = h;
  return naive_error(x, result) / norm(x);
}

TEST(Factorize, FollowsANaiveAlternationFromTheGivenFactors) {
  const Matrix<double> x = random_dense<double>(9, 12, 13);
  const Matrix<double> items = naive::transposed(x);
  const Matrix<double> w = random_dense<double>(9, 2, 14);
  const Matrix<double> h = random_dense<double>(12, 2, 15);
  for (const Solver solver : {Solver::active_set, Solver::pivoting}) {
    const auto result = factorize(DenseData<double>(items), {.rank = 2, .solver = solver, .max_iterations = 6}, w, h);
    ASSERT_EQ(result.history.size(), 6u);
    for (int i = 1; i <= 6; ++i)
      EXPECT_NEAR(result.history[static_cast<std::size_t>(i - 1)].relative_error, naive_alternation(x, w, i), 1e-10);
  }
}

// |X - W H|^2 + alpha |W|^2 + beta sum_j |h_j|_1^2 never rises with exact solvers, nor when hals runs ahead.
TEST(SparseNmf, NeverLetsThePenalizedObjectiveRise) {
  const Matrix<double> x = random_dense<double>(30, 40, 16);
  for (const Solver solver : nmf_solvers) {
    double before = std::numeric_limits<double>::infinity();
    for (int iterations = 1; iterations < 25; ++iterations) {
      const auto result = factorize_dense(
          x, {.rank = 4, .solver = solver, .max_iterations = iterations, .tolerance = 0, .alpha = 0.7, .beta = 0.2});
      EXPECT_LE(result.objective, before * (1 + 1e-12));
      before = result.objective;
    }
  }
}

TEST(SparseNmf, PutsMoreZerosIntoH) {
  const auto sparse = random_integer_sparse<double>(80, 60, 0.2, 17);
  const SparseData<double> x(sparse);
  const auto zeros = [&](double beta) {
    const auto result =
        factorize(x, {.rank = 6, .solver = Solver::pivoting, .seed = 5, .alpha = beta > 0 ? 81.0 : 0.0, .beta = beta});
    return std::count(result.h.values().begin(), result.h.values().end(), 0.0);
  };
  EXPECT_GT(zeros(5), zeros(0.01));
  EXPECT_GT(zeros(100), zeros(5));
}

// At a stationary point the scale of W and H is settled by the penalties: with c = |w_c|^2 scaled by t and h_c by 1/t,
// the derivative in t vanishes, that is alpha |w_c|^2 = beta sum_j h_jc |h_j|_1 for every c.
TEST(SparseNmf, BalancesThePenaltiesAtTheEnd) {
  const auto sparse = random_integer_sparse<double>(40, 30, 0.4, 18);
  const SparseData<double> x(sparse);
  for (const Solver solver : {Solver::hals, Solver::pivoting}) {
    const NmfOptions options{
        .rank = 3, .solver = solver, .max_iterations = 20000, .tolerance = 1e-7, .alpha = 2, .beta = 0.5};
    const auto result = factorize(x, options);
    ASSERT_EQ(result.stop_reason, StopReason::converged);
    double penalty = result.objective - std::pow(result.relative_error, 2) * x.squared_norm();
    // The penalties are equal in sum, and unit columns hide the scale: with a = |w_c| hidden in h, h_c = h'_c / a_c.
    // Their least value over the scales, sum of alpha a^2 + beta |sum_c h'_c / a_c|^2, is what the objective holds.
    std::vector<double> scale(3, 1.0);
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 2000; ++round) {
      for (Index c = 0; c < 3; ++c) {
        double pull = 0;
        for (Index j = 0; j < 30; ++j) {
          double total = 0;
          for (Index d = 0; d < 3; ++d) total += result.h(j, d) / scale[d];
          pull += result.h(j, c) / scale[c] * total;
        }
        scale[c] *= std::pow(options.beta * pull / (options.alpha * scale[c] * scale[c]), 0.1);
      }
    }
    least = 0;
    for (Index c = 0; c < 3; ++c) least += options.alpha * scale[c] * scale[c];
    for (Index j = 0; j < 30; ++j) {
      double total = 0;
      for (Index d = 0; d < 3; ++d) total += result.h(j, d) / scale[d];
      least += options.beta * total * total;
    }
    EXPECT_NEAR(penalty, least, 1e-4 * least);
  }
}

TEST(SparseNmf, KnowsTheWeightsOfBothSeeds) {
  EXPECT_EQ(thesis_sparse_weights(3).alpha, 9);
  EXPECT_EQ(thesis_sparse_weights(3).beta, 0.01);
  EXPECT_EQ(snmf_sparse_weights(3, false).alpha, 3);
  EXPECT_EQ(snmf_sparse_weights(3, false).beta, 0.5);
  EXPECT_EQ(snmf_sparse_weights(3, true).beta, 0.1);
}

TEST_P(EverySolverButMu, FindsAPlantedBaseline) {
  const Matrix<double> w = sparse_factor(40, 3, 21);
  const Matrix<double> h = sparse_factor(60, 3, 22);
  Matrix<double> x = product(w, h);
  // Unique, as w0 - t w_c is negative somewhere for every t > 0 and H has a zero in every row.
  const Matrix<double> baseline = sparse_factor(40, 1, 23);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 60; ++j) x(i, j) += baseline(i, 0);
  }
  const auto result = factorize_dense(
      x, {.rank = 3, .solver = GetParam(), .runs = 5, .max_iterations = 3000, .tolerance = 1e-9, .affine = true});
  EXPECT_LT(naive_error(x, result) / norm(x), 1e-4);
  for (Index i = 0; i < 40; ++i) EXPECT_NEAR(result.baseline[i], baseline(i, 0), 0.02);
}

TEST_P(EverySolver, LetsTheAffineErrorFallWithPenaltiesToo) {
  const Matrix<double> x = random_dense<double>(20, 25, 24);
  double before = std::numeric_limits<double>::infinity();
  for (int iterations = 1; iterations < 12; ++iterations) {
    const auto result = factorize_dense(x, {.rank = 2,
                                            .solver = GetParam(),
                                            .max_iterations = iterations,
                                            .tolerance = 0,
                                            .alpha = 0.3,
                                            .beta = 0.1,
                                            .affine = true});
    EXPECT_LE(result.objective, before * (1 + 1e-12));
    before = result.objective;
  }
}

// Ranks 2 ... 8, one affine, one that starts from a sample, one in a hurry.
std::vector<NmfOptions> many_options() {
  std::vector<NmfOptions> options;
  for (Index k = 2; k <= 8; ++k)
    options.push_back({.rank = k, .start = Start::random, .seed = static_cast<std::uint64_t>(10 * k)});
  options[1].affine = true;
  options[2].start = Start::sample;
  options[3].max_iterations = 3;
  return options;
}

TEST(FactorizeTogether, HasNoBitFromTheOthersAndTheMinimumOfOneAlone) {
  const auto x = random_integer_sparse<float>(120, 90, 0.3, 5);
  const SparseData<float> data(x);
  const auto options = many_options();
  const auto together = factorize_together<float>(data, options);
  ASSERT_EQ(together.size(), options.size());
  for (std::size_t f = 0; f < options.size(); ++f) {
    const auto alone = factorize_together<float>(data, {&options[f], 1}).front();
    EXPECT_EQ(together[f].w, alone.w);
    EXPECT_EQ(together[f].h, alone.h);
    EXPECT_EQ(together[f].baseline, alone.baseline);
    EXPECT_EQ(together[f].objective, alone.objective);
    EXPECT_EQ(together[f].stop_reason, alone.stop_reason);
    // Sums in another order take other ways, and these may end elsewhere.
    const auto usual = factorize<float>(data, options[f]);
    EXPECT_NEAR(together[f].relative_error, usual.relative_error, 3e-3);
  }
}

TEST(FactorizeTogether, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto x = random_integer_sparse<float>(700, 900, 0.1, 6);
  const auto run = [&](int threads) {
    std::vector<NmfResult<float>> results;
    with_threads(threads, nullptr, [&] { results = factorize_together<float>(SparseData<float>(x), many_options()); });
    return results;
  };
  const auto one = run(1), four = run(4);
  for (std::size_t f = 0; f < one.size(); ++f) {
    EXPECT_EQ(one[f].w, four[f].w);
    EXPECT_EQ(one[f].h, four[f].h);
  }
}

TEST(FactorizeTogether, ServesDataThatHasNoSuchProductsAndFarScales) {
  auto dense = random_dense<float>(30, 40, 3);
  const auto options = many_options();
  for (const float scale : {1.0F, 1e-15F}) {
    for (float& value : dense.values()) value *= scale;
    const DenseData<float> data(dense);
    const auto together = factorize_together<float>(data, options);
    for (std::size_t f = 0; f < options.size(); ++f) EXPECT_EQ(together[f].w, factorize<float>(data, options[f]).w);
  }
  EXPECT_TRUE(factorize_together<float>(DenseData<float>(dense), {}).empty());
  const NmfOptions bad{.rank = 31};
  EXPECT_THROW(factorize_together<float>(DenseData<float>(dense), {&bad, 1}), InvalidArgument);
}

}  // namespace
}  // namespace copse
