#include "copse/measure/regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/random.h"

namespace copse {
namespace {

std::vector<Index> random_regions(std::size_t n, Index labels, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> out(n);
  for (Index& label : out) label = random.below(labels) * 10 - 5;
  return out;
}

// By sets of pixels, as the definition reads.
double naive_covering(const std::vector<Index>& found, const std::vector<Index>& truth) {
  const auto sets = [](const std::vector<Index>& labels) {
    std::vector<std::set<std::size_t>> all;
    for (const Index label : std::set<Index>(labels.begin(), labels.end())) {
      all.emplace_back();
      for (std::size_t p = 0; p < labels.size(); ++p) {
        if (labels[p] == label) all.back().insert(p);
      }
    }
    return all;
  };
  double sum = 0;
  for (const auto& region : sets(truth)) {
    double best = 0;
    for (const auto& other : sets(found)) {
      std::set<std::size_t> either = region;
      either.insert(other.begin(), other.end());
      const double both = static_cast<double>(region.size() + other.size() - either.size());
      best = std::max(best, both / static_cast<double>(either.size()));
    }
    sum += best * static_cast<double>(region.size());
  }
  return sum / static_cast<double>(found.size());
}

double entropy(const std::vector<Index>& labels) {
  double sum = 0;
  for (const Index label : std::set<Index>(labels.begin(), labels.end())) {
    const double p =
        static_cast<double>(std::count(labels.begin(), labels.end(), label)) / static_cast<double>(labels.size());
    sum -= p * std::log2(p);
  }
  return sum;
}

TEST(Regions, EqualTheirDefinitions) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto found = random_regions(37, 4, seed), truth = random_regions(37, 5, seed + 1000);
    EXPECT_NEAR(region_covering(found, truth), naive_covering(found, truth), 1e-12);
    std::vector<Index> both;
    for (std::size_t p = 0; p < found.size(); ++p) both.push_back(1000 * found[p] + truth[p]);
    // H(F) + H(T) - 2 I, with I = H(F) + H(T) - H(F, T).
    EXPECT_NEAR(variation_of_information(found, truth), 2 * entropy(both) - entropy(found) - entropy(truth), 1e-9);
    EXPECT_NEAR(variation_of_information(found, truth), variation_of_information(truth, found), 1e-12);
  }
}

TEST(Regions, EqualSegmentationsAreBest) {
  const auto labels = random_regions(50, 6, 1);
  EXPECT_DOUBLE_EQ(region_covering(labels, labels), 1);
  EXPECT_DOUBLE_EQ(variation_of_information(labels, labels), 0);
}

TEST(Regions, RefuseOtherSizes) {
  EXPECT_THROW(region_covering(std::vector<Index>{1}, std::vector<Index>{1, 2}), InvalidArgument);
  EXPECT_THROW(variation_of_information({}, {}), InvalidArgument);
}

}  // namespace
}  // namespace copse
