#include "copse/base/random.h"

#include <gtest/gtest.h>

#include <vector>

namespace copse {
namespace {

struct Moments {
  double mean, variance;
};

template <class Draw>
Moments moments(Draw draw, int count = 200000) {
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / count;
  return {mean, squares / count - mean * mean};
}

TEST(Random, SameSeedAndStreamGiveTheSameNumbers) {
  Random a(7, 3), b(7, 3), other_stream(7, 4), other_seed(8, 3);
  std::vector<std::uint32_t> first, stream, seed;
  for (int i = 0; i < 100; ++i) {
    first.push_back(a.bits());
    EXPECT_EQ(first.back(), b.bits());
    stream.push_back(other_stream.bits());
    seed.push_back(other_seed.bits());
  }
  EXPECT_NE(first, stream);
  EXPECT_NE(first, seed);
}

TEST(Random, MomentsAreThoseOfTheDistributions) {
  Random random(1);
  const auto uniform = moments([&] { return random.uniform(); });
  EXPECT_NEAR(uniform.mean, 0.5, 0.005);
  EXPECT_NEAR(uniform.variance, 1.0 / 12, 0.002);
  const auto normal = moments([&] { return random.normal(); });
  EXPECT_NEAR(normal.mean, 0, 0.01);
  EXPECT_NEAR(normal.variance, 1, 0.02);
  for (double shape : {0.3, 1.0, 4.5}) {
    const auto gamma = moments([&] { return random.gamma(shape); });
    EXPECT_NEAR(gamma.mean, shape, 0.03 * shape + 0.005);
    EXPECT_NEAR(gamma.variance, shape, 0.05 * shape + 0.01);
  }
}

TEST(Random, BelowStaysBelowAndReachesAll) {
  Random random(2);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[static_cast<std::size_t>(random.below(7))];
  for (int count : counts) EXPECT_NEAR(count, 10000, 500);
}

}  // namespace
}  // namespace copse
