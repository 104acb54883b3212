// Topics, exemplars and graphs behind cluster_by().
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/random.h"
#include "copse/graph/similarity.h"
#include "copse/measure/clustering.h"
#include "copse/methods/method.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

constexpr const char* rivals[] = {"affinity-propagation", "gnmf", "lda", "anchors", "xray", "hottopixx"};

MethodOptions asking(const std::string& name, Index k, int max_iterations = 0) {
  return {.method = &method_called(name), .k = k, .max_iterations = max_iterations};
}

// Documents of 4 topics with words of their own, and a few common ones; the last is empty on demand.
struct PlantedDocuments {
  Dataset<float> items;
  std::vector<Index> labels;
};
PlantedDocuments documents(Index n, bool with_empty, bool dense = false) {
  Matrix<float> counts(44, n);
  PlantedDocuments planted;
  for (Index d = 0; d < n; ++d) {
    Random random(3, static_cast<std::uint64_t>(d));
    planted.labels.push_back(d % 4);
    if (with_empty && d == n - 1) continue;
    for (int word = 0; word < 40; ++word) {
      const bool common = random.uniform() < 0.1;
      counts(common ? 40 + random.below(4) : 10 * (d % 4) + random.below(10), d) += 1;
    }
  }
  if (!dense) {
    planted.items.values = testing::to_sparse(counts);
    return planted;
  }
  Matrix<float> items(n, 44);
  for (Index d = 0; d < n; ++d) {
    for (Index i = 0; i < 44; ++i) items(d, i) = counts(i, d);
  }
  planted.items.values = std::move(items);
  return planted;
}

TEST(RivalMethods, FindPlantedClusters) {
  for (const bool dense : {false, true}) {
    const PlantedDocuments planted = documents(120, false, dense);
    const Graph<float> graph = similarity_graph(planted.items);
    for (const char* method : rivals) {
      const auto result = cluster_by<float>({&planted.items, &graph}, asking(method, 4, 100));
      EXPECT_EQ(result.k, 4) << method;
      EXPECT_GT(compare_clusterings(result.labels, planted.labels).nmi, 0.9) << method;
      EXPECT_FALSE(result.history.empty());
      if (!result.w.values().empty()) {
        EXPECT_EQ(result.w.rows(), 44);
        EXPECT_EQ(result.w.cols(), 4);
      }
      if (!result.weights.values().empty()) {
        for (Index j = 0; j < 120; ++j) {
          const auto row = result.weights.row(j);
          EXPECT_EQ(std::ranges::max_element(row) - row.begin(), result.labels[j]);
        }
      }
    }
  }
}

TEST(RivalMethods, AnEmptyItemHasNoClusterAndANoteSaysSo) {
  const PlantedDocuments planted = documents(40, true);
  const Graph<float> graph = similarity_graph(planted.items);
  for (const char* method : rivals) {
    const auto result = cluster_by<float>({&planted.items, &graph}, asking(method, 5, 60));
    ASSERT_EQ(result.labels.size(), 40u);
    const auto none = std::ranges::count(result.labels, Index(-1));
    EXPECT_EQ(none > 0,
              std::ranges::any_of(result.notes,
                                  [](const std::string& note) { return note.find("no cluster") != std::string::npos; }))
        << method;
    EXPECT_LE(none, 1) << method;
    // Affinity propagation finds somebody who is near the origin; the embedding of GNMF may say something of a
    // neighbour.
    if (method == std::string("affinity-propagation")) {
      EXPECT_GE(result.labels[39], 0);
    } else if (method != std::string("gnmf")) {
      EXPECT_EQ(result.labels[39], -1) << method;
    }
  }
}

TEST(RivalMethods, AGraphAloneServesAffinityPropagation) {
  const PlantedDocuments planted = documents(120, false);
  const Graph<float> graph = similarity_graph(planted.items);
  const auto result = cluster_by<float>({.graph = &graph}, asking("affinity-propagation", 4));
  EXPECT_EQ(compare_clusterings(result.labels, planted.labels).purity, 1);
  EXPECT_GE(result.k, 4);
  if (result.k > 4) {
    EXPECT_NE(
        std::ranges::find_if(
            result.notes, [](const std::string& note) { return note.find("the nearest number") != std::string::npos; }),
        result.notes.end());
  }
}

TEST(RivalMethods, TheBestOfSeveralRunsIsKept) {
  const PlantedDocuments planted = documents(60, false);
  const Graph<float> graph = similarity_graph(planted.items);
  for (const char* method : {"lda", "gnmf"}) {
    MethodOptions options = asking(method, 3, 15);
    options.runs = 4;
    const auto result = cluster_by<float>({&planted.items, &graph}, options);
    ASSERT_EQ(result.run_objectives.size(), 4u);
    EXPECT_EQ(result.objective, result.run_objectives[result.best_run]);
    for (const double objective : result.run_objectives) {
      EXPECT_TRUE(result.larger_is_better ? objective <= result.objective : objective >= result.objective);
    }
  }
}

TEST(RivalMethods, RefuseWithASentence) {
  PlantedDocuments planted = documents(20, false);
  const Graph<float> graph = similarity_graph(planted.items);
  EXPECT_THROW(cluster_by<float>({.graph = &graph}, asking("gnmf", 2)), InvalidArgument);
  std::get<SparseMatrix<float>>(planted.items.values).values[0] = 0.5F;
  for (const char* method : {"lda", "anchors"})
    EXPECT_THROW(cluster_by<float>({.items = &planted.items}, asking(method, 2)), InvalidArgument);
  Dataset<float> zeros{.values = Matrix<float>(5, 3)};
  for (const char* method : {"lda", "anchors", "xray", "hottopixx"})
    EXPECT_THROW(cluster_by<float>({.items = &zeros}, asking(method, 2)), InvalidArgument);
}

}  // namespace
}  // namespace copse
