#include "copse/cluster/anchor_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::to_dense;
using testing::to_sparse;

// Q from its definition: over all ordered pairs of different words of a document, each document counting as one.
Matrix<double> naive_rows(const SparseMatrix<double>& sparse, std::vector<double>& sums) {
  const Matrix<double> x = to_dense(sparse);
  Matrix<double> q(x.rows(), x.rows());
  for (Index d = 0; d < x.cols(); ++d) {
    double n = 0;
    for (Index i = 0; i < x.rows(); ++i) n += x(i, d);
    if (n < 2) continue;
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < x.rows(); ++j) q(i, j) += x(i, d) * (x(j, d) - (i == j ? 1 : 0)) / (n * (n - 1));
    }
  }
  sums.assign(static_cast<std::size_t>(x.rows()), 0);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) sums[i] += q(i, j);
    for (Index j = 0; j < x.rows() && sums[i] > 0; ++j) q(i, j) /= sums[i];
  }
  return q;
}

// Documents of two words each, so many of each pair that co-occurrence is that of the topics exactly: with A (terms x
// k, in units of 1 / grain) the pair (i, j) occurs in sum over topics of a_i a_j r_c documents.
struct PlantedTopics {
  SparseMatrix<double> counts;
  Matrix<double> words;
};
PlantedTopics separable_topics(Index k, bool noisy) {
  const Index terms = 3 * k;
  Matrix<double> a(terms, k);  // whole numbers; rows c < k belong to topic c only
  Random random(4);
  for (Index i = 0; i < terms; ++i) {
    for (Index c = 0; c < k; ++c) a(i, c) = i < k ? (i == c ? 3 : 0) : static_cast<double>(random.below(4));
  }
  Matrix<double> counts(terms, 0);
  std::vector<std::vector<double>> documents;
  for (Index i = 0; i < terms; ++i) {
    for (Index j = i; j < terms; ++j) {
      double times = 0;
      for (Index c = 0; c < k; ++c) times += a(i, c) * a(j, c) * static_cast<double>(c + 1);
      if (i == j) times = times / 2;  // the pair (i, i) has both orders in one document
      for (double t = 0; t < 2 * times; ++t) {
        if (noisy && random.uniform() < 0.3) continue;
        std::vector<double> document(static_cast<std::size_t>(terms), 0);
        document[i] += 1;
        document[j] += 1;
        documents.push_back(document);
      }
    }
  }
  Matrix<double> x(terms, static_cast<Index>(documents.size()));
  for (std::size_t d = 0; d < documents.size(); ++d) {
    for (Index i = 0; i < terms; ++i) x(i, static_cast<Index>(d)) = documents[d][i];
  }
  PlantedTopics planted{to_sparse(x), a};
  for (Index c = 0; c < k; ++c) {
    double sum = 0;
    for (Index i = 0; i < terms; ++i) sum += a(i, c);
    for (Index i = 0; i < terms; ++i) planted.words(i, c) /= sum;
  }
  return planted;
}

TEST(AnchorTopics, RecoverSeparableTopicsExactly) {
  for (const Index k : {1, 2, 4, 6}) {
    const PlantedTopics planted = separable_topics(k, false);
    const auto result = anchor_topics<double>(planted.counts, {.topics = k, .min_documents = 1});
    ASSERT_EQ(static_cast<Index>(result.anchors.size()), k);
    EXPECT_LT(result.residual, 1e-6);
    std::set<Index> topics;
    for (Index a = 0; a < k; ++a) {
      // The topic that the anchor belongs to.
      Index topic = -1;
      for (Index c = 0; c < k; ++c) {
        if (planted.words(result.anchors[a], c) > 0) {
          EXPECT_EQ(topic, -1) << "word " << result.anchors[a] << " has two topics";
          topic = c;
        }
      }
      topics.insert(topic);
      for (Index i = 0; i < planted.words.rows(); ++i) EXPECT_NEAR(result.words(i, a), planted.words(i, topic), 1e-6);
    }
    EXPECT_EQ(static_cast<Index>(topics.size()), k);
    EXPECT_NEAR(std::accumulate(result.topic_shares.begin(), result.topic_shares.end(), 0.0), 1, 1e-12);
  }
}

TEST(AnchorTopics, NoiseSpoilsThemGently) {
  const PlantedTopics planted = separable_topics(3, true);
  const auto result = anchor_topics<double>(planted.counts, {.topics = 3, .min_documents = 1});
  double worst = 0;
  for (Index c = 0; c < 3; ++c) {
    double nearest = INFINITY;
    for (Index a = 0; a < 3; ++a) {
      double distance = 0;
      for (Index i = 0; i < planted.words.rows(); ++i) distance += std::abs(result.words(i, a) - planted.words(i, c));
      nearest = std::min(nearest, distance);
    }
    worst = std::max(worst, nearest);
  }
  EXPECT_LT(worst, 0.35);
}

TEST(AnchorTopics, MixturesAreTheNearestOfTheSimplex) {
  const SparseMatrix<double> counts = testing::random_integer_sparse<double>(15, 60, 0.3, 3);
  const auto result = anchor_topics<double>(counts, {.topics = 4, .min_documents = 1});
  std::vector<double> sums;
  const Matrix<double> q = naive_rows(counts, sums);
  const auto distance = [&](Index i, const std::vector<double>& c) {
    double square = 0;
    for (Index j = 0; j < q.cols(); ++j) {
      double left = q(i, j);
      for (Index a = 0; a < 4; ++a) left -= c[a] * q(result.anchors[a], j);
      square += left * left;
    }
    return square;
  };
  double all = 0;
  double whole = 0;
  for (Index i = 0; i < 15; ++i) {
    const auto row = result.mixtures.row(i);
    const std::vector<double> c(row.begin(), row.end());
    EXPECT_NEAR(std::accumulate(c.begin(), c.end(), 0.0), 1, 1e-12);
    const double best = distance(i, c);
    all += best;
    for (Index j = 0; j < 15; ++j) whole += q(i, j) * q(i, j);
    // No small step towards a corner of the simplex is better.
    for (Index a = 0; a < 4; ++a) {
      std::vector<double> moved = c;
      for (double& value : moved) value *= 0.999;
      moved[a] += 0.001;
      EXPECT_GE(distance(i, moved), best - 1e-8);
    }
  }
  EXPECT_NEAR(result.residual, std::sqrt(all / whole), 1e-6);
}

TEST(AnchorTopics, FirstAnchorIsTheFarthestRow) {
  const SparseMatrix<double> counts = testing::random_integer_sparse<double>(20, 80, 0.2, 9);
  std::vector<double> sums;
  const Matrix<double> q = naive_rows(counts, sums);
  Index farthest = 0;
  std::vector<double> squares(20, 0);
  for (Index i = 0; i < 20; ++i) {
    for (Index j = 0; j < 20; ++j) squares[i] += q(i, j) * q(i, j);
    if (squares[i] > squares[farthest]) farthest = i;
  }
  EXPECT_EQ(anchor_topics<double>(counts, {.topics = 1, .min_documents = 1}).anchors, std::vector<Index>{farthest});
}

TEST(AnchorTopics, OddCountsHaveADefinedEnd) {
  // An empty document, one of a single word, a word that never occurs; three topics where two words are alike.
  Matrix<double> x(4, 5);
  x(0, 0) = 2;
  x(1, 1) = 3;
  x(0, 2) = 1;
  x(1, 4) = 2;
  const auto result = anchor_topics<double>(to_sparse(x), {.topics = 2, .min_documents = 1});
  EXPECT_EQ(result.anchors.size(), 2u);
  for (Index a = 0; a < 2; ++a) EXPECT_EQ(result.words(3, a), 0);
  // Documents all alike have one row of co-occurrence but for the diagonal; all equal words have one anchor.
  Matrix<double> equal(3, 4);
  for (double& value : equal.values()) value = 1000000;
  EXPECT_GE(anchor_topics<double>(to_sparse(equal), {.topics = 3, .min_documents = 1}).anchors.size(), 1u);
  EXPECT_THROW(anchor_topics<double>(to_sparse(x), {.topics = 3, .min_documents = 1}), InvalidArgument);
  EXPECT_THROW(anchor_topics<double>(to_sparse(x), {.topics = 0}), InvalidArgument);
  Matrix<double> single(2, 2);
  single(0, 0) = single(1, 1) = 1;
  EXPECT_THROW(anchor_topics<double>(to_sparse(single), {.topics = 1}), InvalidArgument);
  single(0, 0) = 0.5;
  EXPECT_THROW(anchor_topics<double>(to_sparse(single), {.topics = 1}), InvalidArgument);
}

TEST(AnchorTopics, TheNumberOfThreadsChangesNoBit) {
  const SparseMatrix<double> counts = testing::random_integer_sparse<double>(300, 400, 0.05, 3);
  std::vector<AnchorResult<double>> results;
  for (const int threads : {1, 8}) {
    with_threads(threads, nullptr, [&] { results.push_back(anchor_topics<double>(counts, {.topics = 8})); });
  }
  EXPECT_EQ(results[0].anchors, results[1].anchors);
  EXPECT_EQ(results[0].words, results[1].words);
  EXPECT_EQ(results[0].residual, results[1].residual);
}

}  // namespace
}  // namespace copse
