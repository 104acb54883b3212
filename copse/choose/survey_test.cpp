#include "copse/choose/survey.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/choose/gap.h"
#include "copse/choose/parts.h"
#include "copse/choose/verdict.h"
#include "copse/generate/gene_expression.h"
#include "copse/methods/method.h"

namespace copse {
namespace {

Dataset<double> clusters(Index k, std::uint64_t seed) {
  return generate_gene_expression<double>({.k = k,
                                           .features = 40,
                                           .nuisance_features = 10,
                                           .items_per_cluster = 15,
                                           .deviation = 0.15,
                                           .seed = seed})
      .data;
}

SurveyOptions all_kinds(int runs) {
  return {.ks = {2, 3, 4},
          .kinds = {RunKind::split, RunKind::null_split, RunKind::resample, RunKind::start, RunKind::hold_out,
                    RunKind::bi_cross, RunKind::gap, RunKind::null_gap, RunKind::perturbed},
          .runs = runs,
          .seed = 3,
          .hold_out = {}};
}

SurveyOptions of_a_sample(Index items) {
  SurveyOptions options = all_kinds(1);
  options.most_items = items;
  return options;
}

std::vector<RunRecord> run(const Dataset<double>& data, const SurveyOptions& options) {
  const auto method = clusterer_by<double>("nmf", NmfOptions{.affine = true});
  Survey<double> survey(data, *method, options);
  std::vector<RunRecord> records;
  survey.perform(survey.plan(), [&](RunRecord record) { records.push_back(std::move(record)); });
  std::ranges::sort(records, {}, &RunRecord::key);
  for (RunRecord& record : records) record.seconds = 0;
  return records;
}

TEST(Survey, HasTheSameBitsForAnyNumberOfThreadsAndAnyOrder) {
  const Dataset<double> data = clusters(3, 1);
  const SurveyOptions options = all_kinds(3);
  std::vector<RunRecord> one, many;
  with_threads(1, nullptr, [&] { one = run(data, options); });
  with_threads(4, nullptr, [&] { many = run(data, options); });
  EXPECT_EQ(one, many);
  const auto method = clusterer_by<double>("nmf", NmfOptions{.affine = true});
  Survey<double> survey(data, *method, options);
  auto keys = survey.plan();
  std::ranges::reverse(keys);
  for (const RunKey& key : keys) {
    RunRecord record = survey.perform(key);
    record.seconds = 0;
    EXPECT_EQ(record, *std::ranges::find(one, key, &RunRecord::key));
  }
}

// Numbers of many decimals, so that sums in another order would have other bits; two items are equal, and two sparse
// ones differ in their values only.
TEST(Survey, HasTheSameBitsForAnyOrderOfTheItems) {
  Dataset<double> dense = clusters(3, 1);
  auto& values = std::get<Matrix<double>>(dense.values);
  std::ranges::copy(values.row(3), values.row(17).begin());
  SparseMatrix<double> sparse{.rows = values.cols(), .cols = values.rows()};
  for (Index j = 0; j < values.rows(); ++j) {
    for (Index i = 0; i < values.cols(); ++i) {
      if ((i + (j < 2 ? 0 : j)) % 3 == 0) continue;
      sparse.indices.push_back(static_cast<RowIndex>(i));
      sparse.values.push_back(values(j, i) / 3);
    }
    sparse.offsets.push_back(static_cast<Index>(sparse.values.size()));
  }
  std::vector<Index> order(static_cast<std::size_t>(dense.items()));
  std::iota(order.begin(), order.end(), Index(0));
  Random random(12);
  for (std::size_t e = order.size(); e > 1; --e)
    std::swap(order[e - 1], order[static_cast<std::size_t>(random.below(static_cast<Index>(e)))]);
  for (const Dataset<double>& data : {dense, Dataset<double>{.values = std::move(sparse)}}) {
    const Dataset<double> turned = part_of<double>(data, order);
    EXPECT_EQ(run(data, all_kinds(2)), run(turned, all_kinds(2)));
    EXPECT_EQ(run(data, of_a_sample(30)), run(turned, of_a_sample(30)));
    const auto method = clusterer_by<double>("nmf", NmfOptions{});
    const Survey<double> one(data, *method, all_kinds(1)), other(turned, *method, all_kinds(1));
    const auto items = [](const Dataset<double>& from, Index j) {
      std::vector<std::pair<Index, double>> list;
      visit_nonzeros(from, j, [&](Index i, double value) { list.emplace_back(i, value); });
      return list;
    };
    for (std::size_t place = 0; place < order.size(); ++place)
      EXPECT_EQ(items(data, one.order()[place]), items(turned, other.order()[place]));
  }
}

TEST(Survey, OfASampleIsTheSurveyOfItsItems) {
  const Dataset<double> data = clusters(3, 4);
  const auto method = clusterer_by<double>("nmf", NmfOptions{.affine = true});
  std::vector<Index> last;
  for (const std::uint64_t seed : {1, 2}) {
    SurveyOptions options = of_a_sample(31);
    options.seed = seed;
    const Survey<double> survey(data, *method, options);
    std::vector<Index> items = survey.order();
    EXPECT_EQ(survey.items(), 31);
    EXPECT_EQ(run(data, options), run(part_of<double>(data, items), options));
    std::ranges::sort(items);
    EXPECT_EQ(std::ranges::adjacent_find(items), items.end());
    EXPECT_NE(items, last);
    last = items;
  }
  for (const Index most : {Index(0), data.items(), data.items() + 1})
    EXPECT_EQ(Survey<double>(data, *method, of_a_sample(most)).items(), data.items());
}

TEST(Survey, HasTheFirstRunsOfALongerOne) {
  const Dataset<double> data = clusters(2, 2);
  const auto few = run(data, all_kinds(2)), more = run(data, all_kinds(4));
  EXPECT_LT(few.size(), more.size());
  for (const RunRecord& record : few) {
    EXPECT_EQ(record, *std::ranges::find(more, record.key, &RunRecord::key));
  }
}

TEST(Survey, SurvivesAMethodThatFails) {
  struct FailingFitter : Fitter<double> {
    FailingFitter(Index own, Index other) : items(own), others(other) {}
    ClusterFit<double> fit(Index k, std::uint64_t) override {
      if (k == 3) throw InvalidArgument("three is too many");
      return {.labels = std::vector<Index>(static_cast<std::size_t>(items), 0),
              .predicted = std::vector<Index>(static_cast<std::size_t>(others), 0)};
    }
    Index items, others;
  };
  struct Failing : Clusterer<double> {
    std::unique_ptr<Fitter<double>> over(const Dataset<double>& items, Index,
                                         const Dataset<double>* others) const override {
      return std::make_unique<FailingFitter>(items.items(), others->items());
    }
  };
  const Failing method;
  const Dataset<double> data = clusters(2, 3);
  Survey<double> survey(data, method, {.ks = {2, 3}, .kinds = {RunKind::split}, .runs = 4, .hold_out = {}});
  std::vector<RunRecord> records;
  survey.perform(survey.plan(), [&](RunRecord record) { records.push_back(std::move(record)); });
  const SurveyTable table = tabulate(survey, records, Average::mean);
  EXPECT_EQ(table.rows[0].runs, 4);
  EXPECT_EQ(table.rows[1].failed, 4);
  EXPECT_FALSE(table.rows[1].strength);
  EXPECT_EQ(table.rows[0].strength->centre, 0);  // the second cluster is empty
}

TEST(Survey, LeavesOutWhatHalvesCannotHave) {
  const Dataset<double> data = clusters(1, 4);  // 15 items
  const auto method = clusterer_by<double>("nmf", NmfOptions{});
  const Survey<double> survey(data, *method, {.ks = {2, 7, 8, 12, 13, 15}, .runs = 1, .hold_out = {}});
  std::vector<Index> splits, resamples, starts;
  for (const RunKey& key : survey.plan()) {
    if (key.kind == RunKind::split) splits.push_back(key.k);
    if (key.kind == RunKind::resample) resamples.push_back(key.k);
    if (key.kind == RunKind::start) starts.push_back(key.k);
  }
  EXPECT_EQ(splits, (std::vector<Index>{2, 7}));
  EXPECT_EQ(resamples, (std::vector<Index>{2, 7, 8, 12}));
  EXPECT_EQ(starts, (std::vector<Index>{2, 7, 8, 12, 13, 15}));
}

TEST(Survey, FindsPlantedClustersByGps) {
  for (const Index k : {2, 3, 4}) {
    SurveyOptions options = all_kinds(12);
    options.ks = {2, 3, 4, 5};
    options.kinds = {RunKind::split, RunKind::null_split};
    const Dataset<double> data = clusters(k, 5);
    const auto method = clusterer_by<double>("nmf", NmfOptions{.affine = true});
    Survey<double> survey(data, *method, options);
    std::vector<RunRecord> records;
    survey.perform(survey.plan(), [&](RunRecord record) { records.push_back(std::move(record)); });
    EXPECT_EQ(choose_by_gps(tabulate(survey, records, Average::mean)), k);
  }
}

TEST(Survey, RefusesOptionsWithoutMeaning) {
  const Dataset<double> data = clusters(2, 6);
  const auto method = clusterer_by<double>("nmf", NmfOptions{});
  const auto make = [&](SurveyOptions options) { Survey<double>(data, *method, std::move(options)); };
  EXPECT_THROW(make({.ks = {}, .hold_out = {}}), InvalidArgument);
  EXPECT_THROW(make({.ks = {3, 2}, .hold_out = {}}), InvalidArgument);
  EXPECT_THROW(make({.ks = {0, 2}, .hold_out = {}}), InvalidArgument);
  EXPECT_THROW(make({.ks = {2}, .runs = 0, .hold_out = {}}), InvalidArgument);
  EXPECT_THROW(make({.ks = {2}, .resample_share = 1.5, .hold_out = {}}), InvalidArgument);
  EXPECT_THROW(make({.ks = {2}, .perturbation = 0, .hold_out = {}}), InvalidArgument);
}

TEST(Spread, IsMeanOrMedianWithItsDeviation) {
  const Spread mean = spread_of({1, 2, 3, 10}, Average::mean), median = spread_of({10, 1, 3, 2}, Average::median);
  EXPECT_DOUBLE_EQ(mean.centre, 4);
  EXPECT_DOUBLE_EQ(median.centre, 2.5);
  EXPECT_DOUBLE_EQ(mean.deviation, std::sqrt((9 + 4 + 1 + 36) / 3.0));
  EXPECT_DOUBLE_EQ(mean.error, mean.deviation / 2);
  EXPECT_EQ(spread_of({std::nan("")}, Average::mean).count, 0);
  EXPECT_DOUBLE_EQ(spread_of({1, 3, 5, 7}, Average::mean, 2).error, std::sqrt(8.0) / std::sqrt(2.0));
}

// The silhouette by its definition, over components that stand in the same order in every run.
TEST(Silhouette, OfMatchedComponentsIsThatOfTheirGroups) {
  Random random(8);
  const Index k = 3, width = 6;
  std::vector<Matrix<float>> runs;
  std::vector<Index> order{0, 1, 2};
  for (int r = 0; r < 6; ++r) {
    Matrix<float> run(k, width);
    std::next_permutation(order.begin(), order.end());
    for (Index c = 0; c < k; ++c) {
      double square = 0;
      for (Index i = 0; i < width; ++i) {
        run(c, i) = static_cast<float>(std::abs((i / 2 == order[c] ? 1.0 : 0.0) + 0.2 * random.normal()));
        square += run(c, i) * run(c, i);
      }
      for (float& value : run.row(c)) value /= static_cast<float>(std::sqrt(square));
    }
    runs.push_back(run);
  }
  // Each component belongs to the group of its largest pair of columns.
  std::vector<std::pair<Index, std::span<const float>>> all;
  for (const auto& run : runs) {
    for (Index c = 0; c < k; ++c) {
      const auto row = run.row(c);
      Index best = 0;
      for (Index g = 1; g < k; ++g) {
        if (row[2 * g] + row[2 * g + 1] > row[2 * best] + row[2 * best + 1]) best = g;
      }
      all.emplace_back(best, row);
    }
  }
  const auto distance = [&](const auto& a, const auto& b) {
    return 1 - std::inner_product(a.second.begin(), a.second.end(), b.second.begin(), 0.0);
  };
  std::vector<double> total(static_cast<std::size_t>(k)), count(static_cast<std::size_t>(k));
  for (const auto& one : all) {
    std::vector<double> sum(static_cast<std::size_t>(k)), members(static_cast<std::size_t>(k));
    for (const auto& other : all) {
      if (&one == &other) continue;
      sum[other.first] += distance(one, other);
      ++members[other.first];
    }
    const double within = sum[one.first] / members[one.first];
    double nearest = INFINITY;
    for (Index g = 0; g < k; ++g) {
      if (g != one.first) nearest = std::min(nearest, sum[g] / members[g]);
    }
    total[one.first] += (nearest - within) / std::max(nearest, within);
    ++count[one.first];
  }
  double least = 1;
  for (Index g = 0; g < k; ++g) least = std::min(least, total[g] / count[g]);
  std::vector<const Matrix<float>*> pointers;
  for (const auto& run : runs) pointers.push_back(&run);
  EXPECT_NEAR(silhouettes_of(pointers).back(), least, 1e-5);
}

// Items that are mixtures of four parts.
Dataset<double> mixtures() {
  Random random(11);
  Matrix<double> values(120, 32);
  for (Index j = 0; j < values.rows(); ++j) {
    for (Index part = 0; part < 4; ++part) {
      const double weight = random.gamma(1);
      for (Index i = 0; i < 8; ++i) values(j, 8 * part + i) = weight * (1 + static_cast<double>(i % 3));
    }
    for (double& value : values.row(j)) value += 0.05 * random.uniform();
  }
  return {.values = std::move(values)};
}

TEST(PerturbedRuns, KeepComponentsAndNoLabels) {
  const Dataset<double> data = mixtures();
  const auto method = clusterer_by<double>("nmf", NmfOptions{.start = Start::random});
  const auto records = [&](double perturbation, int at_most) {
    Survey<double> survey(data, *method,
                          {.ks = {2, 4},
                           .kinds = {RunKind::resample, RunKind::perturbed},
                           .runs = 3,
                           .perturbed_runs = at_most,
                           .perturbation = perturbation,
                           .hold_out = {}});
    std::vector<RunRecord> found;
    survey.perform(survey.plan(), [&](RunRecord record) { found.push_back(std::move(record)); });
    std::erase_if(found, [](const RunRecord& record) { return record.key.kind == RunKind::resample; });
    std::ranges::sort(found, {}, &RunRecord::key);
    return found;
  };
  const auto usual = records(0.015, 2), more = records(0.3, 100);
  ASSERT_EQ(usual.size(), 4u);
  ASSERT_EQ(more.size(), 6u);
  for (const RunRecord& record : usual) {
    EXPECT_TRUE(record.failure.empty()) << record.failure;
    EXPECT_TRUE(record.labels.empty());
    EXPECT_EQ(record.components.rows(), record.key.k);
    EXPECT_EQ(record.components.cols(), data.features());
    ASSERT_EQ(record.values.size(), 1u);
  }
  // Noise is what the fits leave: uniform in [-e, e] of each entry has a variance of e^2 / 3.
  EXPECT_NEAR(more.back().values[0], 0.3 / std::sqrt(3.0), 0.04);
  EXPECT_LT(usual.back().values[0], 0.02);
}

TEST(PerturbedRuns, FindTheNumberOfParts) {
  const Dataset<double> data = mixtures();
  const auto method =
      clusterer_by<double>("nmf", NmfOptions{.start = Start::random, .max_iterations = 1000, .tolerance = 1e-5});
  Survey<double> survey(data, *method,
                        {.ks = {2, 3, 4, 5, 6}, .kinds = {RunKind::perturbed}, .runs = 8, .seed = 2, .hold_out = {}});
  std::vector<RunRecord> records;
  survey.perform(survey.plan(), [&](RunRecord record) { records.push_back(std::move(record)); });
  const SurveyTable table = tabulate(survey, records, Average::median);
  EXPECT_GT(*table.rows[2].perturbed_silhouette, 0.95);
  EXPECT_FALSE(table.rows[2].silhouette);
  EXPECT_EQ(choose_by_silhouette(table, RunKind::perturbed), 4);
  EXPECT_EQ(choose_by_silhouette(table, RunKind::resample), std::nullopt);
  const Verdict verdict = decide(survey, records, table, Average::median, Question::clusters);
  ASSERT_EQ(verdict.choices.size(), 1u);
  EXPECT_EQ(verdict.choices[0].measure, "perturbation");
  EXPECT_EQ(verdict.choices[0].answers, Question::components);
  EXPECT_EQ(verdict.choices[0].k, 4);
}

// k unit vectors, each a little off; the last `doubled` are the same one.
RunRecord run_with(RunKind kind, Index k, Index doubled, int number) {
  Random random(static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(k));
  RunRecord record{.key = {kind, k, number}, .values = {0.1}, .components = Matrix<float>(k, 8)};
  for (Index c = 0; c < k; ++c) {
    double square = 0;
    for (Index i = 0; i < 8; ++i) {
      const double value = (i == std::min(c, k - doubled) ? 1 : 0) + 0.02 * random.uniform();
      record.components(c, i) = static_cast<float>(value);
      square += value * value;
    }
    for (float& value : record.components.row(c)) value /= static_cast<float>(std::sqrt(square));
  }
  if (kind == RunKind::resample) record.labels.assign(24, 0);
  return record;
}

TEST(ChooseBySilhouette, StopsAtComponentsThatAreTheSame) {
  const Dataset<double> data = clusters(2, 3);
  const auto method = clusterer_by<double>("nmf", NmfOptions{});
  const Survey<double> survey(data, *method, {.ks = {2, 3, 4, 5}, .hold_out = {}});
  std::vector<RunRecord> records;
  for (int number = 0; number < 6; ++number) {
    for (const Index k : survey.options().ks) {
      records.push_back(run_with(RunKind::perturbed, k, k < 4 ? 1 : 2, number));
      records.push_back(run_with(RunKind::resample, k, k < 5 ? 1 : 2, number));
    }
  }
  const SurveyTable table = tabulate(survey, records, Average::mean);
  EXPECT_EQ(choose_by_silhouette(table, RunKind::perturbed), 3);
  EXPECT_EQ(choose_by_silhouette(table, RunKind::resample), 4);
  const std::vector<double>& of_four = table.rows[2].perturbed_silhouettes;
  ASSERT_EQ(of_four.size(), 4u);
  EXPECT_GT(of_four[1], 0.95);
  EXPECT_LT(of_four[2], 0.3);  // both copies
  EXPECT_EQ(table.rows[2].perturbed_silhouette, of_four[3]);
  EXPECT_GT(table.rows[2].silhouettes[3], 0.95);
}

TEST(Gap, IsTheVariationWithinClusters) {
  const Dataset<double> data = clusters(2, 9);
  std::vector<Index> items(30), labels;
  std::iota(items.begin(), items.end(), Index(0));
  Random random(1);
  for (int j = 0; j < 30; ++j) labels.push_back(random.below(4) - 1);
  double expected = 0;
  const auto& x = std::get<Matrix<double>>(data.values);
  for (Index c = 0; c < 3; ++c) {
    double sum = 0;
    const auto size = static_cast<double>(std::ranges::count(labels, c));
    for (Index a = 0; a < 30; ++a) {
      for (Index b = 0; b < 30; ++b) {
        if (labels[a] != c || labels[b] != c) continue;
        double square = 0;
        for (Index i = 0; i < x.cols(); ++i) square += (x(a, i) - x(b, i)) * (x(a, i) - x(b, i));
        sum += std::sqrt(square);
      }
    }
    expected += sum / (2 * size);
  }
  EXPECT_NEAR(within_variation(euclidean_distances<double>(data, items), labels), expected, 1e-9);
}

}  // namespace
}  // namespace copse
