#include "copse/image/boundary_cue.h"

#include <gtest/gtest.h>

#include <cmath>

#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {
namespace {

Picture halves(Index width, Index height, bool upright) {
  Picture picture{.width = width, .height = height};
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const std::uint8_t value = (upright ? x < width / 2 : y < height / 2) ? 60 : 180;
      picture.rgb.insert(picture.rgb.end(), {value, value, value});
    }
  }
  return picture;
}

TEST(Lab, KnowsTheCornersOfTheColours) {
  Picture picture{.width = 4, .height = 1, .rgb = {0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 255}};
  const LabPlanes lab = lab_of(picture);
  const float expected[4][3] = {{0, 0, 0}, {100, 0, 0}, {53.24F, 80.09F, 67.20F}, {32.30F, 79.19F, -107.86F}};
  for (std::size_t p = 0; p < 4; ++p) {
    EXPECT_NEAR(lab.l[p], expected[p][0], 0.05);
    EXPECT_NEAR(lab.a[p], expected[p][1], 0.05);
    EXPECT_NEAR(lab.b[p], expected[p][2], 0.05);
  }
}

TEST(ShapeWithin, KeepsProportionsAndTheLimit) {
  EXPECT_EQ(shape_within({481, 321}, 38400), (PixelShape{240, 160}));
  EXPECT_EQ(shape_within({321, 481}, 38400), (PixelShape{160, 240}));
  EXPECT_EQ(shape_within({100, 50}, 38400), (PixelShape{100, 50}));
  EXPECT_EQ(shape_within({1, 1000000}, 1000), (PixelShape{1, 1000}));
  for (const Index limit : {1, 2, 17, 1000, 12345}) {
    for (const PixelShape shape : {PixelShape{3000, 2000}, {7, 5000}, {1, 1}, {20000, 20000}})
      EXPECT_LE(shape_within(shape, limit).pixels(), limit);
  }
}

TEST(ScaledDown, EveryPixelIsTheMeanOfItsArea) {
  Picture picture{.width = 4, .height = 2};
  for (int p = 0; p < 8; ++p)
    picture.rgb.insert(picture.rgb.end(), {static_cast<std::uint8_t>(10 * p), 0, static_cast<std::uint8_t>(100 + p)});
  const Picture half = scaled_down(picture, {2, 1});
  EXPECT_EQ(half.rgb, (std::vector<std::uint8_t>{25, 0, 103, 45, 0, 105}));  // means of 0 1 4 5 and 2 3 6 7
  EXPECT_EQ(scaled_down(picture, {4, 2}), picture);
}

TEST(BoundaryCues, AFlatPictureHasNone) {
  Picture flat{.width = 9, .height = 7, .rgb = std::vector<std::uint8_t>(189, 77)};
  for (const CueVector& cue : boundary_cues(lab_of(flat)).values) {
    for (const float value : cue) EXPECT_LT(value, 1e-12F);
  }
  const BoundaryStrength strength = boundary_strength(boundary_cues(lab_of(flat)), fitted_boundary_model());
  EXPECT_EQ(strength.strength, Plane(63, 0.0F));
}

TEST(BoundaryCues, AnEdgeIsStrongestWhereItLiesAndAlongIt) {
  for (const bool upright : {true, false}) {
    const Picture picture = halves(24, 24, upright);
    const BoundaryCues cues = boundary_cues(lab_of(picture));
    const auto brightness = static_cast<std::size_t>(Cue::coarse_brightness);
    // Orientation 0 parts left to right, orientation 4 from the top down.
    const Index along = upright ? 4 : 0, across = upright ? 0 : 4;
    const Index on = 12 * 24 + 12, off = upright ? 12 * 24 + 2 : 2 * 24 + 12;
    EXPECT_GT(cues.at(on, along)[brightness], 0.8F);
    EXPECT_GT(cues.at(on, along)[brightness], 4 * cues.at(on, across)[brightness]);
    EXPECT_LT(cues.at(off, along)[brightness], 0.01F);
    const BoundaryStrength strength = boundary_strength(cues, fitted_boundary_model());
    EXPECT_GT(strength.strength[on], 2 * strength.strength[off]);
    EXPECT_EQ(strength.orientation[on], along);
  }
}

TEST(BoundaryCues, StayBetweenZeroAndOneAndDoNotDependOnThreads) {
  Random random(1);
  Picture noise{.width = 23, .height = 17};
  for (Index i = 0; i < 3 * 23 * 17; ++i) noise.rgb.push_back(static_cast<std::uint8_t>(random.below(256)));
  BoundaryCues one, two;
  with_threads(1, nullptr, [&] { one = boundary_cues(lab_of(noise)); });
  with_threads(2, nullptr, [&] { two = boundary_cues(lab_of(noise)); });
  EXPECT_EQ(one.values, two.values);
  for (const CueVector& cue : one.values) {
    for (const float value : cue) EXPECT_TRUE(value >= 0 && value <= 1.0001F) << value;
  }
}

TEST(BoundaryCues, OnePixelIsEnough) {
  Picture dot{.width = 1, .height = 1, .rgb = {1, 2, 3}};
  const BoundaryStrength strength = boundary_strength(boundary_cues(lab_of(dot)), fitted_boundary_model());
  EXPECT_LT(strength.strength[0], 0.1F);
}

}  // namespace
}  // namespace copse
