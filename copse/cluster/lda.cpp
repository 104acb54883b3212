#include "copse/cluster/lda.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/stopwatch.h"
#include "copse/cluster/lda_state.h"
#include "copse/nmf/stop_after.h"

namespace copse {
namespace {

constexpr Index documents_per_task = 64;
constexpr int most_rounds = 200;  // of placing a document
constexpr double close = 1e-6;    // of its topics' shares from round to round

void require_lda(bool holds, const std::string& otherwise) {
  if (!holds) throw InvalidArgument(otherwise);
}

void check(const LdaOptions& options) {
  require_lda(options.topics >= 1 && options.topics <= 65535,
              "The number of topics must be 1 to 65535; it is " + std::to_string(options.topics) + ".");
  require_lda(
      std::isfinite(options.alpha) && options.alpha >= 0,
      "The prior of topics must be above 0, or 0 for the default; it is " + std::to_string(options.alpha) + ".");
  require_lda(std::isfinite(options.beta) && options.beta > 0,
              "The prior of words must be above 0; it is " + std::to_string(options.beta) + ".");
  require_lda(options.sweeps >= 1,
              "LDA needs at least one sweep; " + std::to_string(options.sweeps) + " are asked for.");
  require_lda(options.burn_in >= 0 && options.interval >= 1,
              "The priors move after 0 or more sweeps, and then after every so many, at least 1.");
}

template <class T>
void describe(const Words& words, const LdaState& state, const LdaPriors& priors, LdaResult<T>& result) {
  const Index k = state.topics;
  result.words = Matrix<T>(words.terms, k);
  result.documents = Matrix<T>(words.documents(), k);
  const double floor = static_cast<double>(words.terms) * priors.beta;
  parallel_blocks(words.terms, documents_per_task, [&](Index begin, Index end) {
    for (Index w = begin; w < end; ++w) {
      for (Index c = 0; c < k; ++c) {
        result.words(w, c) =
            static_cast<T>((state.term_topics(w, c) + priors.beta) / (static_cast<double>(state.totals[c]) + floor));
      }
    }
  });
  const double sum = priors.alpha_sum();
  parallel_blocks(words.documents(), documents_per_task, [&](Index begin, Index end) {
    std::vector<std::int32_t> counts(static_cast<std::size_t>(k));
    for (Index d = begin; d < end; ++d) {
      const auto length = static_cast<double>(words.first[d + 1] - words.first[d]);
      if (length == 0) continue;
      std::ranges::fill(counts, 0);
      count_topics(words, state, d, counts);
      for (Index c = 0; c < k; ++c) {
        result.documents(d, c) = static_cast<T>((counts[c] + priors.alpha[c]) / (length + sum));
      }
    }
  });
  result.alpha = priors.alpha;
  result.beta = priors.beta;
  result.tokens.assign(state.totals.begin(), state.totals.end());
}

}  // namespace

template <class T>
LdaResult<T> lda(SparseView<T> counts, const LdaOptions& options) {
  const Stopwatch watch;
  check(options);
  const Words words = words_of(counts);
  require_lda(words.total() > 0, "LDA needs words; all counts are zero.");
  const auto total = static_cast<double>(words.total());
  const double alpha = options.alpha > 0 ? options.alpha : 5.0 / static_cast<double>(options.topics);
  LdaPriors priors{std::vector<double>(static_cast<std::size_t>(options.topics), alpha), options.beta};
  LdaState state = random_state(words, options.topics, options.seed);
  LdaSampler sampler(words, options.topics, options.seed);
  LdaResult<T> result;
  LdaIteration latest;
  try {
    for (int number = 1;; ++number) {
      sampler.sweep(state, priors, number);
      if (number > options.burn_in && (number - options.burn_in) % options.interval == 0 && number < options.sweeps) {
        if (options.optimize_alpha) optimize_alpha(words, state, priors);
        if (options.optimize_beta) optimize_beta(words, state, priors);
      }
      if (number == 1 || number % options.interval == 0 || number == options.sweeps) {
        latest.log_likelihood = log_likelihood(words, state, priors) / total;
      }
      latest.number = number;
      latest.seconds = watch.seconds();
      result.history.push_back(latest);
      const bool is_last = number == options.sweeps;
      const auto reason =
          stop_after(latest, options, is_last ? std::optional(StopReason::max_iterations) : std::nullopt);
      if (reason) {
        result.stop_reason = *reason;
        break;
      }
    }
  } catch (const Cancelled&) {
    if (result.history.empty()) throw;
    result.stop_reason = StopReason::interrupted;
  }
  uninterrupted([&] {
    result.log_likelihood = log_likelihood(words, state, priors) / total;
    result.history.back().log_likelihood = result.log_likelihood;
    describe(words, state, priors, result);
  });
  return result;
}

template <class T>
Matrix<T> place_documents(SparseView<T> counts, const Matrix<T>& words, std::span<const double> alpha) {
  const Index k = words.cols();
  require_lda(counts.rows == words.rows(), "The documents have " + std::to_string(counts.rows) +
                                               " terms; the model has " + std::to_string(words.rows()) + ".");
  require_lda(static_cast<Index>(alpha.size()) == k, "The model needs a prior for each of its topics.");
  const Words documents = words_of(counts);
  Matrix<T> shares(counts.cols, k);
  parallel_blocks(counts.cols, documents_per_task, [&](Index begin, Index end) {
    std::vector<double> expected(static_cast<std::size_t>(k));
    std::vector<double> next(static_cast<std::size_t>(k));
    std::vector<double> part(static_cast<std::size_t>(k));
    std::vector<double> own;  // runs x k: the share of each topic in one word of the run
    for (Index d = begin; d < end; ++d) {
      const auto length = static_cast<double>(documents.first[d + 1] - documents.first[d]);
      if (length == 0) continue;
      const Index runs = documents.runs[d + 1] - documents.runs[d];
      own.assign(static_cast<std::size_t>(runs * k), 0);
      for (Index c = 0; c < k; ++c) expected[c] = length / static_cast<double>(k);
      for (int round = 0; round < most_rounds; ++round) {
        std::ranges::fill(next, 0);
        for (Index r = 0; r < runs; ++r) {
          const auto phi = words.row(documents.term[documents.runs[d] + r]);
          double* mine = own.data() + r * k;
          double sum = 0;
          for (Index c = 0; c < k; ++c) {
            part[c] = (std::max(0.0, expected[c] - mine[c]) + alpha[c]) * static_cast<double>(phi[c]);
            sum += part[c];
          }
          if (!(sum > 0)) continue;
          const double count = documents.count[documents.runs[d] + r];
          for (Index c = 0; c < k; ++c) {
            mine[c] = part[c] / sum;
            next[c] += count * mine[c];
          }
        }
        double change = 0;
        for (Index c = 0; c < k; ++c) change += std::abs(next[c] - expected[c]);
        std::swap(expected, next);
        if (change <= close * length) break;
      }
      double sum = 0;
      for (Index c = 0; c < k; ++c) sum += expected[c] + alpha[c];
      for (Index c = 0; c < k; ++c) shares(d, c) = static_cast<T>((expected[c] + alpha[c]) / sum);
    }
  });
  return shares;
}

template <class T>
double perplexity(SparseView<T> counts, const Matrix<T>& words, const Matrix<T>& documents) {
  require_lda(counts.rows == words.rows() && counts.cols == documents.rows() && words.cols() == documents.cols(),
              "The model does not have the shape of the documents.");
  const Words held = words_of(counts);
  require_lda(held.total() > 0, "There is no word to judge.");
  const double sum = sum_blocks(counts.cols, documents_per_task, 0.0, [&](Index begin, Index end) {
    double part = 0;
    for (Index d = begin; d < end; ++d) {
      for (Index r = held.runs[d]; r < held.runs[d + 1]; ++r) {
        double p = 0;
        for (Index c = 0; c < words.cols(); ++c) {
          p += static_cast<double>(documents(d, c)) * static_cast<double>(words(held.term[r], c));
        }
        part += held.count[r] * std::log(p);
      }
    }
    return part;
  });
  return std::exp(-sum / static_cast<double>(held.total()));
}

#define COPSE_INSTANTIATE(T)                                                                    \
  template LdaResult<T> lda(SparseView<T>, const LdaOptions&);                                  \
  template Matrix<T> place_documents(SparseView<T>, const Matrix<T>&, std::span<const double>); \
  template double perplexity(SparseView<T>, const Matrix<T>&, const Matrix<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
