#include "copse/image/regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "copse/base/random.h"

namespace copse {
namespace {

TEST(ConnectedPieces, JoinByEdgesNotCorners) {
  const std::vector<Index> labels = {4, 4, 9,  //
                                     9, 9, 4,  //
                                     9, 4, 4};
  EXPECT_EQ(connected_pieces(labels, {3, 3}), (std::vector<Index>{0, 0, 1, 2, 2, 3, 2, 3, 3}));
}

TEST(AbsorbSmall, ALoosePixelJoinsTheNeighbourBehindTheWeakestBoundary) {
  const std::vector<Index> labels = {0, 0, 1, 2, 2, 2};
  EXPECT_EQ(absorb_small(labels, {6, 1}, Plane{0, 0.9F, 0, 0.2F, 0, 0}, 2), (std::vector<Index>{0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(absorb_small(labels, {6, 1}, Plane{0, 0.1F, 0, 0.2F, 0, 0}, 2), (std::vector<Index>{0, 0, 0, 1, 1, 1}));
}

TEST(AbsorbSmall, LeavesNoSmallPieceUnlessThereIsOnlyOne) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const PixelShape shape{17, 11};
    Random random(seed);
    std::vector<Index> labels(static_cast<std::size_t>(shape.pixels()));
    Plane strength(labels.size());
    for (Index& label : labels) label = random.below(3);
    for (float& value : strength) value = static_cast<float>(random.uniform());
    for (const Index least : {1, 2, 9, 1000}) {
      const std::vector<Index> joined = absorb_small(labels, shape, strength, least);
      std::map<Index, Index> sizes;
      for (const Index piece : connected_pieces(joined, shape)) ++sizes[piece];
      for (const auto& [piece, size] : sizes) EXPECT_TRUE(size >= least || sizes.size() == 1);
      if (least == 1) {
        EXPECT_EQ(connected_pieces(joined, shape), connected_pieces(labels, shape));
      }
    }
  }
}

TEST(AbsorbSmall, AStripAlongABoundaryIsNoSegment) {
  const PixelShape shape{12, 10};
  std::vector<Index> labels;
  for (Index p = 0; p < 120; ++p) labels.push_back(p % 12 < 5 ? 0 : p % 12 < 7 ? 1 : 2);  // the strip has 20 pixels
  Plane strength(120, 0.1F);
  for (Index y = 0; y < 10; ++y) strength[y * 12 + 4] = 0.8F;
  const std::vector<Index> joined = absorb_small(labels, shape, strength, 6);
  for (Index p = 0; p < 120; ++p) EXPECT_EQ(joined[p], p % 12 < 5 ? 0 : 1);
}

TEST(NestedMerges, JoinTheWeakestNeighboursFirst) {
  // Between 0 and 1 lies strength .5, between 1 and 2 .1, between 2 and 3 .9.
  const std::vector<Index> labels = {0, 0, 1, 1, 2, 2, 3, 3};
  const Plane strength = {0, 0.5F, 0, 0.1F, 0, 0.9F, 0, 0};
  const std::vector<std::vector<Index>> expected = {{0, 0, 0, 3}, {0, 1, 1, 3}, {0, 1, 2, 3}};
  EXPECT_EQ(nested_merges(labels, {8, 1}, strength), expected);
}

TEST(NestedMerges, ColoursAndSizesDecideWhereBoundariesDoNot) {
  // Four parts of 40 pixels in a row with the same boundary between any two. The two in the middle have one colour.
  const PixelShape shape{16, 10};
  std::vector<Index> labels;
  LabPlanes colours{shape, Plane(160, 50.0F), Plane(160, 0.0F), Plane(160, 0.0F)};
  for (Index p = 0; p < 160; ++p) {
    labels.push_back(p % 16 / 4);
    colours.a[p] = p % 16 < 4 ? -30.0F : p % 16 < 12 ? 20.0F : 30.0F;
  }
  const Plane strength(160, 0.3F);
  const auto parts = nested_merges(labels, shape, strength, &colours);
  EXPECT_EQ(parts[1], (std::vector<Index>{0, 1, 1, 3}));
  EXPECT_EQ(parts[0], (std::vector<Index>{0, 1, 1, 1}));
  // Without colours the smallest part joins first, although another boundary is a little weaker.
  std::vector<Index> sizes;
  for (Index p = 0; p < 160; ++p) sizes.push_back(p % 16 < 7 ? 0 : p % 16 < 15 ? 1 : 2);
  Plane other(160, 0.30F);
  for (Index p = 0; p < 160; ++p) other[p] = p % 16 >= 13 ? 0.32F : 0.30F;
  EXPECT_EQ(nested_merges(sizes, shape, other)[0], (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(nested_merges(sizes, shape, other, nullptr, {.size_power = 0})[0], (std::vector<Index>{0, 0, 2}));
}

TEST(NestedMerges, AreNestedAndLoseOnePartAtATime) {
  const PixelShape shape{15, 12};
  Random random(8);
  std::vector<Index> labels(180);
  Plane strength(180);
  for (Index p = 0; p < 180; ++p) labels[p] = (p % 15) / 4 + 4 * (p / 15 / 4);
  for (float& value : strength) value = static_cast<float>(random.uniform());
  const auto partitions = nested_merges(labels, shape, strength);
  ASSERT_EQ(partitions.size(), 11U);
  for (std::size_t level = 0; level < partitions.size(); ++level) {
    std::vector<Index> parts = partitions[level];
    EXPECT_EQ(number_by_first_pixel(parts), static_cast<Index>(level) + 2);
    for (std::size_t s = 0; level > 0 && s < parts.size(); ++s)
      EXPECT_EQ(partitions[level - 1][partitions[level][s]], partitions[level - 1][s]);
  }
  EXPECT_TRUE(nested_merges(std::vector<Index>(4, 0), {2, 2}, Plane(4)).empty());
}

TEST(ScaledUp, KeepsEverythingAtTheSameSizeAndAStraightEdgeAtAnother) {
  const std::vector<Index> labels = {0, 0, 1, 1, 0, 0, 1, 1};
  EXPECT_EQ(scaled_up(labels, {4, 2}, {4, 2}), labels);
  const std::vector<Index> large = scaled_up(labels, {4, 2}, {40, 30});
  for (Index p = 0; p < 1200; ++p) EXPECT_EQ(large[p], p % 40 >= 20) << p;
}

TEST(ScaledUp, OnePixelFillsThePicture) { EXPECT_EQ(scaled_up({3}, {1, 1}, {5, 4}), std::vector<Index>(20, 3)); }

TEST(NumberByFirstPixel, CountsFromTheUpperLeft) {
  std::vector<Index> labels = {7, -2, 7, 5};
  EXPECT_EQ(number_by_first_pixel(labels), 3);
  EXPECT_EQ(labels, (std::vector<Index>{0, 1, 0, 2}));
}

}  // namespace
}  // namespace copse
