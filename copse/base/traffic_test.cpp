#include "copse/base/traffic.h"

#include <gtest/gtest.h>

namespace copse {
namespace {

constexpr Network only_latency{.latency = 1, .bandwidth = 1e300};
constexpr Network only_bytes{.latency = 0, .bandwidth = 1};

TEST(Traffic, IsThatOfTheCollectives) {
  // Four processes: two rounds of doubling, or three messages to the others.
  EXPECT_EQ(all_gather(100, 400, 4, only_latency).seconds, 2);
  EXPECT_EQ(all_gather(100, 400, 4, only_bytes).seconds, 300);
  EXPECT_EQ(all_gather(100, 400, 4, {}).bytes, 300);
  EXPECT_EQ(scatter_sum(100, 400, 4, only_latency).seconds, 3);
  EXPECT_EQ(scatter_sum(100, 400, 4, only_bytes).seconds, 300);
  EXPECT_EQ(all_gather(100, 500, 5, only_latency).seconds, 3);
  // Ten doubles to each of the three others; ten thousand by parts: 3/4 of them, and a quarter to each.
  EXPECT_EQ(sum_of(10, 4, {}).bytes, 240);
  EXPECT_EQ(sum_of(10'000, 4, {}).bytes, 60'000 + 60'000);
  EXPECT_EQ(sum_of(10'000, 4, only_latency).seconds, 3 + 2);
}

TEST(Traffic, OfAnIterationIsThatOfItsParts) {
  // W is 1024 x 6 floats, of which each has 256 rows: 256 rows to three others, 768 rows away.
  // Sums: three times 36, two times 6, and 1, 2 and 1 doubles to three others.
  const double w = 256 * 6 * 4 * 3, product = 768 * 6 * 4, sums = (3 * 36 + 2 * 6 + 4) * 8 * 3;
  EXPECT_EQ(iteration_traffic(1024, 6, 4, 4, {}).bytes, w + product + sums);
  // Two rounds for W, three messages for X H', two rounds for each of eight sums.
  EXPECT_EQ(iteration_traffic(1024, 6, 4, 4, only_latency).seconds, 2 + 3 + 8 * 2);
  EXPECT_EQ(iteration_traffic(1024, 6, 4, 4, {}, false).bytes, w + product + (3 * 36 + 3) * 8 * 3);
}

TEST(Traffic, OfOneProcessIsNone) {
  EXPECT_EQ(iteration_traffic(1024, 6, 4, 1, only_latency).bytes, 0);
  EXPECT_EQ(iteration_traffic(1024, 6, 4, 1, only_latency).seconds, 0);
}

}  // namespace
}  // namespace copse
