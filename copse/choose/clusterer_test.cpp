#include "copse/methods/clusterer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/base/stopwatch.h"
#include "copse/choose/parts.h"
#include "copse/choose/survey.h"
#include "copse/choose/verdict.h"
#include "copse/generate/gene_expression.h"
#include "copse/methods/method.h"
#include "copse/tree/tree.h"

namespace copse {
namespace {

// Blocks of features that are high in one cluster each, with noise; also as a sparse matrix.
Dataset<double> blocks(Index k, Index per_cluster, std::uint64_t seed, bool sparse) {
  const Index features = 8 * k;
  Matrix<double> values(k * per_cluster, features);
  Random random(seed);
  for (Index j = 0; j < values.rows(); ++j) {
    for (Index i = 0; i < features; ++i) {
      const double noise = 0.2 * random.uniform();
      values(j, i) = i / 8 == j % k ? 1 + random.uniform() : (sparse && noise < 0.15 ? 0 : noise);
    }
  }
  if (!sparse) return {.values = std::move(values)};
  SparseMatrix<double> columns{.rows = features, .cols = values.rows()};
  for (Index j = 0; j < values.rows(); ++j) {
    for (Index i = 0; i < features; ++i) {
      if (values(j, i) == 0) continue;
      columns.indices.push_back(static_cast<RowIndex>(i));
      columns.values.push_back(values(j, i));
    }
    columns.offsets.push_back(static_cast<Index>(columns.values.size()));
  }
  return {.values = std::move(columns)};
}

// Without names of features, a tree is split by the error.
std::map<std::string, std::unique_ptr<Clusterer<double>>> all_methods() {
  std::map<std::string, std::unique_ptr<Clusterer<double>>> found;
  for (const Method* method : methods()) {
    if (method->clusterer) found[method->name] = clusterer_by<double>(method->name);
  }
  return found;
}

TEST(Clusterer, FindsAndPredictsPlantedClusters) {
  for (const bool sparse : {false, true}) {
    const Dataset<double> items = blocks(4, 12, 1, sparse), others = blocks(4, 5, 2, sparse);
    for (const auto& [name, method] : all_methods()) {
      const ClusterFit<double> fit = method->fit(items, 4, 7, &others);
      std::map<Index, Index> cluster_of;  // of the planted cluster
      for (Index j = 0; j < items.items(); ++j) {
        const auto known = cluster_of.emplace(j % 4, fit.labels[j]).first;
        EXPECT_EQ(fit.labels[j], known->second) << name << " item " << j;
      }
      EXPECT_EQ(cluster_of.size(), 4u) << name;
      ASSERT_EQ(static_cast<Index>(fit.predicted.size()), others.items()) << name;
      for (Index j = 0; j < others.items(); ++j)
        EXPECT_EQ(fit.predicted[j], cluster_of[j % 4]) << name << " other " << j;
      if (fit.components.rows() > 0) {
        EXPECT_EQ(fit.components.rows(), 4) << name;
        EXPECT_EQ(fit.components.cols(), items.features()) << name;
      }
      EXPECT_GT(fit.relative_error, 0) << name;
      EXPECT_LT(fit.relative_error, 1) << name;
    }
  }
}

// The nearest centre by hand, where centres are the means of the clusters.
TEST(Clusterer, PredictsTheNearestMean) {
  Random random(3);
  const auto draw = [&](Index count) {
    Matrix<double> values(count, 6);
    for (double& value : values.values()) value = random.uniform();
    return Dataset<double>{.values = std::move(values)};
  };
  const Dataset<double> items = draw(60), others = draw(40);
  const ClusterFit<double> fit = clusterer_by<double>("kmeans")->fit(items, 5, 1, &others);
  EXPECT_EQ(fit.components.rows(), 0);  // lengths count: centres are no directions
  const auto& x = std::get<Matrix<double>>(items.values);
  const auto& y = std::get<Matrix<double>>(others.values);
  Matrix<double> mean(5, 6);
  std::vector<double> size(5);
  for (Index j = 0; j < 60; ++j) {
    ++size[fit.labels[j]];
    for (Index i = 0; i < 6; ++i) mean(fit.labels[j], i) += x(j, i);
  }
  for (Index j = 0; j < 40; ++j) {
    Index nearest = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < 5; ++c) {
      double square = 0;
      for (Index i = 0; i < 6; ++i) square += std::pow(y(j, i) - mean(c, i) / size[c], 2);
      if (square < least) least = square, nearest = c;
    }
    EXPECT_EQ(fit.predicted[j], nearest);
  }
}

// A tree's own items are placed as new ones are.
TEST(Clusterer, PlacesTheItemsOfATreeAsOthers) {
  const Dataset<double> items =
      generate_gene_expression<double>({.k = 4, .features = 40, .nuisance_features = 10, .items_per_cluster = 15}).data;
  const ClusterFit<double> fit = clusterer_by<double>("tree")->fit(items, 6, 1, &items);
  EXPECT_EQ(fit.predicted, fit.labels);
  EXPECT_EQ(std::set<Index>(fit.labels.begin(), fit.labels.end()).size(), 6u);
}

// Fits for several k share copies, graphs and trees; no bit depends on which came before.
TEST(Clusterer, FitsOneAfterTheOtherAsAlone) {
  for (const bool sparse : {false, true}) {
    const Dataset<double> items = blocks(4, 15, 3, sparse), others = blocks(4, 6, 4, sparse);
    auto methods = all_methods();
    methods["random tree"] =
        clusterer_by<double>("tree", TreeOptions{.score = Score::error, .start = Rank2Start::random});
    for (const auto& [name, method] : methods) {
      const auto fitter = method->over(items, 6, &others);
      for (const Index k : {4, 2, 6, 3, 4}) {
        const ClusterFit<double> alone = method->fit(items, k, 7, &others), fit = fitter->fit(k, 7);
        const FitRequest requests[] = {{2, 5}, {k, 7}, {3, 1}};
        const ClusterFit<double> among_others = std::move(fitter->fits(requests)[1]);
        EXPECT_EQ(among_others.labels, fit.labels) << name;
        EXPECT_EQ(among_others.predicted, fit.predicted) << name;
        EXPECT_EQ(among_others.relative_error, fit.relative_error) << name;
        EXPECT_EQ(among_others.components, fit.components) << name;
        EXPECT_EQ(fit.labels, alone.labels) << name << ", " << k;
        EXPECT_EQ(fit.predicted, alone.predicted) << name << ", " << k;
        EXPECT_EQ(fit.relative_error, alone.relative_error) << name << ", " << k;
        EXPECT_EQ(fit.components, alone.components) << name << ", " << k;
      }
    }
  }
}

// Who only gives labels of its own items cannot be surveyed.
TEST(Clusterer, IsOfMethodsThatTellOtherItems) {
  std::set<std::string> names;
  for (const auto& [name, method] : all_methods()) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"nmf", "tree", "symnmf", "kmeans", "spherical-kmeans", "bisecting"}));
  for (const char* name : {"spectral", "lda", "xray", "affinity-propagation", "gnmf"})
    EXPECT_THROW(clusterer_by<double>(name), InvalidArgument) << name;
}

// A fit that was stopped half way is none: kept as a run, it would be taken up when the survey goes on. Whatever comes
// back is whole, at whichever of many moments somebody asks to stop.
TEST(Clusterer, GivesNoHalfFit) {
  const Dataset<double> items =
      generate_gene_expression<double>({.k = 6, .features = 150, .nuisance_features = 50, .items_per_cluster = 40})
          .data;
  int stopped = 0;
  for (const auto& [name, method] : all_methods()) {
    const Stopwatch clock;
    const ClusterFit<double> whole = method->fit(items, 5, 2);
    const double seconds = clock.seconds();
    constexpr int moments = 40;
    for (int moment = 0; moment < moments; ++moment) {
      Cancellation cancellation;
      std::thread asking([&] {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds * moment / moments));
        cancellation.request();
      });
      with_threads(2, &cancellation, [&] {
        try {
          const ClusterFit<double> fit = method->fit(items, 5, 2);
          EXPECT_EQ(fit.labels, whole.labels) << name;
          EXPECT_EQ(fit.relative_error, whole.relative_error) << name;
        } catch (const Cancelled&) {
          ++stopped;
        }
      });
      asking.join();
    }
  }
  EXPECT_GT(stopped, 0);
}

TEST(Survey, OfOtherMethodsFindsPlantedClusters) {
  const Dataset<double> data = blocks(3, 20, 5, false);
  const std::vector<RunKind> kinds = {RunKind::split, RunKind::null_split, RunKind::shuffled_split, RunKind::resample,
                                      RunKind::start};
  for (const auto& [name, method] : all_methods()) {
    if (name == "nmf") continue;
    const auto run = [&](const Dataset<double>& from) {
      Survey<double> survey(from, *method, {.ks = {2, 3, 4}, .kinds = kinds, .runs = 10, .seed = 2, .hold_out = {}});
      std::vector<RunRecord> records;
      survey.perform(survey.plan(), [&](RunRecord record) {
        record.seconds = 0;
        records.push_back(std::move(record));
      });
      std::ranges::sort(records, {}, &RunRecord::key);
      const SurveyTable table = tabulate(survey, records, Average::median);
      const Verdict verdict = decide(survey, records, table, Average::median, Question::clusters);
      EXPECT_EQ(verdict.k, 3) << name << ": " << verdict.sentence;
      EXPECT_EQ(verdict.sentence.find("hold-out"), std::string::npos);
      EXPECT_EQ(table.rows[1].failed, 0);
      EXPECT_FALSE(table.rows[1].hidden_error);
      EXPECT_EQ(table.rows[1].silhouette.has_value(), name != "kmeans" && name != "symnmf") << name;
      EXPECT_EQ(table.rows[1].separability.has_value(), name == "tree") << name;
      EXPECT_EQ(table.rows[1].started.has_value(), method->is_random()) << name;
      return records;
    };
    // In another order of the items, the same bits.
    std::vector<Index> order;
    for (Index j = 0; j < data.items(); ++j) order.push_back((7 * j + 3) % data.items());
    EXPECT_EQ(run(data), run(part_of<double>(data, order))) << name;
  }
}

}  // namespace
}  // namespace copse
