#include "copse/cluster/k_means.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/generate/corpus.h"
#include "copse/generate/mixture.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/clustering.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;
using testing::to_sparse;

template <class T>
Dataset<T> dense(Matrix<T> items) {
  Dataset<T> data;
  data.values = std::move(items);
  return data;
}

template <class T>
Dataset<T> sparse(const Matrix<T>& items) {
  Matrix<T> by_features(items.cols(), items.rows());
  for (Index j = 0; j < items.rows(); ++j) {
    for (Index i = 0; i < items.cols(); ++i) by_features(i, j) = items(j, i);
  }
  Dataset<T> data;
  data.values = to_sparse(by_features);
  return data;
}

// Items with entries of both signs, some of them zero.
Matrix<double> signed_items(Index n, Index m, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> items(n, m);
  for (double& value : items.values()) value = random.uniform() < 0.4 ? 0 : random.normal();
  return items;
}

// Straight from the definition, on unit items where asked for.
struct Naive {
  Matrix<double> items;
  bool spherical = false;

  Naive(const Matrix<double>& given, bool unit) : items(given), spherical(unit) {
    for (Index j = 0; unit && j < items.rows(); ++j) {
      double square = 0;
      for (const double value : items.row(j)) square += value * value;
      for (double& value : items.row(j)) value /= square > 0 ? std::sqrt(square) : 1;
    }
  }
  double distance(Index j, std::span<const double> centre) const {
    double sum = 0, product = 0;
    for (Index i = 0; i < items.cols(); ++i) {
      sum += (items(j, i) - centre[i]) * (items(j, i) - centre[i]);
      product += items(j, i) * centre[i];
    }
    return spherical ? 1 - product : sum;
  }
  Matrix<double> centres(const std::vector<Index>& labels, Index k) const {
    Matrix<double> out(k, items.cols());
    std::vector<double> size(static_cast<std::size_t>(k), 0);
    for (Index j = 0; j < items.rows(); ++j) {
      if (labels[j] < 0) continue;
      size[labels[j]] += 1;
      for (Index i = 0; i < items.cols(); ++i) out(labels[j], i) += items(j, i);
    }
    for (Index c = 0; c < k; ++c) {
      double square = 0;
      for (const double value : out.row(c)) square += value * value;
      const double by = spherical ? std::sqrt(square) : size[c];
      for (double& value : out.row(c)) value /= by > 0 ? by : 1;
    }
    return out;
  }
  double objective(const std::vector<Index>& labels, Index k) const {
    const Matrix<double> c = centres(labels, k);
    double sum = 0;
    for (Index j = 0; j < items.rows(); ++j) sum += labels[j] < 0 ? 0 : distance(j, c.row(labels[j]));
    return sum;
  }
  std::vector<Index> lloyd(Matrix<double> centre, int rounds) const {
    std::vector<Index> labels(static_cast<std::size_t>(items.rows()), 0);
    for (int round = 0; round < rounds; ++round) {
      for (Index j = 0; j < items.rows(); ++j) {
        for (Index c = 0; c < centre.rows(); ++c) {
          if (distance(j, centre.row(c)) < distance(j, centre.row(labels[j]))) labels[j] = c;
        }
      }
      centre = centres(labels, centre.rows());
    }
    return labels;
  }
};

TEST(KMeans, CentresHoldNothingOfItemsThatLeft) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Matrix<double> items = signed_items(150, 40, seed);
    for (double& value : items.values()) value = std::abs(value);
    for (Index j = 0; j < items.rows(); ++j) {
      for (Index i = 0; i < items.cols(); ++i) items(j, i) = i % 3 == j % 3 || i < 4 ? items(j, i) : 0;
    }
    const auto found = k_means(sparse(items), {.clusters = 12, .spherical = true, .seed = seed});
    for (Index i = 0; i < items.cols(); ++i) {
      for (Index c = 0; c < found.centres.cols(); ++c) {
        bool occurs = false;
        for (Index j = 0; j < items.rows(); ++j) occurs = occurs || (found.labels[j] == c && items(j, i) > 0);
        if (occurs) {
          EXPECT_GT(found.centres(i, c), 0) << seed;
        } else {
          EXPECT_EQ(found.centres(i, c), 0) << seed;
        }
      }
    }
  }
}

TEST(KMeans, BatchesAreThoseOfTheDefinition) {
  for (const bool spherical : {false, true}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const Matrix<double> items = signed_items(300, 7, seed);
      const Naive naive(items, spherical);
      Matrix<double> start(7, 5), rows(5, 7);
      for (Index c = 0; c < 5; ++c) {
        for (Index i = 0; i < 7; ++i) start(i, c) = rows(c, i) = naive.items(50 * c, i);
      }
      const KMeansOptions options{.clusters = 5, .spherical = spherical, .online = false, .max_iterations = 1000};
      const std::vector<Index> expected = naive.lloyd(rows, 300);
      const auto from_dense = k_means(dense(items), options, start);
      const auto from_sparse = k_means(sparse(items), options, start);
      EXPECT_EQ(from_dense.labels, expected);
      EXPECT_EQ(from_sparse.labels, expected);
      EXPECT_EQ(from_dense.stop_reason, StopReason::converged);
      EXPECT_NEAR(from_dense.objective, naive.objective(expected, 5), 1e-10 * from_dense.objective);
      EXPECT_NEAR(from_sparse.objective, from_dense.objective, 1e-10 * from_dense.objective);
      EXPECT_NEAR(from_dense.objective, from_dense.history.back().objective, 1e-12 * from_dense.objective);
      const Matrix<double> centres = naive.centres(expected, 5);
      for (Index c = 0; c < 5; ++c) {
        for (Index i = 0; i < 7; ++i) {
          EXPECT_NEAR(from_dense.centres(i, c), centres(c, i), 1e-12);
          EXPECT_NEAR(from_sparse.centres(i, c), centres(c, i), 1e-12);
        }
      }
    }
  }
}

TEST(KMeans, NoSingleMoveLowersTheObjective) {
  for (const bool spherical : {false, true}) {
    int better = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const Matrix<double> items = signed_items(60, 4, 100 + seed);
      const Naive naive(items, spherical);
      KMeansOptions options{.clusters = 6, .spherical = spherical, .max_iterations = 1000, .seed = seed};
      const auto found = k_means(sparse(items), options);
      const double objective = naive.objective(found.labels, 6);
      EXPECT_NEAR(found.objective, objective, 1e-10);
      for (std::size_t t = 1; t < found.history.size(); ++t)
        EXPECT_LE(found.history[t].objective, found.history[t - 1].objective);
      std::vector<Index> labels = found.labels;
      for (Index j = 0; j < 60; ++j) {
        if (std::ranges::count(labels, labels[j]) < 2) continue;
        for (Index c = 0; c < 6; ++c) {
          const Index own = labels[j];
          labels[j] = c;
          EXPECT_GE(naive.objective(labels, 6), objective - 1e-9) << j << " to " << c;
          labels[j] = own;
        }
      }
      options.online = false;
      better += found.objective < k_means(sparse(items), options).objective - 1e-9;
    }
    EXPECT_GT(better, 2);  // batches alone end earlier
  }
}

TEST(KMeans, FindsTheBestPartitionOfAFewItems) {
  const Matrix<double> items = signed_items(9, 2, 4);
  const Naive naive(items, false);
  double best = 1e300;
  for (int code = 0; code < 19683; ++code) {
    std::vector<Index> labels;
    for (int rest = code, j = 0; j < 9; ++j, rest /= 3) labels.push_back(rest % 3);
    best = std::min(best, naive.objective(labels, 3));
  }
  const auto found = k_means(dense(items), {.clusters = 3, .runs = 20, .seed = 1});
  EXPECT_NEAR(found.objective, best, 1e-12);
  EXPECT_EQ(found.run_objectives.size(), 20U);
  EXPECT_EQ(found.objective, *std::ranges::min_element(found.run_objectives));
  EXPECT_EQ(found.objective, found.run_objectives[found.best_run]);
}

TEST(KMeans, FindsPlantedClusters) {
  const auto mixture = generate_mixture<float>({.k = 8, .features = 60, .items = 900, .seed = 3});
  for (const bool spherical : {false, true}) {
    const auto found = k_means(mixture.data, {.clusters = 8, .spherical = spherical, .runs = 5});
    EXPECT_EQ(compare_clusterings(found.labels, mixture.labels).accuracy, 1.0);
  }
  const auto corpus = generate_corpus<float>({.documents = 2000, .terms = 3000, .k = 6, .strength = 3, .seed = 5});
  const auto found = k_means(corpus.data, {.clusters = 6, .spherical = true, .runs = 5});
  EXPECT_GT(compare_clusterings(found.labels, corpus.labels).nmi, 0.9);
}

TEST(KMeans, ThreadsDoNotMatter) {
  const auto corpus = generate_corpus<float>({.documents = 1500, .terms = 2000, .k = 5, .seed = 9});
  for (const CentreStart start : {CentreStart::plus_plus, CentreStart::random}) {
    const KMeansOptions options{.clusters = 12, .spherical = true, .start = start, .seed = 3};
    KMeansResult<float> one, three;
    with_threads(1, nullptr, [&] { one = k_means(corpus.data, options); });
    with_threads(3, nullptr, [&] { three = k_means(corpus.data, options); });
    EXPECT_EQ(one.labels, three.labels);
    EXPECT_EQ(one.centres, three.centres);
    EXPECT_EQ(one.objective, three.objective);
    EXPECT_EQ(one.history.size(), three.history.size());
  }
}

TEST(KMeans, AnEmptyClusterTakesTheFarthestItem) {
  // The second centre is nearest to nobody; item 3 is the farthest from its own.
  const Matrix<double> items = [] {
    Matrix<double> x(4, 1);
    x(0, 0) = 0, x(1, 0) = 1, x(2, 0) = 2, x(3, 0) = 5;
    return x;
  }();
  Matrix<double> start(1, 2);
  start(0, 0) = 1, start(0, 1) = 100;
  const auto found = k_means(dense(items), {.clusters = 2, .online = false}, start);
  EXPECT_EQ(found.labels, (std::vector<Index>{0, 0, 0, 1}));
  EXPECT_DOUBLE_EQ(found.objective, 2);
}

TEST(KMeans, FewerDifferentItemsThanClusters) {
  Matrix<double> items(6, 2);
  for (Index j = 0; j < 6; ++j) items(j, j % 2) = 3;
  for (const bool spherical : {false, true}) {
    for (const CentreStart start : {CentreStart::plus_plus, CentreStart::random}) {
      for (const auto& data : {dense(items), sparse(items)}) {
        const auto found = k_means(data, {.clusters = 4, .spherical = spherical, .start = start});
        EXPECT_EQ(found.centres.cols(), 2);
        EXPECT_EQ(std::set<Index>(found.labels.begin(), found.labels.end()), (std::set<Index>{0, 1}));
        for (Index j = 0; j < 6; ++j) EXPECT_EQ(found.labels[j], found.labels[j % 2]);
        EXPECT_NEAR(found.objective, 0, 1e-12);
      }
    }
  }
}

TEST(KMeans, ItemsOfZerosHaveNoDirection) {
  Matrix<double> items = signed_items(20, 3, 8);
  for (double& value : items.row(4)) value = 0;
  EXPECT_EQ(k_means(sparse(items), {.clusters = 3, .spherical = true}).labels[4], -1);
  EXPECT_GE(k_means(sparse(items), {.clusters = 3}).labels[4], 0);
  const auto nothing = k_means(dense(Matrix<double>(5, 3)), {.clusters = 2, .spherical = true});
  EXPECT_EQ(nothing.labels, std::vector<Index>(5, -1));
  EXPECT_EQ(k_means(dense(Matrix<double>(5, 3)), {.clusters = 2}).labels, std::vector<Index>(5, 0));
}

TEST(KMeans, ScaleAndPlaceDoNotMatter) {
  const Matrix<double> items = signed_items(150, 3, 21);
  const auto plain = k_means(dense(items), {.clusters = 4, .seed = 2});
  Matrix<double> huge(items), tiny(items);
  for (double& value : huge.values()) value *= 0x1p+600;
  for (double& value : tiny.values()) value *= 0x1p-600;
  EXPECT_EQ(k_means(dense(huge), {.clusters = 4, .seed = 2}).labels, plain.labels);
  EXPECT_EQ(k_means(sparse(tiny), {.clusters = 4, .seed = 2}).labels,
            k_means(sparse(items), {.clusters = 4, .seed = 2}).labels);
  // What all items share drowns nothing, also in single precision.
  Matrix<float> far(150, 3), near(150, 3);
  for (Index j = 0; j < 150; ++j) {
    for (Index i = 0; i < 3; ++i) {
      near(j, i) = std::round(static_cast<float>(items(j, i)) * 64) / 64;
      far(j, i) = near(j, i) + 10000;
    }
  }
  EXPECT_EQ(k_means(dense(far), {.clusters = 4, .seed = 2}).labels,
            k_means(dense(near), {.clusters = 4, .seed = 2}).labels);
}

TEST(KMeans, RefusesWhatCannotBe) {
  const auto items = dense(signed_items(5, 2, 1));
  EXPECT_THROW(k_means(items, {.clusters = 0}), InvalidArgument);
  EXPECT_THROW(k_means(items, {.clusters = 6}), InvalidArgument);
  EXPECT_THROW(k_means(items, {.clusters = 2, .runs = 0}), InvalidArgument);
  EXPECT_THROW(k_means(items, {.clusters = 2, .tolerance = NAN}), InvalidArgument);
  EXPECT_THROW(k_means(items, {.clusters = 2}, Matrix<double>(3, 2)), InvalidArgument);
  Matrix<double> wrong = signed_items(5, 2, 1);
  wrong(2, 1) = NAN;
  EXPECT_THROW(k_means(dense(wrong), {.clusters = 2}), InvalidArgument);
  EXPECT_EQ(k_means(dense(signed_items(1, 2, 1)), {.clusters = 1}).labels, std::vector<Index>{0});
  EXPECT_NEAR(k_means(items, {.clusters = 5}).objective, 0, 1e-12);
}

TEST(KMeans, StopsWhenAskedTo) {
  const auto corpus = generate_corpus<double>({.documents = 800, .terms = 900, .k = 5, .seed = 9});
  KMeansOptions options{.clusters = 9, .spherical = true};
  options.progress = [](const MethodIteration& step) { return step.number < 2; };
  const auto stopped = k_means(corpus.data, options);
  EXPECT_EQ(stopped.history.size(), 2U);
  EXPECT_EQ(stopped.stop_reason, StopReason::interrupted);
  options.progress = {};
  options.max_iterations = 3;
  EXPECT_EQ(k_means(corpus.data, options).stop_reason, StopReason::max_iterations);
  Cancellation stop;
  options.max_iterations = 100;
  options.progress = [&](const MethodIteration& step) {
    if (step.number == 2) stop.request();
    return true;
  };
  KMeansResult<double> found;
  with_threads(2, &stop, [&] { found = k_means(corpus.data, options); });
  EXPECT_EQ(found.stop_reason, StopReason::interrupted);
  EXPECT_EQ(found.labels, stopped.labels);
}

TEST(NearestWeights, TellTheTwoNearestCentres) {
  const Matrix<double> items = signed_items(40, 3, 30);
  const Matrix<double> w = random_dense<double>(3, 5, 31);
  for (const PlaceBy by : {PlaceBy::angle, PlaceBy::distance}) {
    for (const auto& data : {dense(items), sparse(items)}) {
      const Matrix<double> weights = nearest_weights(*in_memory(data), w, by);
      for (Index j = 0; j < 40; ++j) {
        std::vector<std::pair<double, Index>> distances;
        double length = 0;
        for (Index i = 0; i < 3; ++i) length += items(j, i) * items(j, i);
        for (Index c = 0; c < 5; ++c) {
          double square = 0, centre = 0;
          for (Index i = 0; i < 3; ++i) centre += w(i, c) * w(i, c);
          for (Index i = 0; i < 3; ++i) {
            const double d = by == PlaceBy::angle ? items(j, i) / std::sqrt(length) - w(i, c) / std::sqrt(centre)
                                                  : items(j, i) - w(i, c);
            square += d * d;
          }
          distances.emplace_back(std::sqrt(square), c);
        }
        if (!(length > 0) && by == PlaceBy::angle) {
          for (const double weight : weights.row(j)) EXPECT_EQ(weight, 0);
          continue;
        }
        std::ranges::sort(distances);
        const double sum = distances[0].first + distances[1].first;
        EXPECT_NEAR(weights(j, distances[0].second), distances[1].first / sum, 1e-9);
        EXPECT_NEAR(weights(j, distances[1].second), distances[0].first / sum, 1e-9);
        EXPECT_EQ(std::ranges::count(weights.row(j), 0.0), 3);
      }
    }
  }
}

TEST(NearestWeights, OfEquallyNearCentresTheFirstCounts) {
  Matrix<float> item(1, 2), w(2, 3);
  item(0, 0) = 1;
  w(0, 1) = w(0, 2) = 1, w(0, 0) = 9;
  for (const PlaceBy by : {PlaceBy::angle, PlaceBy::distance}) {
    w(1, 0) = by == PlaceBy::angle ? 9 : 0;
    const Dataset<float> data = dense(item);
    const Matrix<float> weights = nearest_weights(*in_memory(data), w, by);
    EXPECT_EQ(std::ranges::max_element(weights.row(0)) - weights.row(0).begin(), 1);
    EXPECT_GT(weights(0, 1), 0.0F);
  }
  const Dataset<float> one = dense(item);
  EXPECT_EQ(nearest_weights(*in_memory(one), Matrix<float>(2, 1), PlaceBy::distance)(0, 0), 1.0F);
}

}  // namespace
}  // namespace copse
