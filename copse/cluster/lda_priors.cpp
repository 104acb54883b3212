#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "copse/base/parallel.h"
#include "copse/cluster/lda_state.h"

namespace copse {
namespace {

constexpr Index lda_priors_documents_per_task = 64;
constexpr Index lda_priors_terms_per_task = 256;
constexpr int steps = 20;
constexpr double least_prior = 1e-6;  // a topic without words keeps a way back

// How many documents, or topics and terms, have each count.
using Histogram = std::map<std::int64_t, std::int64_t>;

// Sum over the counts n of psi(n + x) - psi(x).
double slope(const Histogram& counts, double x) {
  double sum = 0;
  for (const auto& [n, times] : counts) {
    sum += static_cast<double>(times) * (digamma(static_cast<double>(n) + x) - digamma(x));
  }
  return sum;
}

}  // namespace

double LdaPriors::alpha_sum() const { return std::accumulate(alpha.begin(), alpha.end(), 0.0); }

double log_gamma(double x) {
  double shift = 0;
  if (x < 10) {
    double product = 1;
    for (; x < 10; x += 1) product *= x;
    shift = -std::log(product);
  }
  const double y = 1 / (x * x);
  const double series = (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
  return shift + (x - 0.5) * std::log(x) - x + 0.5 * std::log(2 * std::numbers::pi) + series;
}

double digamma(double x) {
  double shift = 0;
  for (; x < 10; x += 1) shift -= 1 / x;
  const double y = 1 / (x * x);
  return shift + std::log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

double log_likelihood(const Words& words, const LdaState& state, const LdaPriors& priors) {
  const Index k = state.topics;
  const double sum = priors.alpha_sum();
  std::vector<double> alone(static_cast<std::size_t>(k));
  for (Index c = 0; c < k; ++c) alone[c] = log_gamma(priors.alpha[c]);
  const double of_topics =
      sum_blocks(words.documents(), lda_priors_documents_per_task, 0.0, [&](Index begin, Index end) {
        std::vector<std::int32_t> counts(static_cast<std::size_t>(k));
        double part = 0;
        for (Index d = begin; d < end; ++d) {
          std::ranges::fill(counts, 0);
          count_topics(words, state, d, counts);
          const auto length = static_cast<double>(words.first[d + 1] - words.first[d]);
          part += log_gamma(sum) - log_gamma(length + sum);
          for (Index c = 0; c < k; ++c) {
            if (counts[c] > 0) part += log_gamma(counts[c] + priors.alpha[c]) - alone[c];
          }
        }
        return part;
      });
  std::vector<double> small(256);  // most counts are
  for (std::size_t n = 0; n < small.size(); ++n) {
    small[n] = log_gamma(static_cast<double>(n) + priors.beta) - log_gamma(priors.beta);
  }
  double of_words = sum_blocks(words.terms, lda_priors_terms_per_task, 0.0, [&](Index begin, Index end) {
    double part = 0;
    for (Index w = begin; w < end; ++w) {
      for (const std::int32_t n : state.term_topics.row(w)) {
        if (n <= 0) continue;
        part +=
            static_cast<std::size_t>(n) < small.size() ? small[n] : log_gamma(n + priors.beta) - log_gamma(priors.beta);
      }
    }
    return part;
  });
  const double floor = static_cast<double>(words.terms) * priors.beta;
  for (const std::int64_t total : state.totals) {
    of_words += log_gamma(floor) - log_gamma(static_cast<double>(total) + floor);
  }
  return of_topics + of_words;
}

void optimize_alpha(const Words& words, const LdaState& state, LdaPriors& priors) {
  const Index k = state.topics;
  std::vector<Histogram> of_topic(static_cast<std::size_t>(k));
  Histogram lengths;
  std::vector<std::int32_t> counts(static_cast<std::size_t>(k));
  for (Index d = 0; d < words.documents(); ++d) {
    const Index length = words.first[d + 1] - words.first[d];
    if (length == 0) continue;
    std::ranges::fill(counts, 0);
    count_topics(words, state, d, counts);
    ++lengths[length];
    for (Index c = 0; c < k; ++c) {
      if (counts[c] > 0) ++of_topic[c][counts[c]];
    }
  }
  for (int step = 0; step < steps; ++step) {
    const double below = slope(lengths, priors.alpha_sum());
    for (Index c = 0; c < k; ++c) {
      priors.alpha[c] = std::max(least_prior, priors.alpha[c] * slope(of_topic[c], priors.alpha[c]) / below);
    }
  }
}

void optimize_beta(const Words& words, const LdaState& state, LdaPriors& priors) {
  Histogram counts;
  std::vector<std::int64_t> small(1024, 0);
  for (const std::int32_t n : state.term_topics.values()) {
    if (n <= 0) continue;
    if (static_cast<std::size_t>(n) < small.size()) {
      ++small[n];
    } else {
      ++counts[n];
    }
  }
  for (std::size_t n = 1; n < small.size(); ++n) {
    if (small[n] > 0) counts[static_cast<std::int64_t>(n)] = small[n];
  }
  Histogram totals;
  for (const std::int64_t total : state.totals) {
    if (total > 0) ++totals[total];
  }
  const auto terms = static_cast<double>(words.terms);
  for (int step = 0; step < steps; ++step) {
    const double ratio = slope(counts, priors.beta) / (terms * slope(totals, terms * priors.beta));
    priors.beta = std::max(least_prior, priors.beta * ratio);
  }
}

}  // namespace copse
