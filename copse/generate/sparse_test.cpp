// Uniform sparse matrices, planted graphs, and what holds for every kind: the same bits with any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/generate/corpus.h"
#include "copse/generate/gene_expression.h"
#include "copse/generate/graph.h"
#include "copse/generate/mixture.h"
#include "copse/generate/uniform_sparse.h"

namespace copse {
namespace {

TEST(UniformSparse, HasTheDensityAndUniformEntries) {
  const auto data = generate_uniform_sparse<float>({.features = 3000, .items = 2000, .density = 0.01, .seed = 1});
  const auto& x = std::get<SparseMatrix<float>>(data.values);
  ASSERT_EQ(x.rows, 3000);
  ASSERT_EQ(x.cols, 2000);
  const auto count = static_cast<double>(x.nonzeros());
  EXPECT_NEAR(count, 60000, 5 * std::sqrt(60000));
  double sum = 0, squares = 0;
  for (const float value : x.values) {
    ASSERT_GT(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  EXPECT_NEAR(sum / count, 0.5, 5 * std::sqrt(1 / 12.0 / count));
  EXPECT_NEAR(squares / count, 1 / 3.0, 5 * std::sqrt(4 / 45.0 / count));
  std::vector<double> rows(3000);
  for (Index j = 0; j < x.cols; ++j) {
    for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) {
      if (p > x.offsets[j]) {
        ASSERT_LT(x.indices[p - 1], x.indices[p]);
      }
      ++rows[x.indices[p]];
    }
  }
  // Rows have 20 entries each on average, with the variance of independent entries.
  double spread = 0;
  for (const double row : rows) spread += (row - 20) * (row - 20);
  EXPECT_NEAR(spread / 3000, 20 * 0.99, 3);
}

TEST(UniformSparse, CanBeFullOrEmpty) {
  EXPECT_EQ((generate_uniform_sparse<double>({.features = 7, .items = 600, .density = 1}).nonzeros()), 4200);
  EXPECT_EQ((generate_uniform_sparse<double>({.features = 7, .items = 600, .density = 0}).nonzeros()), 0);
}

TEST(Graph, IsSymmetricWithThePlantedDegrees) {
  const auto planted = generate_graph<double>({.nodes = 5000, .k = 7, .degree = 24, .mixing = 0.3, .seed = 6});
  const auto& a = std::get<SparseMatrix<double>>(planted.data.values);
  EXPECT_EQ(transpose<double>(a), a);
  double leaving = 0;
  for (Index j = 0; j < a.cols; ++j) {
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      ASSERT_NE(a.indices[p], j);
      ASSERT_EQ(a.values[p], 1);
      if (p > a.offsets[j]) {
        ASSERT_LT(a.indices[p - 1], a.indices[p]);
      }
      leaving += planted.labels[j] != planted.labels[a.indices[p]];
    }
  }
  const auto ends = static_cast<double>(a.nonzeros());
  EXPECT_NEAR(ends / 5000, 24, 0.5);
  EXPECT_NEAR(leaving / ends, 0.3, 0.01);
  // A node's degree is nearly Poisson: its variance is its mean.
  double spread = 0;
  for (Index j = 0; j < a.cols; ++j) spread += std::pow(static_cast<double>(a.offsets[j + 1] - a.offsets[j]) - 24, 2);
  EXPECT_NEAR(spread / 5000, 24, 3);
}

TEST(Graph, CanBeCompleteClusters) {
  const auto planted = generate_graph<float>({.nodes = 12, .k = 3, .degree = 3, .mixing = 0});
  EXPECT_EQ(planted.data.nonzeros(), 36);
}

TEST(SparseKinds, RefuseOptionsOutOfRange) {
  EXPECT_THROW(generate_uniform_sparse<float>({}), InvalidArgument);
  EXPECT_THROW(generate_uniform_sparse<float>({.features = 2, .items = 2, .density = 1.5}), InvalidArgument);
  EXPECT_THROW(generate_graph<float>({.nodes = 0}), InvalidArgument);
  EXPECT_THROW(generate_graph<float>({.nodes = 10, .k = 11}), InvalidArgument);
  EXPECT_THROW(generate_graph<float>({.nodes = 12, .k = 3, .degree = 20}), InvalidArgument);
  EXPECT_THROW(generate_corpus<float>({.documents = 0}), InvalidArgument);
  EXPECT_THROW(generate_corpus<float>({.k = 0}), InvalidArgument);
  EXPECT_THROW(generate_corpus<float>({.terms_per_document = 1e5}), InvalidArgument);
}

// Everything that a generator returns, for comparison.
template <class T>
bool same(const Planted<T>& a, const Planted<T>& b) {
  return a.data.values == b.data.values && a.labels == b.labels && a.parents == b.parents;
}

template <class Generate>
void expect_same_bits(const Generate& generate) {
  decltype(generate(std::uint64_t(5))) expected;
  with_threads(1, nullptr, [&] { expected = generate(std::uint64_t(5)); });
  for (const int threads : {2, 3, 8}) {
    with_threads(threads, nullptr, [&] { EXPECT_TRUE(same(generate(std::uint64_t(5)), expected)) << threads; });
  }
  EXPECT_FALSE(same(generate(std::uint64_t(6)), expected)) << "another seed";
}

TEST(EveryKind, GivesTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits([](std::uint64_t seed) { return generate_mixture<float>({.k = 4, .seed = seed}); });
  expect_same_bits([](std::uint64_t seed) { return generate_gene_expression<double>({.k = 4, .seed = seed}); });
  expect_same_bits([](std::uint64_t seed) {
    return Planted<float>{.data = generate_uniform_sparse<float>({.features = 900, .items = 3000, .seed = seed})};
  });
  expect_same_bits([](std::uint64_t seed) { return generate_graph<float>({.nodes = 3000, .seed = seed}); });
  expect_same_bits([](std::uint64_t seed) {
    return generate_corpus<float>({.documents = 3000, .terms = 2000, .branch = 4, .seed = seed});
  });
}

}  // namespace
}  // namespace copse
