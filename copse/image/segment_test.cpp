#include "copse/image/segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {
namespace {

// Two walls part a picture into four fields; a little noise everywhere.
Plane four_fields(PixelShape shape, std::uint64_t seed) {
  Random random(seed);
  Plane strength(static_cast<std::size_t>(shape.pixels()));
  for (Index p = 0; p < shape.pixels(); ++p) {
    const bool wall = p % shape.width == shape.width / 3 || p / shape.width == shape.height / 2;
    strength[p] = static_cast<float>(wall ? 0.9 : 0.02 * random.uniform());
  }
  return strength;
}

Index field_of(Index p, PixelShape shape) {
  return (p % shape.width > shape.width / 3) + 2 * (p / shape.width > shape.height / 2);
}

const Segmentation& with_segments(const Segmentations& all, Index segments) {
  return *std::find_if(all.levels.begin(), all.levels.end(), [&](const auto& l) { return l.segments == segments; });
}

class EveryMethod : public testing::TestWithParam<SegmentMethod> {};
INSTANTIATE_TEST_SUITE_P(Segment, EveryMethod,
                         testing::Values(SegmentMethod::embed, SegmentMethod::clust, SegmentMethod::spectral));

TEST_P(EveryMethod, FindsThePlantedFields) {
  const PixelShape shape{60, 44};
  const Plane strength = four_fields(shape, 1);
  const SegmentOptions options{.method = GetParam(), .rank = 6, .superpixels = 12, .graph = {.radius = 10}};
  const Segmentations all = segment(strength, strength, shape, options);
  const Segmentation& four = with_segments(all, 4);
  // Away from the walls every field has one label, and no two share one.
  std::set<Index> labels[4];
  for (Index p = 0; p < shape.pixels(); ++p) {
    const Index x = p % shape.width, y = p / shape.width;
    if (std::abs(x - shape.width / 3) > 1 && std::abs(y - shape.height / 2) > 1)
      labels[field_of(p, shape)].insert(four.labels[p]);
  }
  std::set<Index> together;
  for (const auto& field : labels) {
    EXPECT_EQ(field.size(), 1U);
    together.insert(field.begin(), field.end());
  }
  EXPECT_EQ(together.size(), 4U);
  EXPECT_EQ(all.levels[choose_segmentation(all, strength, 0.5)].segments, 4);
}

TEST_P(EveryMethod, LevelsAreWholeAndNestedWhereTheySaySo) {
  for (const SegmentHierarchy hierarchy : {SegmentHierarchy::merge, SegmentHierarchy::split}) {
    const PixelShape shape{40, 30};
    const SegmentOptions options{
        .method = GetParam(), .hierarchy = hierarchy, .rank = 5, .superpixels = 9, .graph = {.radius = 6}};
    const Segmentations all = segment(four_fields(shape, 2), four_fields(shape, 2), shape, options);
    EXPECT_EQ(all.nested, GetParam() != SegmentMethod::clust);
    for (std::size_t level = 0; level < all.levels.size(); ++level) {
      const Segmentation& now = all.levels[level];
      ASSERT_EQ(static_cast<Index>(now.labels.size()), shape.pixels());
      EXPECT_EQ(now.labels[0], 0);
      EXPECT_EQ(static_cast<Index>(std::set<Index>(now.labels.begin(), now.labels.end()).size()), now.segments);
      if (level == 0 || !all.nested) continue;
      EXPECT_EQ(now.segments, all.levels[level - 1].segments + 1);
      std::set<std::pair<Index, Index>> pairs;
      for (Index p = 0; p < shape.pixels(); ++p) pairs.insert({now.labels[p], all.levels[level - 1].labels[p]});
      EXPECT_EQ(static_cast<Index>(pairs.size()), now.segments);
    }
  }
}

TEST_P(EveryMethod, ThreadsDoNotMatter) {
  const PixelShape shape{50, 40};
  const Plane strength = four_fields(shape, 3);
  const SegmentOptions options{.method = GetParam(), .rank = 4, .superpixels = 8, .graph = {.radius = 8}};
  Segmentations one, two;
  with_threads(1, nullptr, [&] { one = segment(strength, strength, shape, options); });
  with_threads(2, nullptr, [&] { two = segment(strength, strength, shape, options); });
  ASSERT_EQ(one.levels.size(), two.levels.size());
  for (std::size_t level = 0; level < one.levels.size(); ++level)
    EXPECT_EQ(one.levels[level].labels, two.levels[level].labels);
}

TEST_P(EveryMethod, TinyAndFlatPicturesAreSegmentsToo) {
  const SegmentOptions options{.method = GetParam()};
  for (const PixelShape shape : {PixelShape{1, 1}, {2, 1}, {1, 3}, {3, 3}, {40, 1}}) {
    Plane strength(static_cast<std::size_t>(shape.pixels()), 0.0F);
    EXPECT_EQ(segment(strength, strength, shape, options).levels.size(), 1U);
    EXPECT_EQ(segment(strength, strength, shape, options).levels[0].segments, 1);
    strength[0] = 0.5F;
    for (const Segmentation& level : segment(strength, strength, shape, options).levels) {
      EXPECT_GE(level.segments, 1);
      EXPECT_LE(level.segments, shape.pixels());
    }
  }
}

TEST(Segment, StopsWhenAsked) {
  const PixelShape shape{60, 44};
  int told = 0;
  SegmentOptions options{.method = SegmentMethod::clust, .rank = 10, .graph = {.radius = 8}};
  options.progress = [&](const std::string&) { return ++told < 4; };
  const Segmentations some = segment(four_fields(shape, 4), four_fields(shape, 4), shape, options);
  EXPECT_EQ(some.stop_reason, StopReason::interrupted);
  EXPECT_GE(some.levels.size(), 1U);
  EXPECT_LT(some.levels.size(), 9U);
  options.progress = {};
  options.time_limit = 0;
  const Segmentations first = segment(four_fields(shape, 4), four_fields(shape, 4), shape, options);
  EXPECT_EQ(first.stop_reason, StopReason::time_limit);
  EXPECT_EQ(first.levels.size(), 1U);
}

TEST(Segment, RefusesWhatCannotBe) {
  EXPECT_THROW(segment(Plane(3), Plane(3), {2, 2}, {}), InvalidArgument);
  EXPECT_THROW(segment(Plane(4, 2.0F), Plane(4, 2.0F), {2, 2}, {}), InvalidArgument);
  EXPECT_THROW(segment(Plane(4, NAN), Plane(4, NAN), {2, 2}, {}), InvalidArgument);
  EXPECT_THROW(segment(Plane(4), Plane(4), {2, 2}, {.rank = 1}), InvalidArgument);
  EXPECT_THROW(segment(Plane(4), Plane(4), {2, 2}, {.superpixels = 1}), InvalidArgument);
  EXPECT_THROW(segment(Plane(4), Plane(4), {2, 2}, {.smallest = 2}), InvalidArgument);
}

}  // namespace
}  // namespace copse
