#include "copse/cluster/lda.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/cluster/lda_state.h"
#include "copse/measure/clustering.h"
#include "copse/nmf/clusters.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::to_sparse;

SparseMatrix<double> matrix_of(Index rows, Index cols, const std::vector<double>& values) {
  Matrix<double> dense(rows, cols);
  std::ranges::copy(values, dense.values().begin());
  return to_sparse(dense);
}

// log p(w, z) from the definition: Dirichlet-multinomials, counted anew from the topics of all words.
double naive_log_joint(const Words& words, const std::vector<Index>& z, Index k, const LdaPriors& priors) {
  Matrix<double> of_document(words.documents(), k);
  Matrix<double> of_term(words.terms, k);
  for (Index d = 0; d < words.documents(); ++d) {
    Index t = words.first[d];
    for (Index r = words.runs[d]; r < words.runs[d + 1]; ++r) {
      for (int o = 0; o < words.count[r]; ++o, ++t) {
        of_document(d, z[t]) += 1;
        of_term(words.term[r], z[t]) += 1;
      }
    }
  }
  double sum = 0;
  for (Index d = 0; d < words.documents(); ++d) {
    double length = 0;
    for (Index c = 0; c < k; ++c) {
      length += of_document(d, c);
      sum += std::lgamma(of_document(d, c) + priors.alpha[c]) - std::lgamma(priors.alpha[c]);
    }
    sum += std::lgamma(priors.alpha_sum()) - std::lgamma(length + priors.alpha_sum());
  }
  const double floor = static_cast<double>(words.terms) * priors.beta;
  for (Index c = 0; c < k; ++c) {
    double total = 0;
    for (Index w = 0; w < words.terms; ++w) {
      total += of_term(w, c);
      sum += std::lgamma(of_term(w, c) + priors.beta) - std::lgamma(priors.beta);
    }
    sum += std::lgamma(floor) - std::lgamma(total + floor);
  }
  return sum;
}

std::vector<Index> topics_of(const LdaState& state) { return {state.topic.begin(), state.topic.end()}; }

// Documents by the model: each of k topics has its own share of the terms, and some of all.
struct Drawn {
  SparseMatrix<float> counts;
  std::vector<Index> labels;  // the topic with most words
};
Drawn drawn_documents(Index documents, Index terms, Index k, std::uint64_t seed) {
  Matrix<float> counts(terms, documents);
  Drawn drawn;
  for (Index d = 0; d < documents; ++d) {
    Random random(seed, static_cast<std::uint64_t>(d));
    const Index label = d % k;
    drawn.labels.push_back(label);
    for (int word = 0; word < 60; ++word) {
      const Index topic = random.uniform() < 0.8 ? label : random.below(k);
      const Index term = random.uniform() < 0.3 ? random.below(terms) : topic + k * random.below(terms / k);
      counts(term, d) += 1;
    }
  }
  drawn.counts = to_sparse(counts);
  return drawn;
}

const std::vector<double> toy = {3, 0, 1, 0,  //
                                 0, 2, 1, 1,  //
                                 1, 1, 0, 0,  //
                                 0, 4, 0, 1};
const LdaPriors toy_priors{{0.7, 0.2, 1.5}, 0.1};

TEST(Lda, GammaFunctionsAreThoseOfTheStandardLibrary) {
  for (const double x : {1e-6, 0.01, 0.5, 1.0, 2.5, 9.99, 10.0, 123.4, 1e6}) {
    EXPECT_NEAR(log_gamma(x), std::lgamma(x), 1e-12 * std::max(1.0, std::abs(std::lgamma(x)))) << x;
    const double step = 1e-4 * x;
    EXPECT_NEAR(digamma(x), (std::lgamma(x + step) - std::lgamma(x - step)) / (2 * step), 1e-6 * std::max(1.0, 1 / x))
        << x;
  }
}

TEST(Lda, LikelihoodIsTheJointProbability) {
  const SparseMatrix<double> counts = matrix_of(4, 4, toy);
  const Words words = words_of<double>(counts);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const LdaState state = random_state(words, 3, seed);
    EXPECT_NEAR(log_likelihood(words, state, toy_priors), naive_log_joint(words, topics_of(state), 3, toy_priors),
                1e-9);
  }
}

// The first word of each document is drawn before anything else has changed: its law is the conditional of the joint
// probability given all other topics.
class LdaDraws : public ::testing::TestWithParam<std::tuple<LdaDraw, Index>> {
 protected:
  const LdaDraw draw = std::get<0>(GetParam());
  const Index k = std::get<1>(GetParam());
  LdaPriors priors{{}, 0.1};
  void SetUp() override {
    for (Index c = 0; c < k; ++c) priors.alpha.push_back(0.2 + 0.5 * static_cast<double>(c % 3));
  }
};
INSTANTIATE_TEST_SUITE_P(Both, LdaDraws,
                         ::testing::Combine(::testing::Values(LdaDraw::apart, LdaDraw::all),
                                            ::testing::Values(1, 3, 8, 19)));

TEST_P(LdaDraws, DrawFromTheConditionalOfTheJoint) {
  const SparseMatrix<double> counts = matrix_of(4, 4, toy);
  const Words words = words_of<double>(counts);
  const LdaState begun = random_state(words, k, 5);
  LdaSampler sampler(words, k, 9, 1, draw);
  constexpr int draws = 40000;
  Matrix<double> seen(4, k);
  for (int i = 1; i <= draws; ++i) {
    LdaState state = begun;
    sampler.sweep(state, priors, i);
    for (Index d = 0; d < 4; ++d) seen(d, state.topic[words.first[d]]) += 1.0 / draws;
  }
  for (Index d = 0; d < 4; ++d) {
    std::vector<double> expected(static_cast<std::size_t>(k));
    std::vector<Index> z = topics_of(begun);
    for (Index c = 0; c < k; ++c) {
      z[words.first[d]] = c;
      expected[c] = std::exp(naive_log_joint(words, z, k, priors));
    }
    const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
    for (Index c = 0; c < k; ++c) {
      const double p = expected[c] / sum;
      EXPECT_NEAR(seen(d, c), p, 5 * std::sqrt(p * (1 - p) / draws) + 1e-9) << d << " " << c;
    }
  }
}

// The whole posterior by enumeration: how likely two words share a topic.
TEST(Lda, ChainVisitsThePosterior) {
  const SparseMatrix<double> counts = matrix_of(4, 4,
                                                {2, 0, 1, 0,  //
                                                 0, 1, 1, 1,  //
                                                 1, 0, 0, 0,  //
                                                 0, 1, 0, 2});
  const Words words = words_of<double>(counts);
  const Index n = words.total();
  const LdaPriors priors{{0.5, 0.8}, 0.3};
  Matrix<double> expected(n, n);
  double whole = 0;
  for (int code = 0; code < (1 << n); ++code) {
    std::vector<Index> z(static_cast<std::size_t>(n));
    for (Index t = 0; t < n; ++t) z[t] = code >> t & 1;
    const double p = std::exp(naive_log_joint(words, z, 2, priors));
    whole += p;
    for (Index s = 0; s < n; ++s) {
      for (Index t = 0; t < n; ++t) expected(s, t) += z[s] == z[t] ? p : 0;
    }
  }
  for (const LdaDraw draw : {LdaDraw::apart, LdaDraw::all}) {
    LdaState state = random_state(words, 2, 1);
    LdaSampler sampler(words, 2, 2, 32, draw);
    constexpr int sweeps = 100000;
    Matrix<double> seen(n, n);
    for (int i = 1; i <= sweeps; ++i) {
      sampler.sweep(state, priors, i);
      for (Index s = 0; s < n; ++s) {
        for (Index t = 0; t < n; ++t) seen(s, t) += state.topic[s] == state.topic[t] ? 1.0 / sweeps : 0;
      }
    }
    // Inside a document the totals of the topics are those of its beginning: the chain is near the posterior, not on
    // it.
    for (Index s = 0; s < n; ++s) {
      for (Index t = 0; t < n; ++t) EXPECT_NEAR(seen(s, t), expected(s, t) / whole, 0.03) << s << " " << t;
    }
  }
}

TEST_P(LdaDraws, CountsStayThoseOfTheTopics) {
  const SparseMatrix<double> counts = testing::random_integer_sparse<double>(30, 50, 0.2, 3);
  const Words words = words_of<double>(counts);
  LdaState state = random_state(words, k, 4);
  LdaSampler sampler(words, k, 4, 32, draw);
  for (int i = 1; i <= 5; ++i) sampler.sweep(state, priors, i);
  Matrix<std::int32_t> expected(30, k);
  std::vector<std::int64_t> totals(static_cast<std::size_t>(k));
  for (Index d = 0; d < 50; ++d) {
    Index t = words.first[d];
    for (Index r = words.runs[d]; r < words.runs[d + 1]; ++r) {
      for (int o = 0; o < words.count[r]; ++o, ++t) {
        ++expected(words.term[r], state.topic[t]);
        ++totals[state.topic[t]];
      }
    }
  }
  EXPECT_EQ(state.term_topics, expected);
  EXPECT_EQ(state.totals, totals);
}

TEST(Lda, FixedPointsOfThePriorsRaiseTheLikelihoodToItsTop) {
  const Words words = words_of<float>(drawn_documents(200, 150, 4, 2).counts);
  LdaState state = random_state(words, 4, 0);
  LdaSampler sampler(words, 4, 0);
  LdaPriors priors{std::vector<double>(4, 0.5), 0.05};
  for (int i = 1; i <= 30; ++i) sampler.sweep(state, priors, i);
  double before = log_likelihood(words, state, priors);
  for (int i = 0; i < 30; ++i) {
    optimize_alpha(words, state, priors);
    optimize_beta(words, state, priors);
    const double now = log_likelihood(words, state, priors);
    EXPECT_GE(now, before - 1e-7 * std::abs(before));
    before = now;
  }
  for (int c = 0; c <= 4; ++c) {
    for (const double factor : {0.98, 1.02}) {
      LdaPriors other = priors;
      (c < 4 ? other.alpha[c] : other.beta) *= factor;
      EXPECT_LT(log_likelihood(words, state, other), before) << c << " " << factor;
    }
  }
}

TEST(Lda, FindsPlantedTopicsAndPlacesNewDocuments) {
  const auto [counts, truth] = drawn_documents(600, 500, 5, 6);
  const LdaResult<float> result = lda<float>(counts, {.topics = 5, .sweeps = 150, .seed = 3});
  const std::vector<Index> labels = cluster_items(result.documents).labels;
  EXPECT_GT(compare_clusterings(labels, truth).nmi, 0.9);
  EXPECT_GT(result.log_likelihood, result.history.front().log_likelihood + 0.1);
  EXPECT_EQ(std::accumulate(result.tokens.begin(), result.tokens.end(), Index(0)), words_of<float>(counts).total());
  for (Index c = 0; c < 5; ++c) {
    double sum = 0;
    for (Index w = 0; w < counts.rows; ++w) sum += static_cast<double>(result.words(w, c));
    EXPECT_NEAR(sum, 1, 1e-4);
  }
  const Matrix<float> placed = place_documents<float>(counts, result.words, result.alpha);
  EXPECT_GT(compare_clusterings(cluster_items(placed).labels, truth).nmi, 0.9);
  // Topics explain words better than frequencies alone do.
  const LdaResult<float> one = lda<float>(counts, {.topics = 1, .sweeps = 1});
  EXPECT_LT(perplexity<float>(counts, result.words, result.documents),
            0.8 * perplexity<float>(counts, one.words, one.documents));
}

TEST(Lda, PlacesADocumentOfOneWordByItsPosterior) {
  const Matrix<double> words = [] {
    Matrix<double> w(2, 3);
    std::ranges::copy(std::vector<double>{0.9, 0.5, 0.2, 0.1, 0.5, 0.8}, w.values().begin());
    return w;
  }();
  const std::vector<double> alpha = {0.5, 1.0, 0.1};
  const Matrix<double> placed = place_documents<double>(matrix_of(2, 2, {1, 0, 0, 0}), words, alpha);
  const double sum = 0.5 * 0.9 + 1.0 * 0.5 + 0.1 * 0.2;
  for (Index c = 0; c < 3; ++c) EXPECT_NEAR(placed(0, c), (alpha[c] + alpha[c] * words(0, c) / sum) / 2.6, 1e-9);
  for (Index c = 0; c < 3; ++c) EXPECT_EQ(placed(1, c), 0);  // no words, no topics
}

TEST(Lda, TheNumberOfThreadsChangesNoBit) {
  const SparseMatrix<float> counts = drawn_documents(500, 400, 4, 1).counts;
  std::vector<LdaResult<float>> results;
  for (const int threads : {1, 8}) {
    with_threads(threads, nullptr, [&] {
      results.push_back(lda<float>(counts, {.topics = 20, .sweeps = 25, .burn_in = 5, .interval = 5, .seed = 3}));
    });
  }
  EXPECT_EQ(results[0].words, results[1].words);
  EXPECT_EQ(results[0].documents, results[1].documents);
  EXPECT_EQ(results[0].alpha, results[1].alpha);
  EXPECT_EQ(results[0].log_likelihood, results[1].log_likelihood);
}

TEST(Lda, OddCountsHaveADefinedEnd) {
  // Empty documents, more topics than documents, a term that does not occur.
  const LdaResult<double> odd = lda<double>(matrix_of(3, 3, {2, 0, 1, 1, 0, 0, 0, 0, 0}), {.topics = 9, .sweeps = 60});
  EXPECT_EQ(cluster_items(odd.documents).labels[1], -1);
  for (const Index d : {0, 2}) {
    const auto row = odd.documents.row(d);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
  }
  for (const double value : odd.words.values()) EXPECT_TRUE(std::isfinite(value) && value > 0);
  // One document of one word.
  const LdaResult<double> least = lda<double>(matrix_of(1, 1, {1}), {.topics = 2, .sweeps = 60});
  EXPECT_NEAR(least.words(0, 0), 1, 1e-12);
  // All documents alike: finite, and the same twice.
  const LdaResult<double> alike = lda<double>(matrix_of(2, 4, {3, 3, 3, 3, 1, 1, 1, 1}), {.topics = 2, .sweeps = 100});
  for (const double value : alike.documents.values()) EXPECT_TRUE(std::isfinite(value));
  // Large counts.
  const LdaResult<double> large =
      lda<double>(matrix_of(2, 2, {50000, 1, 1, 50000}), {.topics = 2, .sweeps = 60, .seed = 1});
  EXPECT_TRUE(std::isfinite(large.log_likelihood));
}

TEST(Lda, RefusesWhatIsNoCount) {
  const LdaOptions options{.topics = 2, .sweeps = 2};
  for (const double bad : {0.5, -1.0, std::nan(""), 1e300, double(INFINITY)}) {
    EXPECT_THROW(lda<double>(matrix_of(2, 2, {1, bad, 2, 1}), options), InvalidArgument) << bad;
  }
  EXPECT_THROW(lda<double>(SparseMatrix<double>{.rows = 2, .cols = 2, .offsets = {0, 0, 0}}, options), InvalidArgument);
  EXPECT_THROW(lda<double>(matrix_of(1, 1, {1}), {.topics = 0}), InvalidArgument);
  EXPECT_THROW(lda<double>(matrix_of(1, 1, {1}), {.topics = 65536}), InvalidArgument);
  EXPECT_THROW(lda<double>(matrix_of(1, 1, {1}), {.topics = 1, .beta = 0}), InvalidArgument);
  EXPECT_THROW(lda<double>(matrix_of(1, 1, {1}), {.topics = 1, .sweeps = 0}), InvalidArgument);
}

TEST(Lda, StopsWhenAskedWithTheLastState) {
  const SparseMatrix<float> counts = drawn_documents(300, 200, 3, 1).counts;
  LdaOptions options{.topics = 3, .sweeps = 1000000};
  options.progress = [](const LdaIteration& iteration) { return iteration.number < 4; };
  EXPECT_EQ(lda<float>(counts, options).history.size(), 4u);
  options.progress = {};
  options.time_limit = 0;
  EXPECT_EQ(lda<float>(counts, options).stop_reason, StopReason::time_limit);
  options.time_limit = std::numeric_limits<double>::infinity();
  Cancellation cancellation;
  options.progress = [&](const LdaIteration& iteration) {
    if (iteration.number == 3) cancellation.request();
    return true;
  };
  LdaResult<float> result;
  with_threads(2, &cancellation, [&] { result = lda<float>(counts, options); });
  EXPECT_EQ(result.stop_reason, StopReason::interrupted);
  EXPECT_EQ(result.history.size(), 3u);
  EXPECT_EQ(std::accumulate(result.tokens.begin(), result.tokens.end(), Index(0)), words_of<float>(counts).total());
}

}  // namespace
}  // namespace copse
