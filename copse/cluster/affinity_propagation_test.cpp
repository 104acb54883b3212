#include "copse/cluster/affinity_propagation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/measure/clustering.h"

namespace copse {
namespace {

// Points in k clumps, and -|x - y|^2.
struct Clumps {
  Matrix<double> similarities;
  std::vector<Index> labels;
};
Clumps clumps(Index n, Index k, double spread, std::uint64_t seed) {
  Matrix<double> points(n, 2);
  Clumps made;
  for (Index i = 0; i < n; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    made.labels.push_back(i % k);
    points(i, 0) = 10 * std::cos(6.28 * static_cast<double>(i % k) / static_cast<double>(k)) + spread * random.normal();
    points(i, 1) = 10 * std::sin(6.28 * static_cast<double>(i % k) / static_cast<double>(k)) + spread * random.normal();
  }
  made.similarities = Matrix<double>(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      // Not quite symmetric: two items that are each other's nearest would be a tie.
      const double tilt = 1 + 1e-3 * Random(seed + 1, static_cast<std::uint64_t>(i * n + j)).uniform();
      made.similarities(i, j) =
          -tilt * (std::pow(points(i, 0) - points(j, 0), 2) + std::pow(points(i, 1) - points(j, 1), 2));
    }
  }
  return made;
}

SparseMatrix<double> sparse_of(const Matrix<double>& s, double least) {
  SparseMatrix<double> sparse{.rows = s.rows(), .cols = s.rows()};
  for (Index i = 0; i < s.rows(); ++i) {
    for (Index j = 0; j < s.rows(); ++j) {
      if (i == j || s(i, j) < least) continue;
      sparse.indices.push_back(static_cast<RowIndex>(j));
      sparse.values.push_back(s(i, j));
    }
    sparse.offsets.push_back(static_cast<Index>(sparse.indices.size()));
  }
  return sparse;
}

// The messages of the papers on full matrices, without any shortcut; labels by the exemplar of each item.
std::vector<Index> naive(const Matrix<double>& given, double preference, double damping, int iterations) {
  const Index n = given.rows();
  Matrix<double> s = given;
  for (Index i = 0; i < n; ++i) s(i, i) = preference;
  Matrix<double> r(n, n);
  Matrix<double> a(n, n);
  for (int t = 0; t < iterations; ++t) {
    const Matrix<double> old_r = r;
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < n; ++k) {
        double other = -INFINITY;
        for (Index c = 0; c < n; ++c) {
          if (c != k) other = std::max(other, a(i, c) + s(i, c));
        }
        r(i, k) = damping * old_r(i, k) + (1 - damping) * (s(i, k) - other);
      }
    }
    const Matrix<double> old_a = a;
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < n; ++k) {
        double sum = 0;
        for (Index c = 0; c < n; ++c) {
          if (c != i && c != k) sum += std::max(0.0, r(c, k));
        }
        const double now = i == k ? sum : std::min(0.0, r(k, k) + sum);
        a(i, k) = damping * old_a(i, k) + (1 - damping) * now;
      }
    }
  }
  std::vector<Index> labels;
  for (Index i = 0; i < n; ++i) {
    Index best = -1;
    for (Index k = 0; k < n; ++k) {
      if (a(k, k) + r(k, k) <= 0) continue;
      if (best < 0 || k == i || (best != i && s(i, k) > s(i, best))) best = k;
    }
    labels.push_back(best);
  }
  // In each cluster the member that stands best for all, and everybody to the nearest of these.
  std::set<Index> exemplars;
  for (const Index exemplar : std::set<Index>(labels.begin(), labels.end())) {
    Index chosen = -1;
    double most = -INFINITY;
    for (Index k = 0; k < n; ++k) {
      if (labels[k] != exemplar) continue;
      double sum = 0;
      for (Index i = 0; i < n; ++i) sum += labels[i] == exemplar ? s(i, k) : 0;
      if (sum > most) {
        most = sum;
        chosen = k;
      }
    }
    exemplars.insert(chosen);
  }
  for (Index i = 0; i < n; ++i) {
    Index best = *exemplars.begin();
    for (const Index k : exemplars) best = s(i, k) > s(i, best) ? k : best;
    labels[i] = exemplars.contains(i) ? i : best;
  }
  return labels;
}

TEST(AffinityPropagation, PassesTheMessagesOfThePapers) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Matrix<double> s = clumps(40, 5, 1.5, seed).similarities;
    for (const double preference : {-60.0, -20.0, -3.0}) {
      const AffinityResult result = affinity_propagation(s, {.preference = preference, .damping = 0.7});
      ASSERT_TRUE(result.converged);
      const std::vector<Index> expected = naive(s, preference, 0.7, result.iterations);
      EXPECT_EQ(compare_clusterings(result.labels, expected).ari, 1) << seed << " " << preference;
      EXPECT_EQ(result.preference, preference);
    }
  }
}

TEST(AffinityPropagation, AllPairsAreTheFullMatrix) {
  const Matrix<double> s = clumps(60, 4, 2, 1).similarities;
  const AffinityResult full = affinity_propagation(s);
  const AffinityResult pairs = affinity_propagation<double>(sparse_of(s, -INFINITY));
  EXPECT_EQ(full.labels, pairs.labels);
  EXPECT_EQ(full.preference, pairs.preference);
  EXPECT_EQ(full.net_similarity, pairs.net_similarity);
}

TEST(AffinityPropagation, FindsAPreferenceForTheNumberAskedFor) {
  const Clumps made = clumps(120, 6, 0.8, 3);
  for (const Index k : {1, 2, 6, 9}) {
    const AffinityResult result = affinity_propagation(made.similarities, {.k = k});
    EXPECT_EQ(static_cast<Index>(result.exemplars.size()), k);
    if (k == 6) {
      EXPECT_EQ(compare_clusterings(result.labels, made.labels).ari, 1);
    }
  }
}

// On a ring an item stands for three at most, so that 60 items have 20 clusters or more, whatever the preference.
TEST(AffinityPropagation, EndsASearchThatComesNoNearer) {
  constexpr Index n = 60;
  SparseMatrix<double> ring{.rows = n, .cols = n};
  Random random(5);
  for (Index j = 0; j < n; ++j) {
    std::array<Index, 2> others{(j + 1) % n, (j + n - 1) % n};
    std::ranges::sort(others);
    for (const Index i : others) {
      ring.indices.push_back(static_cast<RowIndex>(i));
      ring.values.push_back(0.5 + 0.5 * random.uniform());
    }
    ring.offsets.push_back(static_cast<Index>(ring.indices.size()));
  }
  const AffinityResult found = affinity_propagation<double>(ring, {.k = 3});
  EXPECT_GE(found.exemplars.size(), 20u);
  EXPECT_LE(found.exemplars.size(), 30u);
  EXPECT_LE(found.runs, 15);  // not all 40 preferences
}

TEST(AffinityPropagation, EachExemplarStandsForItselfAndItsOwn) {
  const Clumps made = clumps(90, 3, 1, 5);
  // Pairs within clumps only: three parts, of which each has at least one cluster.
  const AffinityResult result = affinity_propagation<double>(sparse_of(made.similarities, -60), {.preference = -1e4});
  EXPECT_EQ(compare_clusterings(result.labels, made.labels).ari, 1);
  double net = 0;
  for (Index i = 0; i < 90; ++i) {
    const Index exemplar = result.exemplars[result.labels[i]];
    EXPECT_EQ(result.labels[exemplar], result.labels[i]);
    net += exemplar == i ? result.preference : made.similarities(i, exemplar);
  }
  EXPECT_NEAR(result.net_similarity, net, 1e-9 * std::abs(net));
}

TEST(AffinityPropagation, EveryItemHasALabelWhateverHappens) {
  const Clumps made = clumps(50, 5, 3, 2);
  for (const int iterations : {1, 2, 5}) {
    const AffinityResult result =
        affinity_propagation(made.similarities, {.max_iterations = iterations, .most_damping = 0});
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.stop_reason, StopReason::max_iterations);
    for (const Index label : result.labels) {
      EXPECT_GE(label, 0);
      EXPECT_LT(label, static_cast<Index>(result.exemplars.size()));
    }
  }
}

TEST(AffinityPropagation, EqualSimilaritiesHaveADefinedEnd) {
  Matrix<double> equal(5, 5);
  for (double& value : equal.values()) value = -2;
  EXPECT_EQ(affinity_propagation(equal, {.preference = -2.0}).exemplars.size(), 5u);
  EXPECT_EQ(affinity_propagation(equal, {.preference = -3.0}).labels, std::vector<Index>(5, 0));
  EXPECT_EQ(affinity_propagation(equal, {.k = 2}).exemplars.size(), 2u);
  EXPECT_EQ(affinity_propagation(Matrix<double>(1, 1)).labels, std::vector<Index>{0});
  // Nobody knows anybody: everybody for himself.
  const SparseMatrix<double> alone{.rows = 3, .cols = 3, .offsets = {0, 0, 0, 0}};
  EXPECT_EQ(affinity_propagation<double>(alone).exemplars.size(), 3u);
  EXPECT_EQ(affinity_propagation<double>(alone, {.k = 2}).exemplars.size(), 3u);  // the nearest that there is
}

TEST(AffinityPropagation, RefusesWhatIsNoSimilarity) {
  Matrix<double> s(2, 2);
  s(0, 1) = std::nan("");
  EXPECT_THROW(affinity_propagation(s), InvalidArgument);
  EXPECT_THROW(affinity_propagation(Matrix<double>(0, 0)), InvalidArgument);
  EXPECT_THROW(affinity_propagation(Matrix<double>(2, 3)), InvalidArgument);
  EXPECT_THROW(affinity_propagation(Matrix<double>(2, 2), {.damping = 1}), InvalidArgument);
  EXPECT_THROW(affinity_propagation(Matrix<double>(2, 2), {.k = 3}), InvalidArgument);
}

TEST(AffinityPropagation, TheNumberOfThreadsChangesNoBit) {
  const Matrix<double> s = clumps(150, 7, 2.5, 8).similarities;
  std::vector<AffinityResult> results;
  for (const int threads : {1, 8}) {
    with_threads(threads, nullptr, [&] { results.push_back(affinity_propagation(s, {.k = 8})); });
  }
  EXPECT_EQ(results[0].labels, results[1].labels);
  EXPECT_EQ(results[0].net_similarity, results[1].net_similarity);
  EXPECT_EQ(results[0].runs, results[1].runs);
}

TEST(AffinityPropagation, StopsWhenAskedWithLabels) {
  const Matrix<double> s = clumps(60, 4, 2, 1).similarities;
  AffinityOptions options{.k = 3};
  options.progress = [](const AffinityIteration& iteration) { return iteration.number < 3; };
  const AffinityResult result = affinity_propagation(s, options);
  EXPECT_EQ(result.stop_reason, StopReason::interrupted);
  EXPECT_EQ(result.labels.size(), 60u);
  options.progress = {};
  options.time_limit = 0;
  EXPECT_EQ(affinity_propagation(s, options).stop_reason, StopReason::time_limit);
}

}  // namespace
}  // namespace copse
