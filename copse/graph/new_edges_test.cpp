#include "copse/graph/new_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "copse/base/random.h"

namespace copse {
namespace {

Dataset<double> points(Index count, std::uint64_t seed) {
  Matrix<double> values(count, 4);
  Random random(seed);
  for (double& value : values.values()) value = random.uniform();
  return {.values = std::move(values)};
}

// All pairs by the formulas of similarity.h, and the largest of them.
TEST(NewEdges, AreThoseToTheNearest) {
  const Dataset<double> known = points(70, 1), items = points(9, 2);
  const auto& x = std::get<Matrix<double>>(known.values);
  const auto& y = std::get<Matrix<double>>(items.values);
  for (const Similarity kind : {Similarity::cosine, Similarity::gaussian, Similarity::self_tuning}) {
    const SimilarityOptions options{.kind = kind, .neighbours = 5, .sigma = 0.7};
    const SparseMatrix<double> edges = edges_to_nearest(known, items, options);
    ASSERT_EQ(edges.rows, 70);
    ASSERT_EQ(edges.cols, 9);
    for (Index j = 0; j < 9; ++j) {
      std::vector<double> distances;
      const auto product = [](const auto& a, const auto& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
        return sum;
      };
      const auto square = [&](Index i) {
        return product(x.row(i), x.row(i)) + product(y.row(j), y.row(j)) - 2 * product(x.row(i), y.row(j));
      };
      for (Index i = 0; i < 70; ++i) distances.push_back(square(i));
      std::ranges::sort(distances);
      std::vector<std::pair<double, Index>> weights;
      for (Index i = 0; i < 70; ++i) {
        const double weight =
            kind == Similarity::cosine
                ? product(x.row(i), y.row(j)) / std::sqrt(product(x.row(i), x.row(i)) * product(y.row(j), y.row(j)))
                : std::exp(-square(i) / (kind == Similarity::gaussian ? 0.49 : distances[6]));
        weights.emplace_back(weight, i);
      }
      std::ranges::sort(weights, std::greater<>());
      std::map<Index, double> expected;
      for (int c = 0; c < 5; ++c) expected[weights[c].second] = weights[c].first;
      ASSERT_EQ(edges.offsets[j + 1] - edges.offsets[j], 5);
      for (Index p = edges.offsets[j]; p < edges.offsets[j + 1]; ++p) {
        ASSERT_TRUE(expected.contains(edges.indices[p]));
        EXPECT_NEAR(edges.values[p], expected[edges.indices[p]], 1e-9);
      }
    }
  }
}

TEST(NewEdges, LeadToTheLabelWithMostOfTheirWeight) {
  const std::vector<Index> labels{0, 2, 2, 1, 0};
  const SparseMatrix<double> weights{
      .rows = 5, .cols = 4, .offsets = {0, 3, 3, 5, 6}, .indices = {0, 1, 2, 3, 4, 1}, .values = {3, 2, 2, 1, 1, 0}};
  const std::vector<StrongestLabel> found = strongest_labels<double>(labels, weights);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].label, 2);
  EXPECT_DOUBLE_EQ(found[0].share, 4.0 / 7);
  EXPECT_EQ(found[1].label, -1);  // no edges
  EXPECT_EQ(found[2].label, 0);   // the lower of equal ones
  EXPECT_EQ(found[3].label, -1);  // no weight
  EXPECT_EQ(found[3].share, 0);
}

}  // namespace
}  // namespace copse
