#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/cluster/lda_state.h"

namespace copse {
namespace {

constexpr Index topics_per_block = 16;
constexpr Index lanes = 4;
using Lanes = float __attribute__((vector_size(lanes * sizeof(float))));
constexpr Index few_topics = 64;
constexpr Index lda_sampler_documents_per_task = 16;
constexpr Index lda_sampler_terms_per_task = 256;
constexpr Index floats_per_line = 16;
constexpr Index ahead = 4;         // words between asking for a row of p(term | topic) and using it
constexpr std::size_t shares = 8;  // of the terms, when moves are counted

// A word that went from one topic to another.
struct Move {
  RowIndex term;
  Topic from, to;
};

void add(std::int32_t& counter, std::int32_t value) {
  std::atomic_ref<std::int32_t>(counter).fetch_add(value, std::memory_order_relaxed);
}

void add(std::int64_t& counter, std::int64_t value) {
  std::atomic_ref<std::int64_t>(counter).fetch_add(value, std::memory_order_relaxed);
}

void fetch(const float* row, Index size) {
  for (Index e = 0; e < size; e += floats_per_line) __builtin_prefetch(row + e);
}

// [0, 1), 24 bits.
float uniform(Random& random) { return static_cast<float>(random.bits() >> 8) * 0x1p-24F; }

// The topics that a document has, with their counts: what makes the sampler sparse.
class DocumentTopics {
 public:
  explicit DocumentTopics(Index topics)
      : place_(static_cast<std::size_t>(topics), -1),
        topic_(place_.size()),
        count_(place_.size()),
        weight_(place_.size()) {}

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

  // Sum over topics of n_dk phi_k, where that of z is `own` instead of phi_z.
  float sum(const float* phi, Topic z, float own) {
    for (int i = 0; i < size_; ++i) weight_[i] = count_[i] * phi[topic_[i]];
    if (const int place = place_[z]; place >= 0) weight_[place] = count_[place] * own;
    float even = 0;
    float odd = 0;
    int i = 0;
    for (; i + 1 < size_; i += 2) {
      even += weight_[i];
      odd += weight_[i + 1];
    }
    return (i < size_ ? even + weight_[i] : even) + odd;
  }

  // The topic in whose share of the latest sum `value` lies.
  Topic at(float value) const {
    int i = 0;
    for (; i + 1 < size_; ++i) {
      value -= weight_[i];
      if (value < 0) break;
    }
    return topic_[i];
  }

 private:
  std::vector<int> place_;
  std::vector<Topic> topic_;
  std::vector<float> count_;
  std::vector<float> weight_;
  int size_ = 0;
};

// What is the same for all words of a batch.
struct Frozen {
  Index topics;
  Index blocks;
  const float* alpha;
  const float* denominators;
};

// A word goes to topic k with probability ~ (n_dk + alpha_k) phi_wk, where n_dk and phi leave out this word itself. Two
// classes draw from that. A document begins with clear(); `use` names the row of phi of the next word, of which there
// are `count`, and `change` counts words of that kind that went to topic k or away from it.

// The part of n_dk has an entry for each topic of the document only; that of alpha_k is the same for the whole batch,
// and what is left out of it is rejected after the draw.
class DrawApart {
 public:
  explicit DrawApart(const Frozen& frozen) : frozen_(frozen), topics_(frozen.topics) {}

  void clear() { topics_.clear(); }
  void add(Topic z) { topics_.add(z); }
  void remove(Topic z) { topics_.remove(z); }

  void use(const float* row, std::int32_t count) {
    phi_ = row;
    ends_ = row + frozen_.topics;
    if (count == 1) return;
    own_phi_.assign(phi_, phi_ + frozen_.topics);
    own_ends_.assign(ends_, ends_ + frozen_.blocks);
    phi_ = own_phi_.data();
    ends_ = own_ends_.data();
  }

  float phi(Topic k) const { return phi_[k]; }

  void change(float words, Topic k) {
    const float by = words / frozen_.denominators[k];
    own_phi_[k] = std::max(0.0F, own_phi_[k] + by);
    for (Index b = k / topics_per_block; b < frozen_.blocks; ++b)
      own_ends_[b] = std::max(0.0F, own_ends_[b] + frozen_.alpha[k] * by);
  }

  // `rest` is phi of the topic `old` without the word itself.
  Topic operator()(Topic old, float rest, Random& random) {
    const float own = topics_.sum(phi_, old, rest);
    const float prior = ends_[frozen_.blocks - 1];
    const float total = own + prior - frozen_.alpha[old] * (phi_[old] - rest);
    const float value = uniform(random) * total;
    if (value < own) return topics_.at(value);
    for (int tries = 0;; ++tries) {
      const Topic chosen = by_prior(uniform(random) * prior);
      if (chosen != old || uniform(random) * phi_[old] < rest || tries == 1000) return chosen;
    }
  }

 private:
  Topic by_prior(float place) const {
    Index b = 0;
    while (b + 1 < frozen_.blocks && ends_[b] <= place) ++b;
    float sum = b > 0 ? ends_[b - 1] : 0;
    const Index stop = std::min(frozen_.topics, (b + 1) * topics_per_block) - 1;
    Index k = b * topics_per_block;
    for (; k < stop; ++k) {
      sum += frozen_.alpha[k] * phi_[k];
      if (sum > place) break;
    }
    return static_cast<Topic>(k);
  }

  const Frozen frozen_;
  DocumentTopics topics_;
  const float* phi_ = nullptr;
  const float* ends_ = nullptr;
  std::vector<float> own_phi_;
  std::vector<float> own_ends_;
};

// All topics at once: lane l holds topics l, l + 4, l + 8, ... A lane is drawn, then a topic of it, without branches.
class DrawFromAll {
 public:
  explicit DrawFromAll(const Frozen& frozen)
      : frozen_(frozen),
        padded_((frozen.topics + lanes - 1) / lanes * lanes),
        alpha_(static_cast<std::size_t>(padded_), 0.0F),
        count_(alpha_.size(), 0.0F),
        weight_(alpha_.size()),
        own_phi_(alpha_.size()) {
    std::copy_n(frozen.alpha, frozen.topics, alpha_.begin());
  }

  void clear() { std::ranges::fill(count_, 0.0F); }
  void add(Topic z) { count_[z] += 1; }
  void remove(Topic z) { count_[z] -= 1; }

  void use(const float* row, std::int32_t count) {
    phi_ = row;  // behind its topics are numbers that the zeros of alpha_ and count_ put out
    if (count == 1) return;
    std::copy_n(row, padded_, own_phi_.begin());
    phi_ = own_phi_.data();
  }

  float phi(Topic k) const { return phi_[k]; }

  void change(float words, Topic k) { own_phi_[k] = std::max(0.0F, own_phi_[k] + words / frozen_.denominators[k]); }

  Topic operator()(Topic old, float rest, Random& random) {
    Lanes sums{};
    for (Index first = 0; first < padded_; first += lanes) {
      const Lanes weights = (load(&count_[first]) + load(&alpha_[first])) * load(phi_ + first);
      std::memcpy(&weight_[first], &weights, sizeof weights);
      sums += weights;
    }
    const float own = (count_[old] + alpha_[old]) * rest;
    sums[old % lanes] = std::max(0.0F, sums[old % lanes] - (weight_[old] - own));
    weight_[old] = own;
    sums[1] += sums[0];
    sums[2] += sums[1];
    sums[3] += sums[2];
    float value = uniform(random) * sums[3];
    const Index lane = (sums[0] <= value ? 1 : 0) + (sums[1] <= value ? 1 : 0) + (sums[2] <= value ? 1 : 0);
    value -= lane > 0 ? sums[lane - 1] : 0.0F;
    float below = 0;
    Index chosen = lane;
    for (Index k = lane; k + lanes < padded_; k += lanes) {
      below += weight_[k];
      chosen += below <= value ? lanes : 0;
    }
    // Round-off may lead past the last topic that can be drawn.
    return weight_[chosen] > 0 ? static_cast<Topic>(chosen) : likeliest();
  }

 private:
  static Lanes load(const float* from) {
    Lanes values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }

  Topic likeliest() const { return static_cast<Topic>(std::ranges::max_element(weight_) - weight_.begin()); }

  const Frozen frozen_;
  const Index padded_;
  std::vector<float> alpha_;
  std::vector<float> count_;
  std::vector<float> weight_;
  std::vector<float> own_phi_;
  const float* phi_ = nullptr;
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
  parallel_blocks(words.documents(), lda_sampler_documents_per_task, [&](Index begin, Index end) {
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

LdaSampler::LdaSampler(const Words& words, Index topics, std::uint64_t seed, Index batches, LdaDraw draw)
    : words_(words),
      topics_(topics),
      blocks_((topics + topics_per_block - 1) / topics_per_block),
      stride_((topics + blocks_ + floats_per_line - 1) / floats_per_line * floats_per_line),
      seed_(seed),
      draw_(draw != LdaDraw::by_number ? draw
            : topics <= few_topics     ? LdaDraw::all
                                       : LdaDraw::apart),
      batch_(std::max<Index>(1, (words.documents() + batches - 1) / batches)),
      alpha_(static_cast<std::size_t>(topics)),
      denominators_(alpha_.size()),
      factors_(alpha_.size()),
      offsets_(alpha_.size()) {
  phi_.resize(static_cast<std::size_t>(words.terms * stride_));
  std::ranges::fill(phi_, 0.0F);
  batch_terms_.resize(static_cast<std::size_t>((words.documents() + batch_ - 1) / batch_));
  parallel_for(static_cast<Index>(batch_terms_.size()), [&](Index b) {
    const Index begin = words.runs[b * batch_];
    const Index end = words.runs[std::min(words.documents(), (b + 1) * batch_)];
    std::vector<RowIndex>& terms = batch_terms_[b];
    terms.assign(words.term.begin() + begin, words.term.begin() + end);
    std::ranges::sort(terms);
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    terms.shrink_to_fit();
  });
}

// p(term | topic) and the sums of alpha_k p(term | k) for the terms of one batch.
void LdaSampler::freeze(const LdaState& state, const LdaPriors& priors, const std::vector<RowIndex>& terms) {
  const double floor = static_cast<double>(words_.terms) * priors.beta;
  std::vector<float> inverse(static_cast<std::size_t>(topics_));
  for (Index k = 0; k < topics_; ++k) {
    alpha_[k] = static_cast<float>(priors.alpha[k]);
    denominators_[k] = static_cast<float>(static_cast<double>(state.totals[k]) + floor);
    inverse[k] = 1 / denominators_[k];
    const float left = std::max(1e-30F, denominators_[k] - 1);
    factors_[k] = denominators_[k] / left;
    offsets_[k] = 1 / left;
  }
  const auto beta = static_cast<float>(priors.beta);
  parallel_blocks(static_cast<Index>(terms.size()), lda_sampler_terms_per_task, [&](Index begin, Index end) {
    for (Index e = begin; e < end; ++e) {
      const Index w = terms[e];
      const std::int32_t* counts = state.term_topics.data() + w * topics_;
      float* phi = phi_.data() + w * stride_;
      float* ends = phi + topics_;
      for (Index k = 0; k < topics_; ++k) phi[k] = (static_cast<float>(counts[k]) + beta) * inverse[k];
      float sum = 0;
      for (Index b = 0; b < blocks_; ++b) {
        const Index last = std::min(topics_, (b + 1) * topics_per_block);
        float even = 0;
        float odd = 0;
        Index k = b * topics_per_block;
        for (; k + 1 < last; k += 2) {
          even += alpha_[k] * phi[k];
          odd += alpha_[k + 1] * phi[k + 1];
        }
        if (k < last) even += alpha_[k] * phi[k];
        sum += even + odd;
        ends[b] = sum;
      }
    }
  });
}

// What moved is written down and counted when the batch is over, each share of the terms by one thread.
template <class Draw>
void LdaSampler::sample(LdaState& state, Index begin, Index end, int number) {
  const Frozen frozen{topics_, blocks_, alpha_.data(), denominators_.data()};
  std::vector<std::array<std::vector<Move>, shares>> moves(
      static_cast<std::size_t>((end - begin + lda_sampler_documents_per_task - 1) / lda_sampler_documents_per_task));
  parallel_blocks(end - begin, lda_sampler_documents_per_task, [&](Index first, Index last) {
    std::array<std::vector<Move>, shares>& moved = moves[first / lda_sampler_documents_per_task];
    Draw draw(frozen);
    for (Index d = begin + first; d < begin + last; ++d) {
      Random random(seed_, static_cast<std::uint64_t>(number) * static_cast<std::uint64_t>(words_.documents()) +
                               static_cast<std::uint64_t>(d));
      draw.clear();
      for (Index t = words_.first[d]; t < words_.first[d + 1]; ++t) draw.add(state.topic[t]);
      Index t = words_.first[d];
      for (Index r = words_.runs[d]; r < words_.runs[d + 1]; ++r) {
        const RowIndex w = words_.term[r];
        const std::int32_t count = words_.count[r];
        if (r + ahead < words_.runs[end]) fetch(phi_.data() + words_.term[r + ahead] * stride_, topics_ + blocks_);
        draw.use(phi_.data() + w * stride_, count);
        for (std::int32_t o = 0; o < count; ++o, ++t) {
          const Topic old = state.topic[t];
          draw.remove(old);
          // (n - 1 + beta) / (N - 1 + V beta) from (n + beta) / (N + V beta)
          const float rest = std::max(0.0F, draw.phi(old) * factors_[old] - offsets_[old]);
          const Topic chosen = draw(old, rest, random);
          draw.add(chosen);
          if (chosen == old) continue;
          state.topic[t] = chosen;
          moved[w % shares].push_back({w, old, chosen});
          if (o + 1 < count) {
            // The document's own changes count for the next word of its kind.
            draw.change(-1, old);
            draw.change(1, chosen);
          }
        }
      }
    }
  });
  parallel_for(shares, [&](Index share) {
    for (const auto& task : moves) {
      for (const Move& move : task[share]) {
        --state.term_topics(move.term, move.from);
        ++state.term_topics(move.term, move.to);
      }
    }
  });
  for (const auto& task : moves) {
    for (const std::vector<Move>& share : task) {
      for (const Move& move : share) {
        --state.totals[move.from];
        ++state.totals[move.to];
      }
    }
  }
}

void LdaSampler::sweep(LdaState& state, const LdaPriors& priors, int number) {
  for (std::size_t b = 0; b < batch_terms_.size(); ++b) {
    const Index begin = static_cast<Index>(b) * batch_;
    const Index end = std::min(words_.documents(), begin + batch_);
    freeze(state, priors, batch_terms_[b]);
    if (draw_ == LdaDraw::all) {
      sample<DrawFromAll>(state, begin, end, number);
    } else {
      sample<DrawApart>(state, begin, end, number);
    }
  }
}

template Words words_of(SparseView<float>);
template Words words_of(SparseView<double>);

}  // namespace copse
