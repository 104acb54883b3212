// Odd matrices, bad options, and ends of a run other than convergence.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/generate/mixture.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/clustering.h"
#include "copse/nmf/nmf.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

namespace naive = testing::naive;
using testing::random_dense;
using testing::random_integer_sparse;

constexpr Solver all_solvers[] = {Solver::hals, Solver::mu, Solver::active_set, Solver::pivoting,
                                  Solver::projected_gradient};
constexpr Start all_starts[] = {Start::automatic, Start::random,   Start::nndsvd,
                                Start::nndsvda,   Start::nndsvdar, Start::sample};

void expect_finite(const NmfResult<double>& result) {
  for (const Matrix<double>* factor : {&result.w, &result.h}) {
    for (const double value : factor->values()) ASSERT_TRUE(std::isfinite(value) && value >= 0);
  }
  EXPECT_TRUE(std::isfinite(result.relative_error) && std::isfinite(result.projected_gradient_ratio));
}

// Runs every solver from every start on x (one row per feature), plain and affine.
template <class Check>
void for_every_road(const Matrix<double>& x, Index k, const Check& check) {
  const Matrix<double> items = naive::transposed(x);
  for (const Solver solver : all_solvers) {
    for (const Start start : all_starts) {
      if (solver == Solver::mu && start == Start::sample) continue;
      for (const bool affine : {false, true}) {
        const auto result =
            factorize(DenseData<double>(items),
                      {.rank = k, .solver = solver, .start = start, .max_iterations = 40, .seed = 7, .affine = affine});
        SCOPED_TRACE(::testing::Message()
                     << "solver " << int(solver) << " start " << int(start) << " affine " << affine);
        expect_finite(result);
        check(result);
      }
    }
  }
}

TEST(OddMatrix, AllZeroConvergesToZero) {
  for_every_road(Matrix<double>(6, 5), 2, [](const auto& result) {
    EXPECT_EQ(result.relative_error, 0);
    EXPECT_EQ(result.stop_reason, StopReason::converged);
    EXPECT_THAT(result.w.values(), ::testing::Each(0.0));
    EXPECT_THAT(result.h.values(), ::testing::Each(0.0));
  });
}

TEST(OddMatrix, RankBelowK) {
  const Matrix<double> w = random_dense<double>(12, 2, 1);
  const Matrix<double> h = random_dense<double>(10, 2, 2);
  const Matrix<double> x = naive::transpose_times(naive::transposed(w), naive::transposed(h));
  for_every_road(x, 5, [](const auto& result) { EXPECT_LT(result.relative_error, 0.2); });
}

TEST(OddMatrix, EmptyRowsAndColumns) {
  Matrix<double> x = random_dense<double>(12, 10, 3);
  for (Index j = 0; j < 10; ++j) x(4, j) = 0;
  for (Index i = 0; i < 12; ++i) x(i, 7) = 0;
  for_every_road(x, 3, [](const auto& result) {
    EXPECT_LT(result.relative_error, 0.6);
    if (!result.baseline.empty()) return;
    for (Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(result.w(4, c), 0, 1e-6);
      EXPECT_NEAR(result.h(7, c), 0, 1e-6);
    }
  });
}

TEST(OddMatrix, OneItemOneFeatureAndFullRank) {
  for_every_road(random_dense<double>(8, 1, 4), 1, [](const auto& result) { EXPECT_LT(result.relative_error, 0.05); });
  for_every_road(random_dense<double>(1, 8, 5), 1, [](const auto& result) { EXPECT_LT(result.relative_error, 0.05); });
  for_every_road(random_dense<double>(6, 6, 6), 6, [](const auto& result) { EXPECT_LT(result.relative_error, 0.3); });
}

TEST(OddMatrix, DuplicateItems) {
  Matrix<double> x = random_dense<double>(9, 12, 7);
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 1; j < 12; ++j) x(i, j) = x(i, 0);
  }
  for_every_road(x, 3, [](const auto& result) { EXPECT_LT(result.relative_error, 0.05); });
}

// A component that the start leaves at zero, in one factor or in both, takes its part of the residual.
TEST(DeadComponent, GetsANewStart) {
  const Matrix<double> x = random_dense<double>(20, 15, 8);
  const Matrix<double> items = naive::transposed(x);
  Matrix<double> w = random_dense<double>(20, 3, 9);
  Matrix<double> h = random_dense<double>(15, 3, 10);
  for (Index i = 0; i < 20; ++i) w(i, 1) = 0;
  for (const bool both : {false, true}) {
    for (Index j = 0; j < 15 && both; ++j) h(j, 1) = 0;
    for (const Solver solver : all_solvers) {
      const auto two = factorize(DenseData<double>(items), {.rank = 2, .solver = solver, .runs = 10});
      const auto result = factorize(DenseData<double>(items), {.rank = 3, .solver = solver}, w, h);
      EXPECT_LT(result.relative_error, two.relative_error) << "solver " << int(solver) << " both " << both;
      expect_finite(result);
    }
  }
}

// The penalties of sparse NMF kill components early (snmf 4.2); the planted clusters are found all the same.
TEST(DeadComponent, OfSparseNmfDoesNotCostACluster) {
  const auto planted = generate_mixture<double>({.k = 7, .features = 200, .items = 210, .seed = 7});
  const auto& items = std::get<Matrix<double>>(planted.data.values);
  const double largest = *std::max_element(items.values().begin(), items.values().end());
  for (const Solver solver : {Solver::hals, Solver::pivoting}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto result = factorize(DenseData<double>(items),
                                    {.rank = 7, .solver = solver, .seed = seed, .alpha = largest, .beta = 0.5});
      std::vector<Index> labels;
      for (Index j = 0; j < result.h.rows(); ++j) {
        labels.push_back(std::max_element(result.h.row(j).begin(), result.h.row(j).end()) - result.h.row(j).begin());
      }
      EXPECT_EQ(compare_clusterings(labels, planted.labels).accuracy, 1) << "seed " << seed;
    }
  }
}

TEST(Options, AreChecked) {
  const Matrix<double> items = random_dense<double>(5, 4, 1);
  const DenseData<double> x(items);
  const auto rejects = [&](const NmfOptions& options, const char* words) {
    try {
      factorize(x, options);
      ADD_FAILURE() << "accepted: " << words;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(words));
    }
  };
  rejects({.rank = 0}, "The rank must be between 1 and 4");
  rejects({.rank = 5}, "not 5");
  rejects({.rank = 2, .solver = Solver::mu, .start = Start::sample}, "keeps the zeros");
  rejects({.rank = 2, .runs = 0}, "number of runs");
  rejects({.rank = 2, .max_iterations = 0}, "limit of iterations");
  rejects({.rank = 2, .tolerance = -1}, "tolerance");
  rejects({.rank = 2, .tolerance = std::nan("")}, "tolerance");
  rejects({.rank = 2, .time_limit = 0}, "time limit");
  rejects({.rank = 2, .alpha = -1}, "alpha");
  rejects({.rank = 2, .beta = std::nan("")}, "beta");
  rejects({.rank = 2, .alpha = 1}, "Set both, or none");
  rejects({.rank = 2, .beta = 1}, "Set both, or none");
  const NmfOptions given{.rank = 2};
  EXPECT_THROW(factorize(x, given, Matrix<double>(3, 2), Matrix<double>(5, 2)), InvalidArgument);
  EXPECT_THROW(factorize(x, given, Matrix<double>(4, 2), Matrix<double>(5, 3)), InvalidArgument);
  Matrix<double> negative(4, 2);
  negative(3, 1) = -1;
  EXPECT_THROW(factorize(x, given, negative, Matrix<double>(5, 2)), InvalidArgument);
  const Matrix<double> w(4, 2), h(5, 2);
  EXPECT_THROW(factorize(x, {.rank = 2, .start = Start::nndsvd}, w, h), InvalidArgument);
  EXPECT_THROW(factorize(x, {.rank = 2, .runs = 2}, w, h), InvalidArgument);
}

TEST(Runs, KeepTheBestAndTheSpread) {
  const auto sparse = random_integer_sparse<double>(60, 50, 0.1, 3);
  const SparseData<double> x(sparse);
  const NmfOptions options{.rank = 6, .runs = 5, .seed = 11};
  const auto result = factorize(x, options);
  ASSERT_EQ(result.run_errors.size(), 5u);
  EXPECT_EQ(result.relative_error, *std::min_element(result.run_errors.begin(), result.run_errors.end()));
  EXPECT_EQ(result.relative_error, result.run_errors[static_cast<std::size_t>(result.best_run)]);
  EXPECT_GT(*std::max_element(result.run_errors.begin(), result.run_errors.end()), result.relative_error);
  const auto single = factorize(x, {.rank = 6, .seed = 11});
  EXPECT_EQ(single.relative_error, result.run_errors[0]);
  // The second run of a seed is not the first of the next.
  EXPECT_NE(factorize(x, {.rank = 6, .seed = 12}).relative_error, result.run_errors[1]);
}

TEST(Progress, IsCalledOncePerIterationAndCanStop) {
  const auto sparse = random_integer_sparse<double>(60, 50, 0.1, 3);
  const SparseData<double> x(sparse);
  std::vector<int> numbers;
  NmfOptions options{.rank = 4, .tolerance = 0};
  options.progress = [&](const Iteration& iteration) {
    numbers.push_back(iteration.number);
    return iteration.number < 4;
  };
  const auto result = factorize(x, options);
  EXPECT_THAT(numbers, ::testing::ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(result.stop_reason, StopReason::interrupted);
  EXPECT_EQ(result.history.size(), 4u);
}

TEST(TimeLimit, StopsAfterACompleteIteration) {
  const auto sparse = random_integer_sparse<double>(200, 300, 0.1, 3);
  const SparseData<double> x(sparse);
  const auto result =
      factorize(x, {.rank = 4, .runs = 3, .max_iterations = 1000000000, .tolerance = 0, .time_limit = 0.05});
  EXPECT_EQ(result.stop_reason, StopReason::time_limit);
  EXPECT_GE(result.history.back().seconds, 0.05);
  EXPECT_LT(result.history.back().seconds, 5);
  EXPECT_EQ(result.run_errors.size(), 1u);
}

// Data that asks for a stop in the middle of an iteration: in its n-th product.
class StoppingData : public SparseData<double> {
 public:
  StoppingData(SparseView<double> x, Cancellation& cancellation, int product)
      : SparseData<double>(x), cancellation_(cancellation), product_(product) {}
  void times(const Matrix<double>& h, Matrix<double>& out) const override {
    count();
    SparseData<double>::times(h, out);
  }
  void transpose_times(const Matrix<double>& w, Matrix<double>& out) const override {
    count();
    SparseData<double>::transpose_times(w, out);
  }

 private:
  void count() const {
    if (--product_ == 0) cancellation_.request();
  }
  Cancellation& cancellation_;
  mutable int product_;
};

TEST(Cancelling, GivesTheLastCompleteIterate) {
  const auto sparse = random_integer_sparse<double>(60, 50, 0.1, 3);
  NmfOptions options{.rank = 4, .tolerance = 0, .extrapolate = false};
  // An iteration takes two products, and the third product begins the second iteration.
  for (const int product : {3, 4, 5, 6, 7}) {
    Cancellation cancellation;
    const StoppingData x(sparse, cancellation, product);
    NmfResult<double> result;
    options.max_iterations = 100;
    with_threads(2, &cancellation, [&] { result = factorize(x, options); });
    EXPECT_EQ(result.stop_reason, StopReason::interrupted);
    options.max_iterations = (product - 1) / 2;
    const auto expected = factorize(SparseData<double>(sparse), options);
    EXPECT_EQ(result.history.size(), expected.history.size());
    EXPECT_EQ(result.w, expected.w);
    EXPECT_EQ(result.h, expected.h);
    EXPECT_EQ(result.relative_error, expected.relative_error);
  }
}

// The breath of this run is over after 80 products.
TEST(Cancelling, InABreathGivesTheIterateBeforeIt) {
  const auto sparse = random_integer_sparse<double>(60, 50, 0.1, 3);
  const NmfOptions options{.rank = 4, .tolerance = 0};
  const auto whole = factorize(SparseData<double>(sparse), options);
  ASSERT_GT(whole.history[24].number, 25);
  for (int product = 3; product < 80; ++product) {
    Cancellation cancellation;
    const StoppingData x(sparse, cancellation, product);
    NmfResult<double> result;
    with_threads(2, &cancellation, [&] { result = factorize(x, options); });
    EXPECT_EQ(result.stop_reason, StopReason::interrupted);
    for (std::size_t i = 0; i < result.history.size(); ++i)
      EXPECT_EQ(result.history[i].number, whole.history[i].number) << product;
    EXPECT_EQ(result.relative_error, whole.history[result.history.size() - 1].relative_error) << product;
  }
}

TEST(Cancelling, BeforeTheFirstIterateThrows) {
  const auto sparse = random_integer_sparse<double>(60, 50, 0.1, 3);
  Cancellation cancellation;
  const StoppingData x(sparse, cancellation, 2);
  with_threads(2, &cancellation, [&] { EXPECT_THROW(factorize(x, {.rank = 4}), Cancelled); });
}

}  // namespace
}  // namespace copse
