#include "copse/prepare/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::random_integer_sparse;
using testing::to_dense;
using testing::to_sparse;
using testing::naive::transposed;

// Both forms of the matrix x (features x items).
std::vector<Dataset<double>> both_forms(const Matrix<double>& x) {
  Dataset<double> sparse, dense;
  sparse.values = to_sparse(x);
  dense.values = transposed(x);
  return {sparse, dense};
}

// Features x items.
Matrix<double> dense(const Dataset<double>& data) {
  if (data.is_sparse()) return to_dense(std::get<SparseMatrix<double>>(data.values));
  return transposed(std::get<Matrix<double>>(data.values));
}

Matrix<double> from_rows(const std::vector<std::vector<double>>& rows) {
  Matrix<double> x(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) x(i, j) = rows[i][j];
  }
  return x;
}

void expect_near(const Matrix<double>& a, const Matrix<double>& b, double tolerance = 1e-12) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) ASSERT_NEAR(a(i, j), b(i, j), tolerance) << i << " " << j;
  }
}

TEST(Prepare, DoesNothingUnlessAsked) {
  const auto x = to_dense(random_integer_sparse<double>(30, 20, 0.05, 1));
  for (auto data : both_forms(x)) {
    const auto report = prepare(data, {});
    EXPECT_EQ(dense(data), x);
    EXPECT_EQ(report.kept_items.size(), 20u);
    EXPECT_EQ(report.kept_features.size(), 30u);
    EXPECT_TRUE(report.feature_factors.empty());
    Index empty_items = 0, empty_features = 0;
    for (Index j = 0; j < 20; ++j) {
      bool empty = true;
      for (Index i = 0; i < 30; ++i) empty &= x(i, j) == 0;
      empty_items += empty;
    }
    for (Index i = 0; i < 30; ++i) {
      bool empty = true;
      for (Index j = 0; j < 20; ++j) empty &= x(i, j) == 0;
      empty_features += empty;
    }
    ASSERT_GT(empty_items, 0);
    EXPECT_EQ(report.empty_items, empty_items);
    EXPECT_EQ(report.empty_features, empty_features);
  }
}

TEST(Prepare, WeighsByTfIdf) {
  const auto x = to_dense(random_integer_sparse<double>(40, 25, 0.3, 2));
  auto expected = x;
  for (Index i = 0; i < 40; ++i) {
    double holders = 0;
    for (Index j = 0; j < 25; ++j) holders += x(i, j) != 0;
    for (Index j = 0; j < 25; ++j) {
      if (x(i, j) != 0) expected(i, j) = x(i, j) * std::log(25 / holders);
    }
  }
  for (auto data : both_forms(x)) {
    const auto report = prepare(data, {.weighting = Weighting::tf_idf});
    expect_near(dense(data), expected);
    ASSERT_EQ(report.feature_factors.size(), 40u);
    for (Index i = 0; i < 40; ++i) {
      for (Index j = 0; j < 25; ++j) ASSERT_NEAR(x(i, j) * report.feature_factors[i], expected(i, j), 1e-12);
    }
  }
}

TEST(Prepare, WeighsByTheVariantsOfTfIdf) {
  const Matrix<double> x = from_rows({{1, 0, 2}, {3, 1, 4}, {0, 0, 5}});
  for (auto data : both_forms(x)) {
    auto logarithms = data;
    prepare(data, {.weighting = Weighting::smooth_tf_idf});
    const double two = std::log(4.0 / 3) + 1, one = std::log(4.0 / 2) + 1;
    expect_near(dense(data), from_rows({{two, 0, 2 * two}, {3, 1, 4}, {0, 0, 5 * one}}));
    prepare(logarithms, {.weighting = Weighting::log_tf_idf});
    expect_near(dense(logarithms), from_rows({{std::log(2) * std::log(1.5), 0, std::log(3) * std::log(1.5)},
                                              {0, 0, 0},
                                              {0, 0, std::log(6) * std::log(3)}}));
  }
}

TEST(Prepare, TakesLogarithms) {
  const auto x = to_dense(random_integer_sparse<double>(9, 70, 0.3, 3));
  auto expected = x;
  for (double& value : expected.values()) value = std::log(1 + value);
  for (auto data : both_forms(x)) {
    prepare(data, {.weighting = Weighting::log});
    expect_near(dense(data), expected);
  }
}

TEST(Prepare, ScalesFeaturesByTheirLargestEntryOrDeviation) {
  auto x = to_dense(random_integer_sparse<double>(12, 50, 0.3, 4));
  for (Index j = 0; j < 50; ++j) {
    x(5, j) = 0;    // empty
    x(6, j) = 0.1;  // constant
  }
  auto by_max = x, by_deviation = x;
  for (Index i = 0; i < 12; ++i) {
    double most = 0, mean = 0, squares = 0;
    for (Index j = 0; j < 50; ++j) {
      most = std::max(most, x(i, j));
      mean += x(i, j) / 50;
    }
    for (Index j = 0; j < 50; ++j) squares += (x(i, j) - mean) * (x(i, j) - mean);
    for (Index j = 0; j < 50; ++j) {
      if (i != 5) by_max(i, j) /= most;
      if (i != 5 && i != 6) by_deviation(i, j) /= std::sqrt(squares / 49);
    }
  }
  for (auto data : both_forms(x)) {
    auto other = data;
    prepare(data, {.feature_scaling = FeatureScaling::max});
    prepare(other, {.feature_scaling = FeatureScaling::deviation});
    expect_near(dense(data), by_max);
    expect_near(dense(other), by_deviation);
  }
}

TEST(Prepare, MakesUnitItemsAndNormalizedCutWeights) {
  auto x = to_dense(random_integer_sparse<double>(15, 30, 0.3, 5));
  for (Index i = 0; i < 15; ++i) x(i, 7) = 0;  // an empty item stays empty
  auto unit = x;
  for (Index j = 0; j < 30; ++j) {
    double squares = 0;
    for (Index i = 0; i < 15; ++i) squares += x(i, j) * x(i, j);
    for (Index i = 0; i < 15 && squares > 0; ++i) unit(i, j) /= std::sqrt(squares);
  }
  // [Kuang 2014, eq. 7] with X'X formed.
  auto cut = unit;
  const auto gram = testing::naive::transpose_times(unit, unit);
  for (Index j = 0; j < 30; ++j) {
    double degree = 0;
    for (Index l = 0; l < 30; ++l) degree += gram(j, l);
    for (Index i = 0; i < 15 && degree > 0; ++i) cut(i, j) /= std::sqrt(degree);
  }
  for (auto data : both_forms(x)) {
    auto other = data;
    prepare(data, {.unit_items = true});
    EXPECT_EQ(prepare(other, {.unit_items = true, .normalized_cut = true}).empty_items, 1);
    expect_near(dense(data), unit);
    expect_near(dense(other), cut);
    EXPECT_EQ(other.items(), 30);
  }
}

double median_above_zero(std::vector<double> values) {
  std::erase(values, 0.0);
  std::sort(values.begin(), values.end());
  return values.empty() ? 1 : (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// Weighting::text by its definition, with X'X formed; the median degree gets the weight 1 / sqrt(2).
Matrix<double> naive_text_weights(const Matrix<double>& counts, bool unit_items) {
  const Index m = counts.rows(), n = counts.cols();
  auto x = counts;
  for (Index i = 0; i < m; ++i) {
    double holders = 0;
    for (Index j = 0; j < n; ++j) holders += counts(i, j) != 0;
    for (Index j = 0; j < n && holders > 0; ++j)
      x(i, j) = std::log(1 + counts(i, j)) * std::pow(std::log(static_cast<double>(n) / holders), 1.5);
  }
  std::vector<double> norms(static_cast<std::size_t>(n), 0), degrees(static_cast<std::size_t>(n), 0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < m; ++i) norms[j] += x(i, j) * x(i, j);
    norms[j] = std::sqrt(norms[j]);
  }
  const double median_norm = median_above_zero(norms);
  for (Index j = 0; j < n && unit_items; ++j) {
    for (Index i = 0; i < m; ++i) x(i, j) /= std::sqrt(norms[j] * norms[j] + 3 * median_norm * median_norm);
  }
  const auto gram = testing::naive::transpose_times(x, x);
  for (Index j = 0; j < n; ++j) {
    for (Index l = 0; l < n; ++l) degrees[j] += gram(j, l);
  }
  const double median_degree = median_above_zero(degrees);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < m; ++i) x(i, j) /= std::sqrt(degrees[j] / median_degree + 1);
  }
  return x;
}

TEST(Prepare, WeighsTextByItsDefinition) {
  for (const Index items : {1, 2, 30, 31}) {  // an even and an odd number of degrees
    auto x = to_dense(random_integer_sparse<double>(15, items, 0.3, 6));
    for (Index i = 0; i < 15; ++i) {
      if (items > 2) x(i, 2) = 0;  // an empty item stays empty and has no part in the median
    }
    for (const bool unit : {false, true}) {
      for (auto data : both_forms(x)) {
        const auto report = prepare(data, {.weighting = Weighting::text, .unit_items = unit});
        expect_near(dense(data), naive_text_weights(x, unit));
        EXPECT_EQ(data.items(), items);
        EXPECT_EQ(report.feature_totals.size(), 15u);
      }
    }
  }
}

double norm_of(const Matrix<double>& x, Index item) {
  double squares = 0;
  for (Index i = 0; i < x.rows(); ++i) squares += x(i, item) * x(i, item);
  return std::sqrt(squares);
}

TEST(Prepare, NoTextItemCountsMuchMoreThanTheOthers) {
  // Forty items share five features, one has a feature to itself, and one is very long and has fifty to itself.
  Matrix<double> x(56, 42);
  for (Index j = 0; j < 40; ++j) {
    x(j % 5, j) = 2;
    x((j + 1) % 5, j) = 1;
  }
  x(5, 40) = 3;
  for (Index i = 6; i < 56; ++i) x(i, 41) = 1e6;
  for (auto data : both_forms(x)) {
    auto cut = data;
    prepare(data, {.weighting = Weighting::text, .unit_items = true});
    prepare(cut, {.weighting = Weighting::text, .unit_items = true, .normalized_cut = true});
    const auto damped = dense(data), plain = dense(cut);
    EXPECT_GT(norm_of(damped, 40), norm_of(damped, 0));
    EXPECT_GT(norm_of(damped, 41), norm_of(damped, 40));
    EXPECT_LT(norm_of(damped, 41), 2 * std::sqrt(2.0) * norm_of(damped, 0) + 1e-9);
    EXPECT_GT(norm_of(plain, 40), 3 * norm_of(plain, 0)) << "not damped if the normalized cut is asked for";
    EXPECT_NEAR(norm_of(plain, 40), norm_of(plain, 41), 1e-12);
  }
}

TEST(Prepare, ShortTextItemsCountInProportionToTheirLength) {
  // Items of one feature each, which as many others have: their norms differ by their counts alone.
  const Index items = 60;
  Matrix<double> x(20, items);
  for (Index j = 0; j < items; ++j) x(j % 20, j) = std::expm1(j < 40 ? 1.0 : 1e-3 * static_cast<double>(j / 20));
  auto data = both_forms(x).front();
  prepare(data, {.weighting = Weighting::text, .unit_items = true});
  EXPECT_LT(norm_of(dense(data), 59), 0.01 * norm_of(dense(data), 19));
}

TEST(Prepare, TextWeightsLeaveNothingWhereAllItemsAreEqual) {
  for (const Index items : {1, 4}) {
    Matrix<double> x(3, items);
    for (Index j = 0; j < items; ++j) x(0, j) = x(2, j) = 7;
    for (auto data : both_forms(x)) {
      auto dropped = data;
      prepare(data, {.weighting = Weighting::text, .unit_items = true});
      EXPECT_EQ(data.nonzeros(), 0);
      EXPECT_EQ(data.items(), items);
      EXPECT_TRUE(prepare(dropped, text_preparation()).kept_items.empty());
    }
  }
}

TEST(Prepare, WeightsDoNotDependOnTheOrderOfTheItems) {
  const Index items = 200;
  auto x = to_dense(random_integer_sparse<double>(40, items, 0.1, 7));
  for (Index j = 0; j < items; ++j) {
    for (Index i = 0; i < 40; ++i) x(i, j) *= j % 10 == 0 ? 1000 : 1;  // heavy tails
  }
  Matrix<double> reordered(40, items);
  const auto place = [&](Index j) { return j * 77 % items; };
  for (Index j = 0; j < items; ++j) {
    for (Index i = 0; i < 40; ++i) reordered(i, place(j)) = x(i, j);
  }
  auto data = both_forms(x).front(), other = both_forms(reordered).front();
  for (auto* each : {&data, &other}) prepare(*each, {.weighting = Weighting::text, .unit_items = true});
  const auto a = dense(data), b = dense(other);
  for (Index j = 0; j < items; ++j) {
    for (Index i = 0; i < 40; ++i) ASSERT_NEAR(a(i, j), b(i, place(j)), 1e-12);
  }
}

TEST(Prepare, TfIdfAndUnitItemsAreThePapers) {
  const auto x = to_dense(random_integer_sparse<double>(20, 50, 0.4, 8));
  for (auto data : both_forms(x)) {
    auto thesis = data;
    auto options = text_preparation();
    options.weighting = Weighting::tf_idf;
    const auto report = prepare(data, options);
    EXPECT_TRUE(report.feature_totals.empty());
    prepare(thesis, {.min_feature_total = 3, .min_item_total = 5, .drop_empty = true, .weighting = Weighting::tf_idf});
    const auto found = dense(data), before = dense(thesis);
    ASSERT_EQ(found.cols(), before.cols());
    for (Index j = 0; j < found.cols(); ++j) {
      double squares = 0;
      for (Index i = 0; i < found.rows(); ++i) squares += before(i, j) * before(i, j);
      for (Index i = 0; i < found.rows(); ++i) ASSERT_NEAR(found(i, j), before(i, j) / std::sqrt(squares), 1e-12);
    }
  }
}

TEST(Prepare, MakesUnitItemsOfAnyScale) {
  const auto x = from_rows({{3e-307, 3e-200, 3, 3e307, 0}, {4e-307, 4e-200, 4, 4e307, 0}});
  for (auto data : both_forms(x)) {
    prepare(data, {.unit_items = true});
    const auto unit = dense(data);
    for (Index j = 0; j < 4; ++j) {
      EXPECT_NEAR(unit(0, j), 0.6, 1e-15) << j;
      EXPECT_NEAR(unit(1, j), 0.8, 1e-15) << j;
    }
    EXPECT_EQ(unit(0, 4), 0);
  }
}

TEST(PrepareNew, RepeatsOnTheSameItemsWhatPrepareDid) {
  const auto x = to_dense(random_integer_sparse<double>(30, 40, 0.3, 4));
  for (const auto weighting : {Weighting::none, Weighting::tf_idf, Weighting::smooth_tf_idf, Weighting::log_tf_idf,
                               Weighting::log, Weighting::text}) {
    for (const auto scaling : {FeatureScaling::none, FeatureScaling::max, FeatureScaling::deviation}) {
      for (const bool both : {false, true}) {
        const PrepareOptions options{
            .weighting = weighting, .feature_scaling = scaling, .unit_items = both, .normalized_cut = both};
        for (auto data : both_forms(x)) {
          auto again = data;
          const auto report = prepare(data, options);
          prepare_new(again, options, report);
          expect_near(dense(again), dense(data));
        }
      }
    }
  }
}

TEST(PrepareNew, GivesTextTheSameWeightsOneByOne) {
  const auto counts = random_integer_sparse<float>(80, 500, 0.05, 10);
  Dataset<float> all{.values = counts};
  PrepareOptions options = text_preparation();
  options.min_feature_total = options.min_item_total = 0;
  options.drop_empty = false;
  const auto report = prepare(all, options);
  const auto& expected = std::get<SparseMatrix<float>>(all.values);
  ASSERT_EQ(expected.cols, 500);
  for (Index j = 0; j < 500; ++j) {
    SparseMatrix<float> one{.rows = 80, .cols = 1, .offsets = {0, counts.offsets[j + 1] - counts.offsets[j]}};
    one.indices.assign(counts.indices.begin() + counts.offsets[j], counts.indices.begin() + counts.offsets[j + 1]);
    one.values.assign(counts.values.begin() + counts.offsets[j], counts.values.begin() + counts.offsets[j + 1]);
    Dataset<float> item{.values = one};
    prepare_new(item, options, report);
    const auto& found = std::get<SparseMatrix<float>>(item.values);
    for (Index p = 0; p < found.nonzeros(); ++p)
      EXPECT_NEAR(found.values[p], expected.values[expected.offsets[j] + p], 1e-6f * found.values[p]);
  }
}

TEST(PrepareNew, RefusesTextWithoutTheTotalsThatWereLearned) {
  auto data = both_forms(from_rows({{1, 0, 2}, {1, 1, 0}, {0, 3, 1}})).front();
  auto learned = prepare(data, {.weighting = Weighting::text});
  learned.feature_totals.clear();
  auto one = both_forms(from_rows({{4}, {0}, {2}})).front();
  EXPECT_THROW(prepare_new(one, {.weighting = Weighting::text}, learned), InvalidArgument);
}

TEST(PrepareNew, UsesWhatWasLearnedAndRefusesOtherFeatures) {
  auto data = both_forms(from_rows({{1, 0, 2}, {1, 1, 0}, {0, 3, 1}})).front();
  const PrepareOptions options{.weighting = Weighting::tf_idf};
  const auto report = prepare(data, options);
  auto one = both_forms(from_rows({{4}, {0}, {2}})).front();
  prepare_new(one, options, report);
  expect_near(dense(one), from_rows({{4 * std::log(1.5)}, {0}, {2 * std::log(1.5)}}));
  auto other = both_forms(from_rows({{4}, {0}})).front();
  EXPECT_THROW(prepare_new(other, options, report), InvalidArgument);
}

TEST(Prepare, DropsUntilEveryTotalIsReached) {
  const auto x = from_rows({{3, 3, 0, 0},  //
                            {2, 0, 1, 0},
                            {0, 0, 4, 1},
                            {0, 2, 0, 0},
                            {0, 0, 0, 0}});
  for (auto data : both_forms(x)) {
    data.feature_names = {"a", "b", "c", "d", "e"};
    data.item_names = {"w", "x", "y", "z"};
    const auto report = prepare(data, {.min_feature_total = 3, .min_item_total = 2});
    // z has 1 < 2; then c keeps 4 from y, y has 5: it stays.
    EXPECT_THAT(report.kept_items, ElementsAre(0, 1, 2));
    EXPECT_THAT(report.kept_features, ElementsAre(0, 1, 2));
    EXPECT_THAT(data.feature_names, ElementsAre("a", "b", "c"));
    EXPECT_THAT(data.item_names, ElementsAre("w", "x", "y"));
    EXPECT_EQ(report.rare_features, 2);
    EXPECT_EQ(report.short_items, 1);
    EXPECT_EQ(dense(data), from_rows({{3, 3, 0}, {2, 0, 1}, {0, 0, 4}}));
  }
  for (auto data : both_forms(x)) {
    const auto report = prepare(data, {.min_feature_total = 5, .min_item_total = 3});
    // b and d are rare; y has 4, z has 1 and goes; then c has 4 and goes, and with it y.
    EXPECT_THAT(report.kept_items, ElementsAre(0, 1));
    EXPECT_THAT(report.kept_features, ElementsAre(0));
  }
}

TEST(Prepare, DropsFeaturesThatOnlyDroppedItemsHeld) {
  // The last item is short; without it the second feature is rare.
  for (auto data : both_forms(from_rows({{2, 2, 0}, {0, 2, 1}}))) {
    const auto report = prepare(data, {.min_feature_total = 3, .min_item_total = 2});
    EXPECT_THAT(report.kept_items, ElementsAre(0, 1));
    EXPECT_THAT(report.kept_features, ElementsAre(0));
  }
}

TEST(Prepare, DroppingTwiceChangesNothingMore) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto x = to_dense(random_integer_sparse<double>(60, 40, 0.03, seed));
    for (auto data : both_forms(x)) {
      const PrepareOptions options{
          .min_feature_total = 6, .min_item_total = 8, .drop_empty = true, .drop_duplicates = true};
      const auto report = prepare(data, options);
      const auto once = dense(data);
      for (std::size_t a = 0; a < report.kept_features.size(); ++a) {
        double total = 0;
        for (std::size_t b = 0; b < report.kept_items.size(); ++b) {
          EXPECT_EQ(once(static_cast<Index>(a), static_cast<Index>(b)),
                    x(report.kept_features[a], report.kept_items[b]));
          total += once(static_cast<Index>(a), static_cast<Index>(b));
        }
        EXPECT_GE(total, 6);
      }
      const auto again = prepare(data, options);
      EXPECT_EQ(dense(data), once);
      EXPECT_EQ(again.kept_items.size(), report.kept_items.size());
      EXPECT_EQ(report.rare_features + report.empty_features + static_cast<Index>(report.kept_features.size()), 60);
      EXPECT_EQ(report.short_items + report.empty_items + report.duplicate_items +
                    static_cast<Index>(report.kept_items.size()),
                40);
    }
  }
}

TEST(Prepare, FindsDuplicatesButNotAmongEmptyItems) {
  const auto x = from_rows({{1, 2, 1, 0, 0, 2, 1},  //
                            {5, 0, 5, 0, 0, 0, 5}});
  for (auto data : both_forms(x)) {
    EXPECT_EQ(prepare(data, {}).duplicate_items, 3);
    EXPECT_EQ(data.items(), 7);
    const auto report = prepare(data, {.drop_duplicates = true});
    EXPECT_EQ(report.duplicate_items, 3);
    EXPECT_EQ(report.empty_items, 2);
    EXPECT_THAT(report.kept_items, ElementsAre(0, 1, 3, 4));
  }
}

TEST(Prepare, DropsWhatTfIdfEmptied) {
  // The second feature is in all items, and all that item 1 has.
  const auto x = from_rows({{2, 0, 1}, {1, 4, 1}, {0, 0, 3}});
  for (auto data : both_forms(x)) {
    auto kept = data;
    const auto report = prepare(data, {.drop_empty = true, .weighting = Weighting::tf_idf, .unit_items = true});
    EXPECT_THAT(report.kept_items, ElementsAre(0, 2));
    EXPECT_THAT(report.kept_features, ElementsAre(0, 2));
    EXPECT_EQ(report.feature_factors.size(), 2u);
    EXPECT_EQ(report.empty_items, 1);
    EXPECT_EQ(report.empty_features, 1);
    EXPECT_EQ(prepare(kept, {.weighting = Weighting::tf_idf, .unit_items = true}).empty_items, 1);
    EXPECT_EQ(kept.items(), 3);
    if (const auto* sparse = std::get_if<SparseMatrix<double>>(&kept.values)) {
      EXPECT_EQ(sparse->nonzeros(), 3) << "zeros are not stored";
    }
  }
}

TEST(Prepare, CanDropEverything) {
  for (auto data : both_forms(from_rows({{1, 0}, {0, 1}}))) {
    const auto report = prepare(data, text_preparation());
    EXPECT_EQ(data.items(), 0);
    EXPECT_EQ(data.features(), 0);
    EXPECT_TRUE(report.kept_items.empty());
  }
}

TEST(Prepare, NamesTheEntryThatCannotBe) {
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (auto data : both_forms(from_rows({{1, 2}, {1, bad}}))) {
      data.feature_names = {"a", "b"};
      try {
        prepare(data, {});
        FAIL() << bad;
      } catch (const InvalidArgument& error) {
        EXPECT_THAT(error.what(), HasSubstr("feature 2 ('b') of item 2 is"));
      }
    }
  }
}

TEST(Prepare, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto x = random_integer_sparse<float>(300, 5000, 0.02, 9);
  const PrepareOptions options{.min_feature_total = 300,
                               .drop_duplicates = true,
                               .weighting = Weighting::tf_idf,
                               .feature_scaling = FeatureScaling::deviation,
                               .unit_items = true,
                               .normalized_cut = true};
  Dataset<float> expected{.values = x};
  with_threads(1, nullptr, [&] { prepare(expected, options); });
  for (const int threads : {2, 3, 8}) {
    Dataset<float> data{.values = x};
    with_threads(threads, nullptr, [&] { prepare(data, options); });
    EXPECT_EQ(data.values, expected.values);
  }
}

// By the definitions: mean and variance (n - 1) over all items, zeros among them.
TEST(Prepare, SelectsTheFeaturesThatVaryMost) {
  const auto x = to_dense(random_integer_sparse<double>(40, 25, 0.3, 5));
  for (const FeatureSelection by : {FeatureSelection::variation, FeatureSelection::dispersion}) {
    std::vector<std::pair<double, Index>> worth;
    for (Index i = 0; i < x.rows(); ++i) {
      double mean = 0, square = 0;
      for (Index j = 0; j < x.cols(); ++j) mean += x(i, j) / 25;
      for (Index j = 0; j < x.cols(); ++j) square += (x(i, j) - mean) * (x(i, j) - mean) / 24;
      worth.emplace_back(mean == 0 ? 1 : -(by == FeatureSelection::variation ? std::sqrt(square) : square) / mean, i);
    }
    std::ranges::sort(worth);
    std::vector<Index> best;
    for (int e = 0; e < 12; ++e) best.push_back(worth[static_cast<std::size_t>(e)].second);
    std::ranges::sort(best);
    for (auto data : both_forms(x)) {
      for (Index i = 0; i < 40; ++i) data.feature_names.push_back("gene " + std::to_string(i));
      const auto report = prepare(data, {.select_features = 12, .select_by = by});
      EXPECT_EQ(report.kept_features, best);
      EXPECT_EQ(report.unselected_features, 28);
      EXPECT_EQ(data.feature_names[3], "gene " + std::to_string(best[3]));
      for (Index j = 0; j < x.cols(); ++j) EXPECT_EQ(dense(data)(7, j), x(best[7], j));
    }
  }
  for (auto data : both_forms(x)) {
    prepare(data, {.select_features = 100});
    EXPECT_EQ(data.features(), 40);
    EXPECT_THROW(prepare(data, {.select_features = -1}), InvalidArgument);
  }
}

// Constant features vary least, empty ones come after them, and of equal ones the first are kept.
TEST(Prepare, SelectsTheFirstOfEqualFeatures) {
  for (auto data : both_forms(from_rows({{0, 0, 0}, {2, 2, 2}, {1, 0, 0}, {0, 3, 0}, {0, 0, 5}}))) {
    EXPECT_THAT(prepare(data, {.select_features = 2}).kept_features, ElementsAre(2, 3));
  }
  for (auto data : both_forms(from_rows({{0, 0, 0}, {2, 2, 2}, {0, 0, 0}, {0, 3, 0}})))
    EXPECT_THAT(prepare(data, {.select_features = 2}).kept_features, ElementsAre(1, 3));
}

// The size counts all entries, those of features that are dropped or not selected among them, and new items are scaled
// the same way.
TEST(Prepare, EqualizesTotalsOverAllFeatures) {
  const auto x = from_rows({{6, 1, 0}, {0, 1, 0}, {2, 2, 0}, {0, 0, 0}});
  for (auto data : both_forms(x)) {
    auto same = data;
    const auto report = prepare(data, {.min_feature_total = 2, .library_size = 100});
    EXPECT_THAT(report.kept_features, ElementsAre(0, 2));
    expect_near(dense(data), from_rows({{75, 25, 0}, {25, 50, 0}}));
    equalize_totals(same, 100);
    expect_near(dense(same), from_rows({{75, 25, 0}, {0, 25, 0}, {25, 50, 0}, {0, 0, 0}}));
  }
  Dataset<double> bad{.values = transposed(x)};
  EXPECT_THROW(prepare(bad, {.library_size = -1}), InvalidArgument);
}

}  // namespace
}  // namespace copse
