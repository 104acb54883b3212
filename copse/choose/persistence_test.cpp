#include "copse/choose/persistence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/choose/sketch.h"
#include "copse/methods/method.h"

namespace copse {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Matrix<double> random_components(Index k, Index features, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> components(k, features);
  for (double& value : components.values()) value = std::max(0.0, random.normal());
  return components;
}

double cosine(std::span<const double> a, std::span<const double> b) {
  double product = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += a[i] * b[i];
    of_a += a[i] * a[i];
    of_b += b[i] * b[i];
  }
  return of_a > 0 && of_b > 0 ? product / std::sqrt(of_a * of_b) : 0;
}

RunRecord sample(Index k, int number, const Matrix<double>& components) {
  return {.key = {RunKind::resample, k, number}, .values = {0.1}, .components = sketch(components)};
}

TEST(Sketch, KeepsCosines) {
  for (const Index features : {7, 512, 513, 20000}) {
    const Matrix<double> components = random_components(6, features, 3);
    const Matrix<float> small = sketch(components);
    EXPECT_EQ(small.cols(), std::min(Index(512), features));
    for (Index a = 0; a < 6; ++a) {
      for (Index b = 0; b < 6; ++b) {
        double product = 0;
        for (Index i = 0; i < small.cols(); ++i) product += static_cast<double>(small(a, i)) * small(b, i);
        EXPECT_NEAR(product, cosine(components.row(a), components.row(b)), features <= 512 ? 1e-5 : 0.15);
      }
    }
  }
  const Matrix<float> zeros = sketch(Matrix<double>(2, 600));
  EXPECT_TRUE(std::ranges::all_of(zeros.values(), [](float value) { return value == 0; }));
}

// Against the definition, with records that do not count in between.
TEST(Persistence, IsTheMeanCosineWithTheNearestComponentOfEachSample) {
  const Index features = 40;
  const std::vector<Index> ks = {2, 3, 5, 6};
  Matrix<double> own = random_components(4, features, 1);
  std::ranges::fill(own.row(2), 0);  // a dead one
  std::vector<std::vector<double>> expected(4, std::vector<double>(ks.size(), unknown));
  std::vector<RunRecord> records;
  for (std::size_t place = 0; place + 1 < ks.size(); ++place) {
    std::vector<double> sums(4);
    const int runs = 2 + static_cast<int>(place);
    for (int number = 0; number < runs; ++number) {
      const Matrix<double> found = random_components(ks[place], features, 10 * (place + 1) + std::uint64_t(number));
      records.push_back(sample(ks[place], number, found));
      for (Index c = 0; c < 4; ++c) {
        double most = 0;
        for (Index r = 0; r < found.rows(); ++r) most = std::max(most, cosine(own.row(c), found.row(r)));
        sums[c] += most;
      }
    }
    for (Index c = 0; c < 4; ++c) expected[c][place] = sums[c] / runs;
  }
  RunRecord failed = sample(6, 0, own), other = sample(2, 0, own);
  failed.failure = "no memory";
  other.key.kind = RunKind::perturbed;
  records.push_back(failed);
  records.push_back(other);
  records.push_back({.key = {RunKind::resample, 3, 9}, .values = {0.1}});
  const auto found = persistence_of(sketch(own), records, ks);
  ASSERT_EQ(found.size(), 4u);
  for (std::size_t c = 0; c < 4; ++c) {
    ASSERT_EQ(found[c].size(), ks.size());
    for (std::size_t place = 0; place + 1 < ks.size(); ++place)
      EXPECT_NEAR(found[c][place], expected[c][place], 1e-5) << c << ' ' << ks[place];
    EXPECT_TRUE(std::isnan(found[c].back()));
  }
  EXPECT_EQ(found[2][0], 0);
  // Bit for bit in any order, on any number of threads.
  std::ranges::reverse(records);
  for (const int threads : {1, 4}) {
    with_threads(threads, nullptr, [&] {
      const auto again = persistence_of(sketch(own), records, ks);
      for (std::size_t c = 0; c < 4; ++c)
        EXPECT_TRUE(std::equal(found[c].begin(), found[c].end() - 1, again[c].begin()));
    });
  }
}

TEST(Persistence, IsBetweenZeroAndOneInASketch) {
  Random random(4);
  Matrix<double> apart(40, 3000);  // no feature in common
  for (Index c = 0; c < 40; ++c) {
    for (Index i = 0; i < 75; ++i) apart(c, 75 * c + i) = random.uniform();
  }
  Matrix<double> first(1, 3000), last(1, 3000);
  std::ranges::copy(apart.row(0), first.row(0).begin());
  std::ranges::copy(apart.row(39), last.row(0).begin());
  for (const auto& values : persistence_of(sketch(apart), {sample(1, 0, first), sample(2, 0, apart)}, {1, 2})) {
    EXPECT_GE(values[0], 0);
    EXPECT_LE(values[1], 1);
    EXPECT_GT(values[1], 0.999);
  }
}

// A part that is found at every k, and one that needs three components to come out.
TEST(Persistence, TellsAComponentOfAllKFromOneThatAppearsAtSome) {
  Random random(6);
  Matrix<double> values(150, 30);
  for (Index j = 0; j < values.rows(); ++j) {
    // Group 0 stands alone; 1 and 2 are alike and are told apart last.
    for (Index i = 0; i < 30; ++i) {
      const Index group = j % 3, block = i / 10;
      const double weight = group == block ? 1.0 : group > 0 && block > 0 ? 0.3 : 0.0;
      values(j, i) = weight * (0.8 + 0.4 * random.uniform()) * (group == 0 ? 1.5 : 1) + 0.02 * random.uniform();
    }
  }
  const Dataset<double> data{.values = std::move(values)};
  const auto method =
      clusterer_by<double>("nmf", NmfOptions{.start = Start::random, .max_iterations = 500, .tolerance = 1e-5});
  Survey<double> survey(data, *method,
                        {.ks = {2, 3, 4}, .kinds = {RunKind::resample}, .runs = 5, .seed = 1, .hold_out = {}});
  std::vector<RunRecord> records;
  survey.perform(survey.plan(), [&](RunRecord record) { records.push_back(std::move(record)); });
  const Matrix<double> chosen = method->fit(data, 3, 7).components;
  const auto found = persistence_of(sketch(chosen), records, survey.options().ks);
  for (Index c = 0; c < 3; ++c) {
    const auto block = std::ranges::max_element(chosen.row(c)) - chosen.row(c).begin();
    EXPECT_GT(found[c][1], 0.98);
    EXPECT_GT(found[c][2], 0.9);
    if (block < 10) {
      EXPECT_GT(found[c][0], 0.98);
    } else {
      EXPECT_LT(found[c][0], 0.95);
    }
  }
}

std::string said(const std::vector<std::vector<double>>& values, std::vector<std::string> topics = {},
                 Question question = Question::clusters) {
  for (std::size_t c = topics.size(); c < values.size(); ++c) topics.push_back(std::to_string(c + 1));
  return sentence_on({.ks = {2, 3, 5, 8}, .topics = std::move(topics), .values = values}, question);
}

TEST(PersistenceSentence, NamesThoseThatPersistAndWhereTheOthersAre) {
  EXPECT_EQ(said({{1, 1, 1, 1}, {.9, .8, .9, .95}}), "All 2 clusters are found again at every k from 2 to 8.");
  EXPECT_EQ(said({{1, 1, 1, 1}, {0, 1, 1, 1}, {1, .9, 1, 1}, {.79, 1, 1, 1}, {0, 0, 0, 1}, {1, 1, 0, 0}, {0, 1, 1, 0}},
                 {}, Question::components),
            "Found again at every k from 2 to 8: components 1 and 3. Not so: 2 and 4 from k = 3 on; 5 at k = 8 only; 6 "
            "up to k = 3; 7 from k = 3 to 5.");
  EXPECT_EQ(said({{1, 0, 1, 1}, {0, 0, 0, 0}}),
            "No cluster is found again at every k from 2 to 8: 1 at k = 2, 5 and 8; 2 at no k.");
  EXPECT_EQ(said({{1, 1, 1, 1}, {1, 0, 0, 0}}, {"1.1.1.1.2", "2"}),
            "Found again at every k from 2 to 8: cluster 1x4.2. Not so: 2 at k = 2 only.");
  EXPECT_EQ(said({{1, 1, 1, 1}}), "");
  EXPECT_EQ(said({{1, 1, 1, 1}}, {}, Question::components), "The component is found again at every k from 2 to 8.");
  EXPECT_EQ(said({{0, 1, 1, 1}}, {""}, Question::components), "The component is found again from k = 3 on.");
}

TEST(PersistenceSentence, LeavesOutKWithoutRuns) {
  EXPECT_EQ(said({{1, unknown, 1, unknown}, {0, unknown, 1, unknown}}),
            "Found again at every k from 2 to 5: cluster 1. Not so: 2 at k = 5 only.");
  EXPECT_EQ(said({{1, unknown, unknown, unknown}}), "");
  EXPECT_EQ(said({}), "");
}

}  // namespace
}  // namespace copse
