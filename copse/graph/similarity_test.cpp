#include "copse/graph/similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/generate/corpus.h"
#include "copse/graph/neighbours.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

// All pairs, measured in double, sorted.
template <class T>
std::vector<std::vector<Neighbour>> naive_neighbours(const Dataset<T>& items, Index count, Closeness closeness) {
  const Index n = items.items(), m = items.features();
  Matrix<double> x(n, m);
  for (Index j = 0; j < n; ++j)
    visit_nonzeros(items, j, [&](Index f, T value) { x(j, f) = static_cast<double>(value); });
  const auto dot = [&](Index i, Index j) {
    double sum = 0;
    for (Index f = 0; f < m; ++f) sum += x(i, f) * x(j, f);
    return sum;
  };
  std::vector<std::vector<Neighbour>> result;
  for (Index i = 0; i < n; ++i) {
    std::vector<Neighbour> all;
    for (Index j = 0; j < n; ++j) {
      if (i == j) continue;
      double value = 0;
      if (closeness == Closeness::cosine) {
        value = dot(i, j) / (std::sqrt(dot(j, j)) * std::sqrt(dot(i, i)));
        if (!(value > 0)) continue;
      } else {
        for (Index f = 0; f < m; ++f) value += (x(i, f) - x(j, f)) * (x(i, f) - x(j, f));
      }
      all.push_back({static_cast<RowIndex>(j), value});
    }
    std::stable_sort(all.begin(), all.end(), [&](const Neighbour& a, const Neighbour& b) {
      return closeness == Closeness::cosine ? a.value > b.value : a.value < b.value;
    });
    if (static_cast<Index>(all.size()) > count) all.resize(static_cast<std::size_t>(count));
    result.push_back(std::move(all));
  }
  return result;
}

// Integer entries make sums exact, so that ties are ties.
TEST(NearestNeighbours, EqualNaiveSearchExactly) {
  for (const auto& [items, features, density] :
       {std::tuple{Index{1}, Index{3}, 0.5}, {2, 1, 1.0}, {30, 5, 0.4}, {150, 40, 0.1}, {300, 60, 0.6}}) {
    for (const Index count : {1, 5, 12, 500}) {
      Dataset<float> sparse{.values = testing::random_integer_sparse<float>(features, items, density, 7)};
      Dataset<float> dense;
      Matrix<float> rows(items, features);
      for (Index j = 0; j < items; ++j) visit_nonzeros(sparse, j, [&](Index f, float value) { rows(j, f) = value; });
      dense.values = rows;
      for (const Closeness closeness : {Closeness::cosine, Closeness::distance}) {
        const auto expected = naive_neighbours(sparse, count, closeness);
        EXPECT_EQ(nearest_neighbours(sparse, count, closeness), expected) << items << " " << count;
        EXPECT_EQ(nearest_neighbours(dense, count, closeness), expected) << items << " " << count;
      }
    }
  }
}

TEST(NearestNeighbours, AreExactOnTextAndOnDuplicatesAndFarFromZero) {
  const auto corpus = generate_corpus<float>({.documents = 400, .terms = 900, .seed = 3});
  EXPECT_EQ(nearest_neighbours(corpus.data, 9, Closeness::cosine), naive_neighbours(corpus.data, 9, Closeness::cosine));
  Random random(4);
  Dataset<float> items;
  Matrix<float> x(200, 6);
  for (Index j = 0; j < 200; ++j) {
    const float scale = j % 2 == 0 ? 1e4f : 1e-3f;  // huge and tiny beside each other
    for (Index f = 0; f < 6; ++f)
      x(j, f) = j % 5 == 0 && j > 0 ? x(j - 1, f) : 1000 + scale * static_cast<float>(random.normal());
  }
  items.values = x;
  EXPECT_EQ(nearest_neighbours(items, 8, Closeness::distance), naive_neighbours(items, 8, Closeness::distance));
}

TEST(NearestNeighbours, GiveTheSameForAnyNumberOfThreads) {
  const auto corpus = generate_corpus<float>({.documents = 2000, .terms = 1500, .seed = 5});
  std::vector<std::vector<Neighbour>> one, three;
  with_threads(1, nullptr, [&] { one = nearest_neighbours(corpus.data, 11, Closeness::cosine); });
  with_threads(3, nullptr, [&] { three = nearest_neighbours(corpus.data, 11, Closeness::cosine); });
  EXPECT_EQ(one, three);
}

TEST(NearestNeighbours, RefuseWhatCannotBeCompared) {
  Dataset<float> items{.values = testing::random_integer_sparse<float>(3, 4, 1, 1)};
  EXPECT_THROW(nearest_neighbours(items, 0, Closeness::cosine), InvalidArgument);
  std::get<SparseMatrix<float>>(items.values).values[1] = -1;
  EXPECT_THROW(nearest_neighbours(items, 1, Closeness::cosine), InvalidArgument);
  std::get<SparseMatrix<float>>(items.values).values[1] = std::nanf("");
  EXPECT_THROW(nearest_neighbours(items, 1, Closeness::cosine), InvalidArgument);
}

TEST(DefaultNeighbours, AreTheFloorOfTheLogarithmPlusOne) {
  EXPECT_EQ(default_neighbours(0), 0);
  EXPECT_EQ(default_neighbours(1), 0);
  EXPECT_EQ(default_neighbours(2), 1);
  EXPECT_EQ(default_neighbours(3), 2);
  EXPECT_EQ(default_neighbours(400), 9);
  EXPECT_EQ(default_neighbours(1023), 10);
  EXPECT_EQ(default_neighbours(1024), 11);
}

// [Kuang 2014, eq. 16, 26-29] on all pairs.
TEST(SimilarityGraph, EqualsItsDefinition) {
  Dataset<double> items;
  const Matrix<double> x = testing::random_dense<double>(60, 4, 6);
  items.values = x;
  for (Index j = 0; j < 60; ++j) items.item_names.push_back("n" + std::to_string(j));
  for (const Similarity kind : {Similarity::cosine, Similarity::gaussian, Similarity::self_tuning}) {
    const Closeness closeness = kind == Similarity::cosine ? Closeness::cosine : Closeness::distance;
    const Index kept = 6;  // floor(log2 60) + 1
    const auto nearest = naive_neighbours(items, 60, closeness);
    const auto keeps = [&](Index i, Index j) {
      for (Index c = 0; c < kept; ++c) {
        if (nearest[i][c].item == j) return true;
      }
      return false;
    };
    Matrix<double> expected(60, 60);
    for (Index i = 0; i < 60; ++i) {
      for (const Neighbour& other : nearest[i]) {
        if (!keeps(i, other.item) && !keeps(other.item, i)) continue;
        const double tuned = std::sqrt(nearest[i][6].value) * std::sqrt(nearest[other.item][6].value);
        expected(i, other.item) = kind == Similarity::cosine     ? other.value
                                  : kind == Similarity::gaussian ? std::exp(-other.value / 0.09)
                                                                 : std::exp(-other.value / tuned);
      }
    }
    const auto graph = similarity_graph(items, {.kind = kind, .sigma = 0.3});
    const auto found = testing::to_dense(graph.weights);
    for (std::size_t e = 0; e < found.values().size(); ++e) EXPECT_NEAR(found.values()[e], expected.values()[e], 1e-14);
    EXPECT_EQ(graph.weights, transpose<double>(graph.weights));
    EXPECT_EQ(graph.names, items.item_names);
  }
}

TEST(SimilarityGraph, StandsDegenerateItems) {
  Dataset<float> items;
  items.values = Matrix<float>(5, 3);  // all zero
  EXPECT_EQ(similarity_graph(items).edges(), 0);
  EXPECT_EQ(similarity_graph(items, {.kind = Similarity::self_tuning}).weights.values.front(), 1);
  items.values = Matrix<float>(1, 3);
  EXPECT_EQ(similarity_graph(items, {.kind = Similarity::self_tuning}).nodes(), 1);
  items.values = Matrix<float>(0, 3);
  EXPECT_EQ(similarity_graph(items).nodes(), 0);
  EXPECT_THROW(similarity_graph(items, {.kind = Similarity::gaussian}), InvalidArgument);
  EXPECT_THROW(similarity_graph(items, {.neighbours = -1}), InvalidArgument);
}

// Vectors around `centres` centres, in order.
Matrix<float> scattered(Index items, Index features, Index centres, std::uint64_t seed) {
  Random random(seed);
  Matrix<float> means(centres, features), x(items, features);
  for (float& value : means.values()) value = static_cast<float>(2 * random.normal());
  for (Index j = 0; j < items; ++j) {
    for (Index f = 0; f < features; ++f) x(j, f) = means(j * centres / items, f) + static_cast<float>(random.normal());
  }
  return x;
}

TEST(ApproximateNeighbours, FindNearlyAll) {
  for (const Closeness closeness : {Closeness::cosine, Closeness::distance}) {
    const Dataset<float> items{.values = scattered(3000, 20, 7, 1)};
    const auto& x = std::get<Matrix<float>>(items.values);
    const auto found = approximate_neighbours(x, 10, closeness);
    const auto exact = nearest_neighbours(items, 10, closeness);
    double same = 0;
    for (Index j = 0; j < 3000; ++j) {
      ASSERT_EQ(found[j].size(), 10);
      for (std::size_t c = 0; c < 10; ++c) {
        const auto is_it = [&](const Neighbour& other) { return other.item == found[j][c].item; };
        const auto it = std::ranges::find_if(exact[j], is_it);
        if (it == exact[j].end()) continue;
        ++same;
        EXPECT_NEAR(it->value, found[j][c].value, 1e-12 * std::abs(it->value));
      }
    }
    EXPECT_GT(same / 30000, 0.97);
    EXPECT_DOUBLE_EQ(recall_of(items, found, 10, closeness, 3000), same / 30000);
    EXPECT_EQ(recall_of(items, exact, 10, closeness, 100), 1);
  }
}

TEST(ApproximateNeighbours, GiveTheSameForAnyNumberOfThreads) {
  const auto x = scattered(2000, 10, 5, 2);
  std::vector<std::vector<std::vector<Neighbour>>> found;
  for (const int threads : {1, 4})
    with_threads(threads, nullptr, [&] { found.push_back(approximate_neighbours(x, 8, Closeness::distance)); });
  EXPECT_EQ(found[0], found[1]);
}

TEST(ApproximateNeighbours, StandDegenerateItems) {
  EXPECT_EQ(approximate_neighbours(Matrix<float>(1, 3), 5, Closeness::distance),
            std::vector(1, std::vector<Neighbour>{}));
  // Items of zeros have no cosine; all are at the same place.
  for (const auto& list : approximate_neighbours(Matrix<double>(40, 3), 5, Closeness::cosine))
    EXPECT_TRUE(list.empty());
  for (const auto& list : approximate_neighbours(Matrix<double>(40, 3), 5, Closeness::distance))
    EXPECT_EQ(list.size(), 5);
  // Squares that single precision does not hold.
  Matrix<double> huge(50, 1);
  for (Index j = 0; j < 50; ++j) huge(j, 0) = 1e30 * static_cast<double>(j * j);
  const auto found = approximate_neighbours(huge, 1, Closeness::distance);
  for (Index j = 1; j < 50; ++j) EXPECT_EQ(found[j][0].item, j - 1);
  Matrix<float> bad(2, 1);
  bad(1, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(approximate_neighbours(bad, 1, Closeness::distance), InvalidArgument);
}

TEST(SimilarityGraph, SaysHowManyNeighboursAnApproximateSearchFound) {
  const Dataset<float> items{.values = scattered(2500, 12, 6, 3)};
  SimilarityReport report;
  const auto exact = similarity_graph(items, {.kind = Similarity::self_tuning}, &report);
  EXPECT_FALSE(report.approximate);
  EXPECT_EQ(report.recall, 1);
  SimilarityOptions options{.kind = Similarity::self_tuning, .exact_items = 1000};
  const auto graph = similarity_graph(items, options, &report);
  EXPECT_TRUE(report.approximate);
  EXPECT_GT(report.recall, 0.95);
  EXPECT_NEAR(static_cast<double>(graph.edges()), static_cast<double>(exact.edges()),
              0.03 * static_cast<double>(exact.edges()));
  const Dataset<float> sparse{.values = testing::random_integer_sparse<float>(20, 30, 0.2, 1)};
  options.search = NeighbourSearch::approximate;
  EXPECT_THROW(similarity_graph(sparse, options), InvalidArgument);
}

}  // namespace
}  // namespace copse
