#include "copse/image/pixel_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {
namespace {

Plane random_plane(PixelShape shape, std::uint64_t seed) {
  Random random(seed);
  Plane plane(static_cast<std::size_t>(shape.pixels()));
  for (float& value : plane) value = static_cast<float>(random.uniform());
  return plane;
}

// The strongest pixel on the line from the earlier to the later pixel, which goes back one step of its longer side at a
// time; recursion in place of tables.
float strongest(const Plane& strength, PixelShape shape, Index from, Index dx, Index dy) {
  const Index x = from % shape.width + dx, y = from / shape.width + dy;
  const float here = strength[y * shape.width + x];
  const Index length = std::max(std::abs(dx), std::abs(dy));
  if (length == 0) return here;
  const auto shrink = [&](Index d) {
    const auto size = static_cast<Index>(
        std::floor(static_cast<double>(std::abs(d) * (length - 1)) / static_cast<double>(length) + 0.5));
    return d < 0 ? -size : size;
  };
  return std::max(here, strongest(strength, shape, from, shrink(dx), shrink(dy)));
}

SparseMatrix<float> naive_graph(const Plane& strength, PixelShape shape, const PixelGraphOptions& options) {
  SparseMatrix<float> graph{.rows = shape.pixels(), .cols = shape.pixels()};
  for (Index i = 0; i < shape.pixels(); ++i) {
    for (Index j = 0; j < shape.pixels(); ++j) {
      const Index low = std::min(i, j), high = std::max(i, j);
      const Index dx = high % shape.width - low % shape.width, dy = high / shape.width - low / shape.width;
      if (i == j || dx * dx + dy * dy > options.radius * options.radius) continue;
      graph.indices.push_back(static_cast<RowIndex>(j));
      graph.values.push_back(std::exp(-strongest(strength, shape, low, dx, dy) / static_cast<float>(options.scale)));
    }
    graph.offsets.push_back(static_cast<Index>(graph.indices.size()));
  }
  return graph;
}

TEST(PixelGraph, EqualsTheNaiveGraph) {
  for (const PixelShape shape : {PixelShape{1, 1}, {1, 7}, {7, 1}, {2, 2}, {9, 6}, {5, 12}, {13, 13}}) {
    for (const Index radius : {1, 2, 3, 5, 20}) {
      const Plane strength = random_plane(shape, 3);
      const PixelGraphOptions options{.radius = radius, .scale = 0.3};
      const SparseMatrix<float> graph = pixel_graph(strength, shape, options),
                                naive = naive_graph(strength, shape, options);
      EXPECT_EQ(graph.offsets, naive.offsets);
      EXPECT_EQ(graph.indices, naive.indices);
      ASSERT_EQ(graph.values.size(), naive.values.size());
      for (std::size_t e = 0; e < graph.values.size(); ++e) EXPECT_EQ(graph.values[e], naive.values[e]);
      EXPECT_EQ(pixel_graph_entries(shape, radius), graph.nonzeros());
    }
  }
}

TEST(PixelGraph, IsSymmetricAndDoesNotDependOnThreads) {
  const PixelShape shape{31, 22};
  const Plane strength = random_plane(shape, 5);
  SparseMatrix<float> one, two;
  with_threads(1, nullptr, [&] { one = pixel_graph(strength, shape, {.radius = 6}); });
  with_threads(2, nullptr, [&] { two = pixel_graph(strength, shape, {.radius = 6}); });
  EXPECT_EQ(one, two);
  EXPECT_EQ(transpose(SparseView<float>(one)), one);
}

TEST(PixelGraph, HasTheEntriesThatTheThesisCounts) {
  EXPECT_NEAR(static_cast<double>(pixel_graph_entries({240, 160}, 20)), 44e6, 0.5e6);
}

TEST(PixelGraph, AWallCutsTheGraph) {
  const PixelShape shape{11, 8};
  Plane strength(88, 0.0F);
  for (Index y = 0; y < 8; ++y) strength[y * 11 + 5] = 1;
  const SparseMatrix<float> graph = pixel_graph(strength, shape, {.radius = 4, .scale = 0.05});
  for (Index i = 0; i < 88; ++i) {
    for (Index e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
      const Index x = i % 11, u = graph.indices[e] % 11;
      const bool same_side = (x < 5 && u < 5) || (x > 5 && u > 5);
      EXPECT_EQ(graph.values[e], same_side ? 1.0F : std::exp(-1 / 0.05F));
    }
  }
}

TEST(NormalizeGraph, DividesByTheRootsOfDegrees) {
  const PixelShape shape{6, 5};
  const SparseMatrix<float> graph = pixel_graph(random_plane(shape, 7), shape, {.radius = 2});
  SparseMatrix<float> scaled = graph;
  const std::vector<double> degrees = normalize_graph(scaled);
  for (Index j = 0; j < 30; ++j) {
    double sum = 0;
    for (Index e = graph.offsets[j]; e < graph.offsets[j + 1]; ++e) sum += static_cast<double>(graph.values[e]);
    EXPECT_NEAR(degrees[j], sum, 1e-5 * sum);
    for (Index e = graph.offsets[j]; e < graph.offsets[j + 1]; ++e) {
      const double expected = static_cast<double>(graph.values[e]) / std::sqrt(degrees[j] * degrees[graph.indices[e]]);
      EXPECT_NEAR(static_cast<double>(scaled.values[e]), expected, 1e-6 * expected);
    }
  }
}

TEST(PixelGraph, RefusesBadOptions) {
  EXPECT_THROW(pixel_graph(Plane(1), {1, 1}, {.radius = 0}), InvalidArgument);
  EXPECT_THROW(pixel_graph(Plane(1), {1, 1}, {.scale = 0}), InvalidArgument);
  EXPECT_THROW(pixel_graph_entries({0, 3}, 2), InvalidArgument);
}

}  // namespace
}  // namespace copse
