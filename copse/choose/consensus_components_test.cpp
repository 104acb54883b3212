#include "copse/choose/consensus_components.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/component_match.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/error.h"
#include "copse/nmf/start.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;
namespace naive = testing::naive;

// Columns that share few features.
Matrix<double> planted_components(Index features, Index k, std::uint64_t seed) {
  Matrix<double> w = random_dense<double>(features, k, seed);
  for (Index i = 0; i < features; ++i) {
    for (Index c = 0; c < k; ++c) w(i, c) = i % k == c ? w(i, c) + 0.2 : 0;
  }
  return w;
}

// Each run has the components in another order and at another scale, with noise.
std::vector<Matrix<double>> noisy_runs(const Matrix<double>& w, int count, double noise, std::uint64_t seed) {
  const Index k = w.cols();
  std::vector<Matrix<double>> runs;
  for (int r = 0; r < count; ++r) {
    Random random(seed, static_cast<std::uint64_t>(r));
    Matrix<double> run(w.rows(), k);
    for (Index i = 0; i < w.rows(); ++i) {
      for (Index c = 0; c < k; ++c)
        run(i, (c + r) % k) = (1.0 + static_cast<double>(c)) * std::max(0.0, w(i, c) + noise * random.normal());
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<std::vector<double>> unit_vectors(const std::vector<Matrix<double>>& runs) {
  std::vector<std::vector<double>> vectors;
  for (const Matrix<double>& run : runs) {
    for (Index c = 0; c < run.cols(); ++c) {
      std::vector<double> v;
      double square = 0;
      for (Index i = 0; i < run.rows(); ++i) {
        v.push_back(run(i, c));
        square += run(i, c) * run(i, c);
      }
      for (double& value : v) value /= square > 0 ? std::sqrt(square) : 1;
      vectors.push_back(std::move(v));
    }
  }
  return vectors;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// The least cosine of a planted component with its partner.
double least_match(const Matrix<double>& found, const Matrix<double>& planted) {
  double least = 1;
  for (const ComponentMatch& match : match_components(naive::transposed(found), naive::transposed(planted)))
    least = std::min(least, match.cosine);
  return least;
}

TEST(ConsensusComponents, FollowTheirDefinition) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Index k = 2 + static_cast<Index>(seed % 3);
    const auto runs = noisy_runs(planted_components(13, k, seed), 7, 0.15, seed);
    ConsensusOptions options{.neighbour_share = seed % 2 == 0 ? 0.3 : 0.6, .most_distance = 0.45};
    ConsensusOfRuns found;
    const Matrix<double> w = group_components(runs, options, seed, found);
    const auto vectors = unit_vectors(runs);
    const auto count = vectors.size();
    EXPECT_EQ(found.runs, 7);
    EXPECT_EQ(found.neighbours, seed % 2 == 0 ? 2 : 4);
    ASSERT_EQ(found.groups.size(), count);
    for (std::size_t a = 0; a < count; ++a) {
      std::vector<double> others;
      for (std::size_t b = 0; b < count; ++b) {
        if (b != a) others.push_back(distance(vectors[a], vectors[b]));
      }
      std::ranges::sort(others);
      const auto end = others.begin() + found.neighbours;
      EXPECT_NEAR(found.distances[a], std::accumulate(others.begin(), end, 0.0) / static_cast<double>(found.neighbours),
                  1e-7);
      EXPECT_EQ(found.groups[a] >= 0, found.distances[a] <= options.most_distance);
    }
    for (Index g = 0; g < k; ++g) {
      std::vector<std::size_t> members;
      double silhouettes = 0;
      std::vector<char> in_run(7);
      for (std::size_t a = 0; a < count; ++a) {
        if (found.groups[a] != g) continue;
        members.push_back(a);
        in_run[a / static_cast<std::size_t>(k)] = 1;
      }
      ASSERT_GE(members.size(), 2U);
      for (const std::size_t a : members) {
        std::vector<double> sums(static_cast<std::size_t>(k)), sizes(static_cast<std::size_t>(k));
        for (std::size_t b = 0; b < count; ++b) {
          if (b == a || found.groups[b] < 0) continue;
          sums[found.groups[b]] += distance(vectors[a], vectors[b]);
          ++sizes[found.groups[b]];
        }
        double nearest = 1e9;
        for (Index other = 0; other < k; ++other) {
          if (other != g) nearest = std::min(nearest, sums[other] / sizes[other]);
        }
        const double within = sums[g] / sizes[g];
        silhouettes += (nearest - within) / std::max(nearest, within);
      }
      EXPECT_NEAR(found.silhouettes[g], silhouettes / static_cast<double>(members.size()), 1e-6);
      EXPECT_NEAR(found.shares[g], std::accumulate(in_run.begin(), in_run.end(), 0.0) / 7, 1e-12);
      std::vector<double> medians;
      double square = 0;
      for (Index i = 0; i < 13; ++i) {
        std::vector<double> values;
        for (const std::size_t a : members) values.push_back(vectors[a][static_cast<std::size_t>(i)]);
        std::ranges::sort(values);
        const std::size_t half = values.size() / 2;
        medians.push_back(values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2);
        square += medians.back() * medians.back();
      }
      for (Index i = 0; i < 13; ++i)
        EXPECT_NEAR(w(i, g), medians[static_cast<std::size_t>(i)] / std::sqrt(square), 1e-7);
    }
  }
}

TEST(ConsensusComponents, LonersAreLeftOutAndDoNotBendTheMedians) {
  const Matrix<double> planted = planted_components(40, 4, 1);
  auto runs = noisy_runs(planted, 20, 0.02, 2);
  // In each of five runs one component is something else.
  for (Index r = 0; r < 5; ++r) {
    Random random(100, static_cast<std::uint64_t>(r));
    for (Index i = 0; i < 40; ++i) runs[r](i, r % 4) = random.uniform() < 0.1 ? 5 * random.uniform() : 0;
  }
  ConsensusOfRuns found;
  const Matrix<double> w = group_components(runs, {.most_distance = 0.3}, 3, found);
  for (Index r = 0; r < 5; ++r) EXPECT_EQ(found.groups[r * 4 + r % 4], -1);
  EXPECT_EQ(std::ranges::count(found.groups, Index(-1)), 5);
  EXPECT_GT(least_match(w, planted), 0.995);
  double least_share = 1;
  for (const double share : found.shares) least_share = std::min(least_share, share);
  EXPECT_LT(least_share, 1);
  EXPECT_GT(least_share, 0.7);
}

TEST(ConsensusComponents, AComponentOfZerosIsALonerWhateverTheDistance) {
  auto runs = noisy_runs(planted_components(12, 3, 4), 5, 0.01, 4);
  for (Index i = 0; i < 12; ++i) runs[2](i, 1) = 0;
  ConsensusOfRuns found;
  const Matrix<double> w = group_components(runs, {.most_distance = 2}, 5, found);
  EXPECT_EQ(found.groups[7], -1);
  EXPECT_EQ(std::ranges::count(found.groups, Index(-1)), 1);
  for (const double value : w.values()) EXPECT_TRUE(std::isfinite(value));
}

TEST(ConsensusComponents, AMedianOfZerosBecomesTheMean) {
  // Three copies of a kind of component that has no feature in more than one of them.
  std::vector<Matrix<double>> runs;
  for (Index r = 0; r < 3; ++r) {
    Matrix<double> w(4, 1);
    w(r, 0) = 2;
    runs.push_back(std::move(w));
  }
  ConsensusOfRuns found;
  const Matrix<double> w = group_components(runs, {.most_distance = 2}, 6, found);
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(w(i, 0), 1 / std::sqrt(3.0), 1e-12);
  EXPECT_EQ(w(3, 0), 0);
}

TEST(ConsensusComponents, TooStrictADistanceGetsASentence) {
  const auto runs = noisy_runs(planted_components(12, 3, 7), 5, 0.3, 7);
  ConsensusOfRuns found;
  EXPECT_THROW(group_components(runs, {.most_distance = 1e-9}, 1, found), InputError);
  EXPECT_THROW(group_components(runs, {.most_distance = -1}, 1, found), InvalidArgument);
  EXPECT_THROW(group_components(runs, {.neighbour_share = 0}, 1, found), InvalidArgument);
}

// X as items x features, its planted W and a baseline.
struct PlantedData {
  Matrix<double> items, w;
};
PlantedData planted_data(Index features, Index count, Index k, double baseline, double noise, std::uint64_t seed) {
  PlantedData data{Matrix<double>(count, features), planted_components(features, k, seed)};
  Random random(seed, 1);
  for (Index j = 0; j < count; ++j) {
    std::vector<double> h(static_cast<std::size_t>(k));
    for (double& value : h) value = random.uniform() < 0.5 ? 0 : random.uniform();
    for (Index i = 0; i < features; ++i) {
      double value = baseline * static_cast<double>(1 + i % 3) + noise * random.normal();
      for (Index c = 0; c < k; ++c) value += data.w(i, c) * h[c];
      data.items(j, i) = std::max(0.0, value);
    }
  }
  return data;
}

TEST(FactorizeByConsensus, FindsPlantedComponentsAndSaysTheTrueError) {
  for (const bool affine : {false, true}) {
    const PlantedData data = planted_data(30, 200, 4, affine ? 0.7 : 0, 0.02, 11);
    const DenseData<double> x(data.items);
    const auto [nmf, consensus] = factorize_by_consensus<double>(
        x, {.rank = 4, .start = Start::random, .seed = 3, .affine = affine}, {.runs = 12});
    EXPECT_EQ(consensus.runs, 12);
    EXPECT_EQ(nmf.run_errors.size(), 12U);
    EXPECT_GT(least_match(nmf.w, data.w), affine ? 0.9 : 0.98);
    double error = 0, square = 0;
    std::vector<double> weights(4);
    for (Index j = 0; j < 200; ++j) {
      for (Index i = 0; i < 30; ++i) {
        double left = data.items(j, i) - (affine ? nmf.baseline[i] : 0);
        for (Index c = 0; c < 4; ++c) left -= nmf.w(i, c) * nmf.h(j, c);
        error += left * left;
        square += data.items(j, i) * data.items(j, i);
      }
      for (Index c = 0; c < 4; ++c) weights[c] += nmf.h(j, c);
    }
    EXPECT_NEAR(nmf.relative_error, std::sqrt(error / square), 1e-7);
    EXPECT_TRUE(std::ranges::is_sorted(weights, std::ranges::greater()));
    // H is exact: no coordinate could be better.
    for (Index j = 0; j < 200; ++j) {
      for (Index c = 0; c < 4; ++c) {
        double slope = 0;
        for (Index i = 0; i < 30; ++i) {
          double left = data.items(j, i) - (affine ? nmf.baseline[i] : 0);
          for (Index d = 0; d < 4; ++d) left -= nmf.w(i, d) * nmf.h(j, d);
          slope -= nmf.w(i, c) * left;
        }
        EXPECT_GT(slope, -1e-7);
        EXPECT_LT(nmf.h(j, c) > 0 ? std::abs(slope) : 0, 1e-7);
      }
    }
    // Near the best run, which fits the data as well as can be.
    const double best = *std::ranges::min_element(nmf.run_errors);
    EXPECT_GT(nmf.relative_error, 0.99 * best);
    EXPECT_LT(nmf.relative_error, 1.1 * best);
  }
}

// The medians of each group of the runs, fitted once more: nearer to the data, and in the order of the result.
TEST(FactorizeByConsensus, RefitsTheMediansOfItsGroups) {
  const PlantedData data = planted_data(30, 120, 4, 0, 0.3, 61);
  const DenseData<double> x(data.items);
  NmfOptions options{.rank = 4, .start = Start::random, .max_iterations = 5, .seed = 9};  // not at rest
  const auto [nmf, consensus] = factorize_by_consensus<double>(x, options, {.runs = 9, .most_distance = 2});
  std::vector<std::vector<std::vector<double>>> values(4, std::vector<std::vector<double>>(30));
  for (int r = 0; r < 9; ++r) {
    options.seed = seed_of_run(9, r);
    const NmfResult<double> run = factorize(x, options);
    EXPECT_EQ(run.relative_error, nmf.run_errors[r]);
    for (Index c = 0; c < 4; ++c) {
      const Index group = consensus.groups[4 * r + c];
      ASSERT_GE(group, 0);
      for (Index i = 0; i < 30; ++i) values[group][i].push_back(run.w(i, c));
    }
  }
  Matrix<double> medians(30, 4);
  for (Index g = 0; g < 4; ++g) {
    for (Index i = 0; i < 30; ++i) {
      auto& list = values[g][i];
      std::ranges::sort(list);
      medians(i, g) = (list[(list.size() - 1) / 2] + list[list.size() / 2]) / 2;
    }
  }
  const auto matches = match_components(naive::transposed(nmf.w), naive::transposed(medians));
  for (Index g = 0; g < 4; ++g) EXPECT_EQ(matches[g].partner, g);
  const double before = relative_error<double>(x, medians, assign_items<double>(x, medians));
  EXPECT_LT(nmf.relative_error, before - 1e-6);
}

TEST(FactorizeByConsensus, BitsDoNotDependOnThreadsNorGroupsOnTheScale) {
  const PlantedData data = planted_data(24, 150, 3, 0, 0.05, 21);
  const DenseData<double> x(data.items);
  const NmfOptions options{.rank = 3, .seed = 5};
  ConsensusResult<double> one, four;
  with_threads(1, nullptr, [&] { one = factorize_by_consensus<double>(x, options, {.runs = 6}); });
  with_threads(4, nullptr, [&] { four = factorize_by_consensus<double>(x, options, {.runs = 6}); });
  EXPECT_EQ(one.nmf.w, four.nmf.w);
  EXPECT_EQ(one.nmf.h, four.nmf.h);
  EXPECT_EQ(one.consensus.groups, four.consensus.groups);
  Matrix<double> huge = data.items;
  for (double& value : huge.values()) value = std::ldexp(value, 300);
  const DenseData<double> scaled(huge);
  const auto large = factorize_by_consensus<double>(scaled, options, {.runs = 6});
  EXPECT_EQ(large.nmf.w, one.nmf.w);
  EXPECT_EQ(large.consensus.groups, one.consensus.groups);
  EXPECT_DOUBLE_EQ(large.nmf.h(0, 0), std::ldexp(one.nmf.h(0, 0), 300));
}

TEST(FactorizeByConsensus, MoreComponentsThanDirectionsGiveFiniteFactors) {
  const PlantedData data = planted_data(10, 40, 2, 0, 0, 31);
  const DenseData<double> x(data.items);
  const auto result = factorize_by_consensus<double>(x, {.rank = 5, .seed = 1}, {.runs = 5, .most_distance = 2});
  for (const double value : result.nmf.w.values()) EXPECT_TRUE(std::isfinite(value) && value >= 0);
  for (const double value : result.nmf.h.values()) EXPECT_TRUE(std::isfinite(value) && value >= 0);
}

TEST(FactorizeByConsensus, WhatItCannotDoIsRefused) {
  const PlantedData data = planted_data(10, 40, 2, 0, 0, 41);
  const DenseData<double> x(data.items);
  EXPECT_THROW(factorize_by_consensus<double>(x, {.rank = 2}, {.runs = 1}), InvalidArgument);
  EXPECT_THROW(factorize_by_consensus<double>(x, {.rank = 2, .runs = 3}, {.runs = 3}), InvalidArgument);
  EXPECT_THROW(factorize_by_consensus<double>(x, {.rank = 2, .loss = Loss::kullback_leibler}, {.runs = 3}),
               InvalidArgument);
  EXPECT_THROW(factorize_by_consensus<double>(x, {.rank = 2, .alpha = 1, .beta = 1}, {.runs = 3}), InvalidArgument);
}

TEST(FactorizeByConsensus, AnInterruptionKeepsTheRunsThatHaveEnded) {
  const PlantedData data = planted_data(20, 100, 3, 0, 0.05, 51);
  const DenseData<double> x(data.items);
  int first_iterations = 0;
  NmfOptions options{.rank = 3, .seed = 2};
  options.progress = [&](const Iteration& iteration) {
    first_iterations += iteration.number == 1;
    return first_iterations < 5;  // the fifth run is cut
  };
  const auto four = factorize_by_consensus<double>(x, options, {.runs = 10});
  EXPECT_EQ(four.consensus.runs, 4);
  EXPECT_EQ(four.nmf.stop_reason, StopReason::interrupted);
  options.progress = [](const Iteration&) { return false; };
  const auto one = factorize_by_consensus<double>(x, options, {.runs = 10});
  EXPECT_EQ(one.consensus.runs, 1);
  EXPECT_TRUE(one.consensus.groups.empty());
  EXPECT_EQ(one.nmf.stop_reason, StopReason::interrupted);
  EXPECT_GT(one.nmf.relative_error, 0);
}

}  // namespace
}  // namespace copse
