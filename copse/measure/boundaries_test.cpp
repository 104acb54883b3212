#include "copse/measure/boundaries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>

#include "copse/base/error.h"
#include "copse/base/random.h"

namespace copse {
namespace {

Mask mask_of(const char* text) {
  Mask mask;
  for (; *text != '\0'; ++text) {
    if (*text == '#' || *text == '.') mask.push_back(*text == '#');
  }
  return mask;
}

Mask random_mask(PixelShape shape, double density, std::uint64_t seed) {
  Random random(seed);
  Mask mask(static_cast<std::size_t>(shape.pixels()));
  for (auto& bit : mask) bit = random.uniform() < density;
  return mask;
}

// The most pairs, by trying every partner of every pixel; what is left over is remembered by the set of truths taken.
Index most_pairs(const Mask& found, const Mask& truth, PixelShape shape, double tolerance) {
  std::vector<Index> left, right;
  for (Index p = 0; p < shape.pixels(); ++p) {
    if (found[p] != 0) left.push_back(p);
    if (truth[p] != 0) right.push_back(p);
  }
  std::map<std::pair<std::size_t, unsigned>, Index> known;
  const std::function<Index(std::size_t, unsigned)> best = [&](std::size_t u, unsigned taken) -> Index {
    if (u == left.size()) return 0;
    if (const auto at = known.find({u, taken}); at != known.end()) return at->second;
    Index most = best(u + 1, taken);
    for (std::size_t v = 0; v < right.size(); ++v) {
      const auto dx = static_cast<double>(left[u] % shape.width - right[v] % shape.width);
      const auto dy = static_cast<double>(left[u] / shape.width - right[v] / shape.width);
      if ((taken >> v & 1) == 0 && std::hypot(dx, dy) <= tolerance)
        most = std::max(most, 1 + best(u + 1, taken | 1U << v));
    }
    return known[{u, taken}] = most;
  };
  return best(0, 0);
}

// Connected groups of pixels, by edges and corners.
Index groups(const Mask& mask, PixelShape shape) {
  Mask seen(mask.size(), 0);
  Index count = 0;
  for (Index first = 0; first < shape.pixels(); ++first) {
    if (mask[first] == 0 || seen[first] != 0) continue;
    ++count;
    std::queue<Index> queue({first});
    seen[first] = 1;
    while (!queue.empty()) {
      const Index p = queue.front();
      queue.pop();
      for (Index dy = -1; dy <= 1; ++dy) {
        for (Index dx = -1; dx <= 1; ++dx) {
          const Index x = p % shape.width + dx, y = p / shape.width + dy, q = y * shape.width + x;
          if (x < 0 || y < 0 || x >= shape.width || y >= shape.height || mask[q] == 0 || seen[q] != 0) continue;
          seen[q] = 1;
          queue.push(q);
        }
      }
    }
  }
  return count;
}

TEST(MatchBoundaries, PairsAsManyPixelsAsAnyChoiceCan) {
  const PixelShape shape{5, 4};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Mask found = random_mask(shape, 0.35, 2 * seed), truth = random_mask(shape, 0.35, 2 * seed + 1);
    for (const double tolerance : {0.0, 1.0, 1.5, 2.3}) {
      const BoundaryMatch match = match_boundaries(found, truth, shape, tolerance);
      EXPECT_EQ(match.pairs, most_pairs(found, truth, shape, tolerance)) << "seed " << seed;
      EXPECT_EQ(std::count(match.found.begin(), match.found.end(), 1), match.pairs);
      EXPECT_EQ(std::count(match.truth.begin(), match.truth.end(), 1), match.pairs);
      for (Index p = 0; p < shape.pixels(); ++p) {
        EXPECT_LE(match.found[p], found[p]);
        EXPECT_LE(match.truth[p], truth[p]);
      }
    }
  }
}

TEST(MatchBoundaries, EqualBoundariesMatchWhole) {
  const PixelShape shape{80, 60};
  const Mask mask = random_mask(shape, 0.2, 1);
  EXPECT_EQ(match_boundaries(mask, mask, shape, 3).found, mask);
}

TEST(BoundariesBetween, AreThePixelsLeftAndAboveOfAnotherLabel) {
  const std::vector<Index> labels = {7, 7, 2,  //
                                     7, 7, 2,  //
                                     7, 7, 7};
  EXPECT_EQ(boundaries_between(labels, {3, 3}), mask_of(".#. .## ..."));
}

TEST(Thinned, LeavesLinesOfOnePixelAndTheirConnections) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const PixelShape shape{20, 15};
    const Mask before = random_mask(shape, 0.5, seed), after = thinned(before, shape);
    EXPECT_EQ(groups(after, shape), groups(before, shape)) << "seed " << seed;
    EXPECT_EQ(thinned(after, shape), after);
    for (std::size_t p = 0; p < before.size(); ++p) EXPECT_LE(after[p], before[p]);
  }
}

TEST(Thinned, MakesABarALine) {
  const PixelShape shape{9, 5};
  Mask bar(45, 0);
  for (Index y = 1; y < 4; ++y) {
    for (Index x = 0; x < 9; ++x) bar[y * 9 + x] = 1;
  }
  const Mask line = thinned(bar, shape);
  EXPECT_EQ(groups(line, shape), 1);
  for (Index x = 1; x < 8; ++x) {
    Index in_column = 0;
    for (Index y = 0; y < 5; ++y) in_column += line[y * 9 + x];
    EXPECT_LE(in_column, 1);
  }
  EXPECT_GE(std::count(line.begin(), line.end(), 1), 7);
}

TEST(CompareBoundaries, CountsEachPersonForRecallAndAnyPersonForPrecision) {
  const PixelShape shape{4, 1};
  const std::vector<Mask> truths = {mask_of("#..."), mask_of("..#.")};
  const BoundaryCounts counts = compare_boundaries(mask_of("#.##"), truths, shape, 0);
  EXPECT_EQ(counts, (BoundaryCounts{.found = 3, .found_matched = 2, .truth = 2, .truth_matched = 2}));
  EXPECT_DOUBLE_EQ(counts.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(counts.recall(), 1);
  EXPECT_DOUBLE_EQ(counts.f(), 0.8);
  EXPECT_EQ(BoundaryCounts().f(), 0);
}

TEST(BoundaryCurve, EqualsEveryThresholdByItself) {
  const PixelShape shape{30, 20};
  Random random(3);
  std::vector<double> strength(600);
  for (double& value : strength) value = std::floor(random.uniform() * 6) / 5;
  const std::vector<Mask> truths = {random_mask(shape, 0.1, 4), random_mask(shape, 0.1, 5)};
  const std::vector<double> thresholds = {0.9, 0.1, 0.15, 0.5, 1.5};
  const std::vector<BoundaryPoint> curve = boundary_curve(strength, truths, shape, thresholds, 0.05);
  ASSERT_EQ(curve.size(), 5U);
  for (std::size_t t = 0; t < curve.size(); ++t) {
    if (t > 0) {
      EXPECT_GT(curve[t].threshold, curve[t - 1].threshold);
    }
    Mask mask(600);
    for (std::size_t p = 0; p < 600; ++p) mask[p] = strength[p] >= curve[t].threshold;
    EXPECT_EQ(curve[t].counts, compare_boundaries(thinned(mask, shape), truths, shape, 0.05));
  }
  for (const BoundaryPoint& point : curve) EXPECT_LE(point.counts.f(), best_point(curve).counts.f());
}

TEST(CompareBoundaries, RefusesWhatDoesNotFit) {
  EXPECT_THROW(compare_boundaries(Mask(3), std::vector<Mask>{Mask(4)}, {2, 2}), InvalidArgument);
  EXPECT_THROW(compare_boundaries(Mask(4), {}, {2, 2}), InvalidArgument);
  EXPECT_THROW(compare_boundaries(Mask(4), std::vector<Mask>{Mask(4)}, {2, 2}, -1), InvalidArgument);
}

}  // namespace
}  // namespace copse
