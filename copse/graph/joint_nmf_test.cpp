#include "copse/graph/joint_nmf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/graph.h"
#include "copse/graph/normalize.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/clustering.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/clusters.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

// Edges within k groups (item i is in group i % k) with probability `within`, between them with `between`; the items
// from `linked` on have none.
template <class T>
SparseMatrix<T> grouped_graph(Index n, Index k, double within, double between, Index linked, std::uint64_t seed) {
  Random random(seed);
  std::vector<Edge> edges;
  for (Index i = 0; i < linked; ++i) {
    for (Index j = 0; j < i; ++j) {
      const bool same = i % k == j % k;
      if (random.uniform() < (same ? within : between))
        edges.push_back({static_cast<RowIndex>(i), static_cast<RowIndex>(j), 0.5 + random.uniform()});
    }
  }
  return normalized<T>(graph_from_edges<T>(n, edges).weights, 0.1);
}

// Items of k groups with `own` features each, of which they hold a share of `share`, and random features besides.
template <class T>
SparseMatrix<T> grouped_words(Index n, Index k, Index own, double share, double noise, std::uint64_t seed) {
  Random random(seed);
  Matrix<T> x(k * own, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < k * own; ++i) {
      const bool same = i / own == j % k;
      if (random.uniform() < (same ? share : noise)) x(i, j) = static_cast<T>(0.2 + random.uniform());
    }
  }
  return testing::to_sparse(x);
}

struct Dense {
  Matrix<double> x, s;     // features x items; items x items
  Matrix<double> w, h, g;  // m x k, n x k, n x k
  std::vector<bool> is_linked;
  double a, b;

  // |X - W H|^2 + a |S - G'H|^2 + b |G - H|^2, the last two over linked items.
  double objective() const {
    double sum = 0;
    const auto product = [&](const Matrix<double>& p, Index i, const Matrix<double>& q, Index j) {
      double value = 0;
      for (Index c = 0; c < p.cols(); ++c) value += p(i, c) * q(j, c);
      return value;
    };
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < x.cols(); ++j) sum += std::pow(x(i, j) - product(w, i, h, j), 2);
    }
    for (Index i = 0; i < s.rows(); ++i) {
      if (!is_linked[i]) continue;
      for (Index j = 0; j < s.rows(); ++j) {
        if (is_linked[j]) sum += a * std::pow(s(i, j) - product(g, i, h, j), 2);
      }
      for (Index c = 0; c < h.cols(); ++c) sum += b * std::pow(g(i, c) - h(i, c), 2);
    }
    return sum;
  }

  // One entry after the other to its minimiser given all others: f is a parabola in each, read off three points.
  void sweep(Matrix<double>& factor) {
    for (double& entry : factor.values()) {
      const double old = entry;
      entry = 0;
      const double f0 = objective();
      entry = 1;
      const double f1 = objective();
      entry = 2;
      const double f2 = objective();
      const double curvature = (f2 - 2 * f1 + f0) / 2;
      const double slope = f1 - f0 - curvature;
      entry = curvature > 0 ? std::max(0.0, -slope / (2 * curvature)) : old;
    }
  }

  double slope(double& entry) {
    const double old = entry, step = 1e-5;
    entry = old + step;
    const double up = objective();
    entry = old - step;
    const double down = objective();
    entry = old;
    return (up - down) / (2 * step);
  }
};

Dense at_solution(const SparseMatrix<double>& x, const SparseMatrix<double>& s, const JointResult<double>& result) {
  Dense dense{
      testing::to_dense(x), testing::to_dense(s), result.nmf.w, result.nmf.h, result.twin, {}, result.a, result.b};
  for (Index j = 0; j < s.cols; ++j) dense.is_linked.push_back(s.offsets[j + 1] > s.offsets[j]);
  for (Index c = 0; c < result.nmf.w.cols(); ++c) {
    for (Index i = 0; i < dense.w.rows(); ++i) dense.w(i, c) *= result.scale[c];
    for (Index j = 0; j < dense.h.rows(); ++j) dense.h(j, c) /= result.scale[c];
    for (Index j = 0; j < dense.g.rows(); ++j) dense.g(j, c) /= result.scale[c];
  }
  return dense;
}

JointOptions exact_options(Index rank, double weight) {
  JointOptions options;
  options.nmf = {.rank = rank, .max_iterations = 20000, .tolerance = 1e-10};
  options.weight = weight;
  return options;
}

std::vector<Index> groups(Index n, Index k) {
  std::vector<Index> labels;
  for (Index j = 0; j < n; ++j) labels.push_back(j % k);
  return labels;
}

template <class T>
double nmi_of(const Matrix<T>& h, Index k) {
  return compare_clusterings(cluster_items(h).labels, groups(h.rows(), k)).nmi;
}

TEST(JointNmf, ObjectiveIsTheOneOfTheDefinitionAndNeverRises) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const double scale : {1.0, 1e-5, 3e7}) {
      auto x = grouped_words<double>(24, 3, 5, 0.6, 0.2, seed);
      auto s = grouped_graph<double>(24, 3, 0.5, 0.1, seed == 3 ? 20 : 24, seed + 10);
      for (double& value : x.values) value *= scale;
      for (double& value : s.values) value *= 3 * scale;
      const SparseData<double> data(x);
      JointOptions options = exact_options(3, 1);
      options.nmf.max_iterations = 40;
      options.nmf.tolerance = 0;
      const auto result = factorize_joint<double>(data, s, options);
      EXPECT_NEAR(result.nmf.objective / at_solution(x, s, result).objective(), 1, 1e-9);
      ASSERT_GE(result.objectives.size(), 10u);
      EXPECT_TRUE(std::ranges::is_sorted(result.objectives, std::greater<>()));
      EXPECT_LT(result.objectives.back(), result.objectives.front());
      EXPECT_EQ(result.objectives.back(), result.nmf.objective);
    }
  }
}

TEST(JointNmf, TheEndMeetsTheKktConditions) {
  for (const double weight : {0.05, 1.0, 8.0}) {
    const auto x = grouped_words<double>(20, 3, 4, 0.6, 0.25, 4);
    const auto s = grouped_graph<double>(20, 3, 0.6, 0.1, 17, 5);
    const SparseData<double> data(x);
    const auto result = factorize_joint<double>(data, s, exact_options(3, weight));
    ASSERT_EQ(result.nmf.stop_reason, StopReason::converged);
    Dense dense = at_solution(x, s, result);
    const double scale = data.squared_norm();
    for (Matrix<double>* factor : {&dense.w, &dense.h, &dense.g}) {
      for (Index i = 0; i < factor->rows(); ++i) {
        if (factor == &dense.g && !dense.is_linked[i]) continue;
        for (Index c = 0; c < 3; ++c) {
          double& entry = (*factor)(i, c);
          const double slope = dense.slope(entry) / scale;
          if (entry > 1e-7) {
            EXPECT_NEAR(slope, 0, 1e-5) << weight;
          } else {
            EXPECT_GE(slope, -1e-5) << weight;
          }
        }
      }
    }
  }
}

TEST(JointNmf, ReachesWhatDenseCoordinateDescentReaches) {
  const auto x = grouped_words<double>(15, 2, 5, 0.7, 0.2, 6);
  const auto s = grouped_graph<double>(15, 2, 0.7, 0.1, 15, 7);
  const SparseData<double> data(x);
  const auto w = testing::random_dense<double>(10, 2, 8);
  const auto h = testing::random_dense<double>(15, 2, 9);
  const auto result = factorize_joint<double>(data, s, exact_options(2, 1), w, h);
  Dense dense = at_solution(x, s, result);
  const double found = dense.objective();
  dense.w = w;
  dense.h = h;
  dense.g = h;
  for (int round = 0; round < 400; ++round) {
    for (Matrix<double>* factor : {&dense.h, &dense.g, &dense.w}) dense.sweep(*factor);
  }
  EXPECT_NEAR(found / dense.objective(), 1, 1e-6);
}

TEST(JointNmf, WithoutWeightOrEdgesItIsPlainNmf) {
  const auto x = grouped_words<float>(40, 4, 6, 0.5, 0.2, 10);
  const auto s = grouped_graph<float>(40, 4, 0.5, 0.1, 40, 11);
  const SparseData<float> data(x);
  JointOptions options;
  options.nmf = {.rank = 4, .seed = 3};
  const auto plain = factorize(data, options.nmf);
  options.weight = 0;
  const auto without_weight = factorize_joint<float>(data, s, options);
  EXPECT_EQ(without_weight.nmf.w, plain.w);
  EXPECT_EQ(without_weight.nmf.h, plain.h);
  options.weight = 1;
  const auto without_edges = factorize_joint<float>(data, grouped_graph<float>(40, 4, 1, 1, 0, 1), options);
  EXPECT_EQ(without_edges.nmf.w, plain.w);
  EXPECT_EQ(without_edges.nmf.h, plain.h);
}

TEST(JointNmf, ASmallWeightGivesNearlyPlainNmf) {
  const auto x = grouped_words<double>(40, 4, 6, 0.5, 0.1, 12);
  const auto s = grouped_graph<double>(40, 4, 0.5, 0.1, 40, 13);
  const SparseData<double> data(x);
  const JointOptions options = exact_options(4, 1e-9);
  const auto plain = factorize(data, options.nmf);
  const auto joint = factorize_joint<double>(data, s, options);
  for (Index i = 0; i < plain.w.rows(); ++i) {
    for (Index c = 0; c < 4; ++c) EXPECT_NEAR(joint.nmf.w(i, c), plain.w(i, c), 1e-4);
  }
}

TEST(JointNmf, LinksTellWhatWordsDoNot) {
  double words = 0, both = 0;
  for (const std::uint64_t seed : {20, 21, 22}) {
    const auto x = grouped_words<float>(240, 4, 30, 0.16, 0.11, seed);
    const auto s = grouped_graph<float>(240, 4, 0.2, 0.02, 240, seed + 100);
    const SparseData<float> data(x);
    JointOptions options;
    options.nmf = {.rank = 4, .seed = seed};
    words += nmi_of(factorize(data, options.nmf).h, 4) / 3;
    both += nmi_of(factorize_joint<float>(data, s, options).nmf.h, 4) / 3;
  }
  EXPECT_LT(words, 0.6);
  EXPECT_GT(both, 0.9);
}

TEST(JointNmf, ItemsWithoutEdgesArePlacedByTheirWordsAlone) {
  const auto x = grouped_words<double>(60, 3, 10, 0.5, 0.1, 30);
  const auto s = grouped_graph<double>(60, 3, 0.4, 0.05, 45, 31);
  const SparseData<double> data(x);
  const auto result = factorize_joint<double>(data, s, exact_options(3, 2));
  const Matrix<double> alone = assign_items<double>(data, result.nmf.w);
  double moved = 0;
  for (Index j = 0; j < 60; ++j) {
    for (Index c = 0; c < 3; ++c) {
      if (j < 45) {
        moved = std::max(moved, std::abs(result.nmf.h(j, c) - alone(j, c)));
      } else {
        EXPECT_NEAR(result.nmf.h(j, c), alone(j, c), 1e-6);
        EXPECT_EQ(result.twin(j, c), 0);
      }
    }
  }
  EXPECT_GT(moved, 0.01);
}

TEST(JointNmf, KeepsAGivenW) {
  const auto x = grouped_words<double>(60, 3, 10, 0.4, 0.1, 32);
  const auto s = grouped_graph<double>(60, 3, 0.4, 0.05, 60, 33);
  const SparseData<double> data(x);
  const auto plain = factorize(data, {.rank = 3});
  JointOptions options = exact_options(3, 1);
  options.keep_w = true;
  const auto result = factorize_joint<double>(data, s, options, plain.w, plain.h);
  for (Index i = 0; i < plain.w.rows(); ++i) {
    for (Index c = 0; c < 3; ++c) EXPECT_NEAR(result.nmf.w(i, c), plain.w(i, c), 1e-12);
  }
  EXPECT_EQ(result.nmf.stop_reason, StopReason::converged);
  EXPECT_LT(result.objectives.back(), result.objectives.front());
}

TEST(JointNmf, TheScaleOfNeitherMatters) {
  const auto x = grouped_words<float>(50, 4, 8, 0.5, 0.1, 40);
  const auto s = grouped_graph<float>(50, 4, 0.4, 0.05, 48, 41);
  const SparseData<float> data(x);
  JointOptions options;
  options.nmf = {.rank = 4};
  const auto one = factorize_joint<float>(data, s, options);
  for (const int power : {-60, 40, 3}) {
    auto scaled_x = x;
    auto scaled_s = s;
    for (float& value : scaled_x.values) value = std::ldexp(value, power);
    for (float& value : scaled_s.values) value = std::ldexp(value, -power / 2);
    const SparseData<float> scaled_data(scaled_x);
    const auto other = factorize_joint<float>(scaled_data, scaled_s, options);
    EXPECT_EQ(other.nmf.w, one.nmf.w);
    auto h = one.nmf.h;
    for (float& value : h.values()) value = std::ldexp(value, power);
    EXPECT_EQ(other.nmf.h, h);
    EXPECT_NEAR(other.a / std::ldexp(one.a, 2 * power + power / 2 * 2), 1, 1e-6);
  }
}

TEST(JointNmf, TheNumberOfThreadsChangesNoBit) {
  const auto x = grouped_words<float>(3000, 5, 40, 0.1, 0.02, 50);
  const auto s = grouped_graph<float>(3000, 5, 0.01, 0.001, 2900, 51);
  const SparseData<float> data(x);
  JointOptions options;
  options.nmf = {.rank = 5, .max_iterations = 10};
  JointResult<float> one, three;
  with_threads(1, nullptr, [&] { one = factorize_joint<float>(data, s, options); });
  with_threads(3, nullptr, [&] { three = factorize_joint<float>(data, s, options); });
  EXPECT_EQ(one.nmf.w, three.nmf.w);
  EXPECT_EQ(one.nmf.h, three.nmf.h);
  EXPECT_EQ(one.twin, three.twin);
}

TEST(JointNmf, EndsWhenAskedTo) {
  const auto x = grouped_words<double>(60, 3, 10, 0.4, 0.1, 60);
  const auto s = grouped_graph<double>(60, 3, 0.4, 0.05, 60, 61);
  const SparseData<double> data(x);
  JointOptions options = exact_options(3, 1);
  options.nmf.max_iterations = 5;
  const auto start = factorize(data, {.rank = 3, .max_iterations = 3});
  options.nmf.progress = [](const Iteration& iteration) { return iteration.number < 2; };
  const auto result = factorize_joint<double>(data, s, options, start.w, start.h);
  EXPECT_EQ(result.nmf.stop_reason, StopReason::interrupted);
  EXPECT_EQ(result.nmf.history.back().number, 2);
  EXPECT_NEAR(result.nmf.objective / at_solution(x, s, result).objective(), 1, 1e-9);
  options.nmf.progress = {};
  const auto limited = factorize_joint<double>(data, s, options, start.w, start.h);
  EXPECT_EQ(limited.nmf.stop_reason, StopReason::max_iterations);
  EXPECT_EQ(limited.nmf.history.back().number, 5);
}

TEST(JointNmf, RefusesWhatIsNoGraphOfTheItems) {
  const auto x = grouped_words<double>(12, 2, 5, 0.5, 0.1, 70);
  const auto good = grouped_graph<double>(12, 2, 0.5, 0.1, 12, 71);
  const SparseData<double> data(x);
  const JointOptions options = exact_options(2, 1);
  const auto refused = [&](SparseMatrix<double> s, const JointOptions& with) {
    EXPECT_THROW(factorize_joint<double>(data, s, with), InvalidArgument);
  };
  refused(grouped_graph<double>(11, 2, 0.5, 0.1, 11, 72), options);
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto s = good;
    s.values[0] = bad;
    refused(s, options);
  }
  auto lopsided = good;
  lopsided.values[0] *= 2;
  refused(lopsided, options);
  auto negative = options;
  negative.weight = -1;
  refused(good, negative);
  auto other_loss = options;
  other_loss.nmf.loss = Loss::kullback_leibler;
  refused(good, other_loss);
  auto fixed = options;
  fixed.keep_w = true;
  refused(good, fixed);
}

}  // namespace
}  // namespace copse
