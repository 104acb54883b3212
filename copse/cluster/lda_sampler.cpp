#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/cluster/lda_state.h"

namespace copse {
namespace {

constexpr Index topics_per_block = 16;
constexpr Index documents_per_task = 16;
constexpr Index terms_per_task = 256;

void add(std::int32_t& counter, std::int32_t value) {
  std::atomic_ref<std::int32_t>(counter).fetch_add(value, std::memory_order_relaxed);
}

void add(std::int64_t& counter, std::int64_t value) {
  std::atomic_ref<std::int64_t>(counter).fetch_add(value, std::memory_order_relaxed);
}

double uniform(Random& random) { return static_cast<double>(random.bits()) * 0x1p-32; }

// The topics that a document has, with their counts: what makes the sampler sparse.
class DocumentTopics {
 public:
  explicit DocumentTopics(Index topics)
      : place_(static_cast<std::size_t>(topics), -1),
        topic_(place_.size()),
        count_(place_.size()),
        sum_(place_.size()) {}

  void add(Topic z) {
    if (place_[z] < 0) {
      place_[z] = size_;
      topic_[size_] = z;
      count_[size_++] = 0;
    }
    count_[place_[z]] += 1;
  }

  void remove(Topic z) {
    const int place = place_[z];
    count_[place] -= 1;
    if (count_[place] > 0) return;
    --size_;
    topic_[place] = topic_[size_];
    count_[place] = count_[size_];
    place_[topic_[place]] = place;
    place_[z] = -1;
  }

  void clear() {
    for (int i = 0; i < size_; ++i) place_[topic_[i]] = -1;
    size_ = 0;
  }

  // sum over topics of n_dk phi_k, where that of z is `ratio` times phi_z.
  float sum(const float* phi, Topic z, float ratio) {
    float total = 0;
    const int own = place_[z];
    const float kept = own < 0 ? 0 : count_[own];
    if (own >= 0) count_[own] = kept * ratio;
    for (int i = 0; i < size_; ++i) {
      total += count_[i] * phi[topic_[i]];
      sum_[i] = total;
    }
    if (own >= 0) count_[own] = kept;
    return total;
  }

  // The topic in whose share of the latest sum `value` lies.
  Topic at(double value) const {
    int i = 0;
    while (i + 1 < size_ && static_cast<double>(sum_[i]) <= value) ++i;
    return topic_[i];
  }

 private:
  std::vector<int> place_;
  std::vector<Topic> topic_;
  std::vector<float> count_;
  std::vector<float> sum_;
  int size_ = 0;
};

}  // namespace

template <class T>
Words words_of(SparseView<T> counts) {
  Words words;
  words.terms = counts.rows;
  words.runs.reserve(static_cast<std::size_t>(counts.cols) + 1);
  words.first.reserve(static_cast<std::size_t>(counts.cols) + 1);
  words.term.reserve(static_cast<std::size_t>(counts.nonzeros()));
  words.count.reserve(static_cast<std::size_t>(counts.nonzeros()));
  Index total = 0;
  for (Index d = 0; d < counts.cols; ++d) {
    for (Index p = counts.offsets[d]; p < counts.offsets[d + 1]; ++p) {
      const double value = counts.values[p];
      if (value == 0) continue;
      if (!(value > 0) || value != std::floor(value) || value > std::numeric_limits<std::int32_t>::max()) {
        throw InvalidArgument("LDA counts words: entry " + std::to_string(value) + " of feature " +
                              std::to_string(counts.indices[p] + 1) + " and item " + std::to_string(d + 1) +
                              " is no count. Give raw counts, without weights.");
      }
      words.term.push_back(counts.indices[p]);
      words.count.push_back(static_cast<std::int32_t>(value));
      total += static_cast<Index>(value);
    }
    words.runs.push_back(static_cast<Index>(words.term.size()));
    words.first.push_back(total);
  }
  return words;
}

LdaState random_state(const Words& words, Index topics, std::uint64_t seed) {
  LdaState state;
  state.topics = topics;
  state.topic.resize(static_cast<std::size_t>(words.total()));
  state.term_topics = Matrix<std::int32_t>(words.terms, topics);
  state.totals.assign(static_cast<std::size_t>(topics), 0);
  parallel_blocks(words.documents(), documents_per_task, [&](Index begin, Index end) {
    for (Index d = begin; d < end; ++d) {
      Random random(seed, static_cast<std::uint64_t>(d));
      Index t = words.first[d];
      for (Index r = words.runs[d]; r < words.runs[d + 1]; ++r) {
        for (std::int32_t o = 0; o < words.count[r]; ++o, ++t) {
          const Index z = random.below(topics);
          state.topic[t] = static_cast<Topic>(z);
          add(state.term_topics(words.term[r], z), 1);
          add(state.totals[z], 1);
        }
      }
    }
  });
  return state;
}

void count_topics(const Words& words, const LdaState& state, Index d, std::vector<std::int32_t>& counts) {
  for (Index t = words.first[d]; t < words.first[d + 1]; ++t) ++counts[state.topic[t]];
}

LdaSampler::LdaSampler(const Words& words, Index topics, std::uint64_t seed, Index batches)
    : words_(words),
      topics_(topics),
      seed_(seed),
      batch_(std::max<Index>(1, (words.documents() + batches - 1) / batches)),
      alpha_(static_cast<std::size_t>(topics)),
      denominators_(static_cast<std::size_t>(topics)) {
  const Index blocks = (topics + topics_per_block - 1) / topics_per_block;
  phi_.resize(static_cast<std::size_t>(words.terms * topics));
  blocks_.resize(static_cast<std::size_t>(words.terms * blocks));
  batch_terms_.resize(static_cast<std::size_t>((words.documents() + batch_ - 1) / batch_));
  parallel_for(static_cast<Index>(batch_terms_.size()), [&](Index b) {
    const Index begin = words.runs[b * batch_];
    const Index end = words.runs[std::min(words.documents(), (b + 1) * batch_)];
    std::vector<RowIndex>& terms = batch_terms_[b];
    terms.assign(words.term.begin() + begin, words.term.begin() + end);
    std::ranges::sort(terms);
    terms.erase(std::ranges::unique(terms).begin(), terms.end());
    terms.shrink_to_fit();
  });
}

// p(term | topic) and the sums of alpha_k p(term | k) for the terms of one batch.
void LdaSampler::freeze(const LdaState& state, const LdaPriors& priors, const std::vector<RowIndex>& terms) {
  const Index blocks = (topics_ + topics_per_block - 1) / topics_per_block;
  const double floor = static_cast<double>(words_.terms) * priors.beta;
  std::vector<float> inverse(static_cast<std::size_t>(topics_));
  for (Index k = 0; k < topics_; ++k) {
    alpha_[k] = static_cast<float>(priors.alpha[k]);
    denominators_[k] = static_cast<float>(static_cast<double>(state.totals[k]) + floor);
    inverse[k] = 1 / denominators_[k];
  }
  const auto beta = static_cast<float>(priors.beta);
  parallel_blocks(static_cast<Index>(terms.size()), terms_per_task, [&](Index begin, Index end) {
    for (Index e = begin; e < end; ++e) {
      const Index w = terms[e];
      const std::int32_t* counts = state.term_topics.data() + w * topics_;
      float* phi = phi_.data() + w * topics_;
      for (Index k = 0; k < topics_; ++k) phi[k] = (static_cast<float>(counts[k]) + beta) * inverse[k];
      float sum = 0;
      for (Index b = 0; b < blocks; ++b) {
        float part = 0;
        const Index last = std::min(topics_, (b + 1) * topics_per_block);
        for (Index k = b * topics_per_block; k < last; ++k) part += alpha_[k] * phi[k];
        sum += part;
        blocks_[w * blocks + b] = sum;
      }
    }
  });
}

// A word goes to topic k with probability ~ (n_dk + alpha_k) phi_wk, where n_dk and phi leave out this word itself. The
// first part has an entry for each topic of the document only; the second is the same for the whole batch, and what is
// left out of it is rejected after the draw.
void LdaSampler::sample(LdaState& state, const LdaPriors&, Index begin, Index end, int number) {
  const Index blocks = (topics_ + topics_per_block - 1) / topics_per_block;
  parallel_blocks(end - begin, documents_per_task, [&](Index first, Index last) {
    DocumentTopics topics(topics_);
    std::vector<std::int64_t> moved(static_cast<std::size_t>(topics_), 0);
    std::vector<float> own_phi;
    std::vector<float> own_ends;
    const auto change = [&](float words, Topic k, std::vector<float>& phi, std::vector<float>& ends) {
      const float by = words / denominators_[k];
      phi[k] = std::max(0.0F, phi[k] + by);
      for (Index b = k / topics_per_block; b < blocks; ++b) ends[b] = std::max(0.0F, ends[b] + alpha_[k] * by);
    };
    for (Index d = begin + first; d < begin + last; ++d) {
      Random random(seed_, static_cast<std::uint64_t>(number) * static_cast<std::uint64_t>(words_.documents()) +
                               static_cast<std::uint64_t>(d));
      topics.clear();
      for (Index t = words_.first[d]; t < words_.first[d + 1]; ++t) topics.add(state.topic[t]);
      Index t = words_.first[d];
      for (Index r = words_.runs[d]; r < words_.runs[d + 1]; ++r) {
        const Index w = words_.term[r];
        const float* phi = phi_.data() + w * topics_;
        const float* block_ends = blocks_.data() + w * blocks;
        if (words_.count[r] > 1) {
          // The document's own changes count for the next word of its kind.
          own_phi.assign(phi, phi + topics_);
          own_ends.assign(block_ends, block_ends + blocks);
          phi = own_phi.data();
          block_ends = own_ends.data();
        }
        for (std::int32_t o = 0; o < words_.count[r]; ++o, ++t) {
          const Topic old = state.topic[t];
          topics.remove(old);
          // (n - 1 + beta) / (N - 1 + V beta) over (n + beta) / (N + V beta)
          const float n = phi[old] * denominators_[old];
          const float ratio =
              std::max(0.0F, n - 1) * denominators_[old] / (n * std::max(1e-30F, denominators_[old] - 1));
          const float own = topics.sum(phi, old, ratio);
          const float prior = block_ends[blocks - 1];
          const float total = own + prior - (1 - ratio) * alpha_[old] * phi[old];
          const double value = uniform(random) * static_cast<double>(total);
          Topic chosen = 0;
          if (value < static_cast<double>(own)) {
            chosen = topics.at(value);
          } else {
            for (int tries = 0;; ++tries) {
              const double place = uniform(random) * static_cast<double>(prior);
              Index b = 0;
              while (b + 1 < blocks && static_cast<double>(block_ends[b]) <= place) ++b;
              double sum = b > 0 ? static_cast<double>(block_ends[b - 1]) : 0;
              const Index stop = std::min(topics_, (b + 1) * topics_per_block) - 1;
              Index k = b * topics_per_block;
              for (; k < stop; ++k) {
                sum += static_cast<double>(alpha_[k] * phi[k]);
                if (sum > place) break;
              }
              chosen = static_cast<Topic>(k);
              if (chosen != old || uniform(random) < static_cast<double>(ratio) || tries == 1000) break;
            }
          }
          topics.add(chosen);
          if (chosen == old) continue;
          state.topic[t] = chosen;
          add(state.term_topics(w, old), -1);
          add(state.term_topics(w, chosen), 1);
          --moved[old];
          ++moved[chosen];
          if (o + 1 < words_.count[r]) {
            change(-1, old, own_phi, own_ends);
            change(1, chosen, own_phi, own_ends);
          }
        }
      }
    }
    for (Index k = 0; k < topics_; ++k) {
      if (moved[k] != 0) add(state.totals[k], moved[k]);
    }
  });
}

void LdaSampler::sweep(LdaState& state, const LdaPriors& priors, int number) {
  for (std::size_t b = 0; b < batch_terms_.size(); ++b) {
    const Index begin = static_cast<Index>(b) * batch_;
    freeze(state, priors, batch_terms_[b]);
    sample(state, priors, begin, std::min(words_.documents(), begin + batch_), number);
  }
}

template Words words_of(SparseView<float>);
template Words words_of(SparseView<double>);

}  // namespace copse
