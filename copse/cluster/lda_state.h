// The state of a Gibbs chain: a topic for every word of every document, and what the counts of it are.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

using Topic = std::uint16_t;

// The documents as runs of equal words.
struct Words {
  Index terms = 0;
  std::vector<Index> runs = {0};    // of each document: runs[d] ... runs[d + 1] - 1
  Buffer<RowIndex> term = {};       // of each run
  Buffer<std::int32_t> count = {};  // of each run, above 0
  std::vector<Index> first = {0};   // of each document: its first word among all, and the end

  Index documents() const { return static_cast<Index>(runs.size()) - 1; }
  Index total() const { return first.back(); }
};

// Throws InvalidArgument for an entry that is no count.
template <class T>
Words words_of(SparseView<T> counts);

struct LdaPriors {
  std::vector<double> alpha;  // per topic
  double beta = 0;

  double alpha_sum() const;
};

struct LdaState {
  Index topics = 0;
  Buffer<Topic> topic;               // of each word of each document
  Matrix<std::int32_t> term_topics;  // terms x k
  std::vector<std::int64_t> totals;  // k
};

// Topics drawn uniformly.
LdaState random_state(const Words& words, Index topics, std::uint64_t seed);

// How often each topic is drawn in document d: adds to `counts`, which has k entries.
void count_topics(const Words& words, const LdaState& state, Index d, std::vector<std::int32_t>& counts);

// How a word's topic is drawn: from those that its document has and from all others apart, or from all at once, which
// is faster where they are few. Both draw from the same probabilities.
enum class LdaDraw { by_number, apart, all };

class LdaSampler {
 public:
  LdaSampler(const Words& words, Index topics, std::uint64_t seed, Index batches = 32,
             LdaDraw draw = LdaDraw::by_number);
  // `number` tells its random numbers from those of other sweeps.
  void sweep(LdaState& state, const LdaPriors& priors, int number);

 private:
  void freeze(const LdaState& state, const LdaPriors& priors, const std::vector<RowIndex>& terms);
  template <class Draw>
  void sample(LdaState& state, Index begin, Index end, int number);

  const Words& words_;
  Index topics_;
  Index blocks_;  // of topics
  Index stride_;  // of a row of phi_
  std::uint64_t seed_;
  LdaDraw draw_;
  Index batch_;                                     // documents
  std::vector<std::vector<RowIndex>> batch_terms_;  // that occur in each batch, ascending
  // Terms x (k + blocks): p(term | topic) as the batch began, and the sums of alpha p(term | topic) up to the end of
  // each block of topics.
  Buffer<float> phi_;
  std::vector<float> alpha_;
  std::vector<float> denominators_;  // N = n_k + V beta as the batch began
  std::vector<float> factors_;       // N / (N - 1)
  std::vector<float> offsets_;       // 1 / (N - 1)
};

// log p(words, topics | priors), the sum over all words.
double log_likelihood(const Words& words, const LdaState& state, const LdaPriors& priors);

// Minka's fixed point for a Dirichlet-multinomial [Minka 2000], a few steps.
void optimize_alpha(const Words& words, const LdaState& state, LdaPriors& priors);
void optimize_beta(const Words& words, const LdaState& state, LdaPriors& priors);

// log Gamma(x) and its derivative, x > 0, by Stirling's series.
double log_gamma(double x);
double digamma(double x);

}  // namespace copse
