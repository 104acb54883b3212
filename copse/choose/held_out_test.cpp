#include "copse/choose/held_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/in_memory.h"

namespace copse {
namespace {

// W H with nonnegative factors, and noise.
Dataset<double> planted(Index items, Index features, Index rank, double noise, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> w(features, rank), h(items, rank), x(items, features);
  for (double& value : w.values()) value = std::max(0.0, random.normal());
  for (double& value : h.values()) value = std::max(0.0, random.normal());
  for (Index j = 0; j < items; ++j) {
    for (Index i = 0; i < features; ++i) {
      for (Index c = 0; c < rank; ++c) x(j, i) += w(i, c) * h(j, c);
      x(j, i) = std::max(0.0, x(j, i) + noise * random.normal());
    }
  }
  return {.values = std::move(x)};
}

Dataset<double> as_sparse(const Dataset<double>& data) {
  SparseMatrix<double> x{.rows = data.features(), .cols = data.items()};
  for (Index j = 0; j < data.items(); ++j) {
    visit_nonzeros(data, j, [&](Index i, double value) {
      x.indices.push_back(static_cast<RowIndex>(i));
      x.values.push_back(value);
    });
    x.offsets.push_back(static_cast<Index>(x.values.size()));
  }
  return {.values = std::move(x)};
}

TEST(Mask, HidesAboutItsShareAndNoRowOrColumnWhole) {
  const Mask mask{7, 0.1};
  std::vector<int> rows(200), columns(300);
  int all = 0;
  for (Index i = 0; i < 200; ++i) {
    for (Index j = 0; j < 300; ++j) {
      if (!mask.hides(i, j)) continue;
      ++all, ++rows[i], ++columns[j];
    }
  }
  EXPECT_NEAR(all, 6000, 4 * std::sqrt(5400));
  EXPECT_LT(*std::ranges::max_element(rows), 30 + 6 * std::sqrt(27));
  EXPECT_GT(*std::ranges::min_element(rows), 30 - 6 * std::sqrt(27));
  EXPECT_LT(*std::ranges::max_element(columns), 20 + 6 * std::sqrt(18));
}

TEST(Mask, HidesNoMoreOfLargeDataThanTellsEnough) {
  EXPECT_DOUBLE_EQ(share_to_hide(1e4, 1e4, 0.05), 0.05);               // small and dense
  EXPECT_DOUBLE_EQ(share_to_hide(1e6, 1e4, 0.05), 0.04);               // few nonzeros: four for each
  EXPECT_DOUBLE_EQ(share_to_hide(1e8, 1e8, 0.05) * 1e8, 1e6);          // large and dense: a million entries
  EXPECT_DOUBLE_EQ(share_to_hide(1e10, 1e8, 0.05) * 1e8, 1e5);         // large and sparse: a hundred thousand nonzeros
  EXPECT_DOUBLE_EQ(share_to_hide(2e9, 2.5e6, 0.05), 4 * 2.5e6 / 2e9);  // text of few words
  EXPECT_DOUBLE_EQ(share_to_hide(100, 0, 0.05), 0.01);                 // nothing but zeros: one entry
}

// What is hidden must not matter: other values there give the same fit, and the error that goes with them.
TEST(HeldOut, DoesNotSeeWhatIsHidden) {
  const Dataset<double> data = planted(40, 30, 3, 0.1, 1);
  const Mask mask{3, 0.1};
  Dataset<double> other = data;
  auto& values = std::get<Matrix<double>>(other.values);
  for (Index j = 0; j < 40; ++j) {
    for (Index i = 0; i < 30; ++i) {
      if (mask.hides(i, j)) values(j, i) = 1000;
    }
  }
  for (const bool affine : {false, true}) {
    NmfOptions options{.rank = 3, .seed = 5, .affine = affine};
    EXPECT_EQ(held_out_error(data, mask, options).seen, held_out_error(other, mask, options).seen);
    EXPECT_NE(held_out_error(data, mask, options).hidden, held_out_error(other, mask, options).hidden);
  }
}

TEST(HeldOut, ForetellsHiddenEntriesOfExactLowRank) {
  const Dataset<double> data = planted(60, 50, 3, 0, 2);
  NmfOptions options{.rank = 3, .max_iterations = 5000, .tolerance = 1e-7, .seed = 1};
  for (const double share : {0.05, 0.35}) {  // two of a row, or about twenty
    const HeldOutError error = held_out_error(data, {1, share}, options);
    EXPECT_LT(error.seen, 1e-4) << share;
    EXPECT_LT(error.hidden, 1e-3) << share;
  }
}

TEST(HeldOut, FallsUntilThePlantedRankAndNotAfter) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Dataset<double> data = planted(120, 80, 4, 0.5, seed);
    std::vector<double> errors;
    for (Index k = 1; k <= 7; ++k) {
      double sum = 0;
      for (std::uint64_t mask = 0; mask < 3; ++mask)
        sum += held_out_error(data, {mask, 0.1}, {.rank = k, .seed = seed}).hidden;
      errors.push_back(sum);
    }
    for (Index k = 2; k <= 4; ++k) EXPECT_LT(errors[k - 1], 0.9 * errors[k - 2]) << seed;
    for (Index k = 5; k <= 7; ++k) EXPECT_GT(errors[k - 1], 0.98 * errors[3]) << seed;
  }
}

// Components beyond the planted ones turn to single features that are large in a few items. Where such an entry is
// hidden, the others say next to nothing about it.
TEST(HeldOut, IsNotRuledByComponentsOfOneFeature) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Dataset<double> data = planted(150, 100, 2, 0.1, seed);
    auto& x = std::get<Matrix<double>>(data.values);
    Random random(seed, 7);
    for (Index c = 0; c < 6; ++c) {
      for (int entry = 0; entry < 4; ++entry) x(random.below(150), 3 + c) += 40 * std::exp(random.normal());
    }
    double planted_rank = 0, more = 0;
    for (std::uint64_t mask = 0; mask < 5; ++mask) {
      planted_rank += held_out_error(data, {mask, 0.1}, {.rank = 2, .seed = seed}).hidden;
      more += held_out_error(data, {mask, 0.1}, {.rank = 8, .seed = seed}).hidden;
    }
    EXPECT_LT(planted_rank, 5 * 3) << seed;  // of what is hidden; a tenth of the spikes is, and nobody foretells them
    EXPECT_LT(more, 5 * 3) << seed;
  }
}

TEST(HeldOut, IsTheSameForSparseDataAndAnyNumberOfThreads) {
  const Dataset<double> data = planted(70, 40, 3, 0.2, 4), sparse = as_sparse(data);
  const NmfOptions options{.rank = 3, .max_iterations = 20, .tolerance = 0, .seed = 1};
  const HeldOutError dense = held_out_error(data, {1, 0.1}, options);
  HeldOutError one, many;
  with_threads(1, nullptr, [&] { one = held_out_error(sparse, {1, 0.1}, options); });
  with_threads(4, nullptr, [&] { many = held_out_error(sparse, {1, 0.1}, options); });
  EXPECT_NEAR(one.hidden, dense.hidden, 1e-6);  // the fits that they start from differ by rounding
  EXPECT_EQ(one.hidden, many.hidden);
  EXPECT_EQ(one.seen, many.seen);
}

// Signatures that are alike, in counts that a model explains up to their rounding: a fit that stops early, or drowns in
// the rounding of floats, would look as if more components were needed.
TEST(HeldOut, ComesToRestWhereComponentsAreAlikeAndNoiseIsSmall) {
  Random random(8);
  Matrix<float> x(150, 40);
  Matrix<double> w(40, 3);
  for (Index i = 0; i < 40; ++i) {
    const double common = random.uniform();
    for (Index c = 0; c < 3; ++c) w(i, c) = common + 0.5 * random.uniform();
  }
  for (Index j = 0; j < 150; ++j) {
    const double h[] = {300 * random.uniform(), 300 * random.uniform(), 300 * random.uniform()};
    for (Index i = 0; i < 40; ++i)
      x(j, i) = static_cast<float>(std::round(w(i, 0) * h[0] + w(i, 1) * h[1] + w(i, 2) * h[2]));
  }
  double square = 0;
  for (const float value : x.values()) square += static_cast<double>(value) * value;
  const double rounding = 150 * 40 / 12.0 / square;  // the variance of what is rounded away
  const Dataset<float> data{.values = std::move(x)};
  std::vector<double> errors;
  for (Index k = 2; k <= 6; ++k) {
    double sum = 0;
    for (std::uint64_t mask = 0; mask < 4; ++mask)
      sum += held_out_error(data, {mask, 0.05}, {.rank = k, .max_iterations = 1000, .seed = mask}).hidden / 4;
    errors.push_back(sum);
  }
  EXPECT_LT(errors[1], 1.6 * rounding);
  EXPECT_GT(errors[0], 10 * errors[1]);
  for (std::size_t e = 2; e < errors.size(); ++e) EXPECT_GT(errors[e], 0.97 * errors[1]) << e;
}

// With nothing hidden it is sparse NMF.
TEST(HeldOut, HasThePenaltiesOfSparseNmf) {
  const Dataset<double> data = planted(50, 30, 3, 0.2, 9);
  const auto x = in_memory(data);
  for (const bool affine : {false, true}) {
    double before = 0;
    for (const double beta : {0.01, 0.5, 5.0}) {
      const NmfOptions options{
          .rank = 3, .max_iterations = 20000, .tolerance = 1e-9, .seed = 2, .alpha = 4, .beta = beta, .affine = affine};
      NmfOptions whole = options;
      whole.tolerance = 1e-6;
      const double error = factorize(*x, whole).relative_error;
      const double seen = held_out_error(data, {1, 1e-12}, options).seen;
      EXPECT_NEAR(seen, error * error, 2e-3 * error * error) << affine << ' ' << beta;
      EXPECT_GT(seen, before);
      before = seen;
    }
  }
}

TEST(HeldOut, RefusesBadRanksAndShares) {
  const Dataset<double> data = planted(10, 8, 2, 0, 5);
  EXPECT_THROW(held_out_error(data, {1, 0.1}, {.rank = 9}), InvalidArgument);
  EXPECT_THROW(held_out_error(data, {1, 0.1}, {.rank = 0}), InvalidArgument);
  EXPECT_THROW(held_out_error(data, {1, 0.0}, {.rank = 2}), InvalidArgument);
  EXPECT_THROW(held_out_error(data, {1, 1.0}, {.rank = 2}), InvalidArgument);
}

TEST(BiCrossValidation, ForetellsExactLowRank) {
  const Dataset<double> data = planted(60, 50, 2, 0, 6);
  EXPECT_LT(bi_cross_validation(data, 1, {.rank = 2, .max_iterations = 3000, .tolerance = 1e-8}), 1e-4);
  EXPECT_GT(bi_cross_validation(data, 1, {.rank = 1}), 0.02);
}

TEST(BiCrossValidation, IsTheSameForSparseData) {
  const Dataset<double> data = planted(40, 30, 3, 0.1, 7);
  EXPECT_NEAR(bi_cross_validation(data, 1, {.rank = 3, .solver = Solver::pivoting, .start = Start::random}),
              bi_cross_validation(as_sparse(data), 1, {.rank = 3, .solver = Solver::pivoting, .start = Start::random}),
              0.02);
}

}  // namespace
}  // namespace copse
