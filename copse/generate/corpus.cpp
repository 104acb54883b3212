#include "copse/generate/corpus.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/generate/alias_table.h"
#include "copse/generate/column_blocks.h"

namespace copse {
namespace {

constexpr std::uint64_t sizes_stream = shared_streams;
constexpr std::uint64_t trial_streams = shared_streams + 1;
constexpr std::uint64_t topic_streams = shared_streams + (std::uint64_t(1) << 32);

// A topic, or a group of topics: some words of the middle of the vocabulary, and how often it uses each.
struct Topic {
  std::vector<std::uint32_t> words;
  AliasTable law;

  std::uint32_t draw(Random& random) const { return words[law.draw(random)]; }
};

struct Model {
  AliasTable background;  // over all words, the most common first
  AliasTable sizes;       // over topics
  std::vector<Topic> topics;
  std::vector<Topic> groups;  // of `branch` topics each; empty without a hierarchy
  Index branch = 1;
  double strength = 1;
};

// `count` different words, word w with weight frequency(w)^0.6: those with the smallest exponential variates at these
// rates [Efraimidis & Spirakis 2006]. A topic uses them with gamma(0.7) frequency(w)^0.5, so it is Zipfian as well.
Topic draw_topic(std::span<const double> frequency, Index first, Index count, Random random) {
  std::vector<std::pair<double, std::uint32_t>> arrivals;
  arrivals.reserve(frequency.size() - static_cast<std::size_t>(first));
  for (Index w = first; w < static_cast<Index>(frequency.size()); ++w)
    arrivals.emplace_back(-std::log1p(-random.uniform()) / std::pow(frequency[w], 0.6), static_cast<std::uint32_t>(w));
  std::nth_element(arrivals.begin(), arrivals.begin() + count - 1, arrivals.end());

  Topic topic;
  std::vector<double> weights;
  for (Index i = 0; i < count; ++i) topic.words.push_back(arrivals[i].second);
  std::sort(topic.words.begin(), topic.words.end());
  for (const std::uint32_t word : topic.words) weights.push_back(random.gamma(0.7) * std::sqrt(frequency[word]));
  topic.law = AliasTable(weights);
  return topic;
}

Model draw_model(const CorpusOptions& options, Index words) {
  Model model;
  model.branch = options.branch;
  model.strength = options.strength;
  std::vector<double> frequency(static_cast<std::size_t>(words));
  for (Index r = 0; r < words; ++r) frequency[r] = std::pow(static_cast<double>(r) + 2.7, -options.zipf);
  model.background = AliasTable(frequency);

  Random random(options.seed, sizes_stream);
  std::vector<double> sizes(static_cast<std::size_t>(options.k));
  for (double& size : sizes) size = random.gamma(5);
  const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  for (double& size : sizes) size = std::max(size / total, 0.25 / static_cast<double>(options.k));
  model.sizes = AliasTable(sizes);

  const Index first = std::min(words / 250 + 5, words - 1);
  const Index count = std::min(std::clamp<Index>(words / 50, 80, 600), words - first);
  model.topics.resize(static_cast<std::size_t>(options.k));
  if (options.branch > 1) model.groups.resize(static_cast<std::size_t>((options.k - 1) / options.branch + 1));
  const auto groups = static_cast<Index>(model.groups.size());
  parallel_for(options.k + groups, [&](Index t) {
    Topic& topic = t < options.k ? model.topics[t] : model.groups[t - options.k];
    topic = draw_topic(frequency, first, count, Random(options.seed, topic_streams + static_cast<std::uint64_t>(t)));
  });
  return model;
}

double draw_beta(Random& random, double a, double b) {
  const double x = random.gamma(a);
  return x / (x + random.gamma(b));
}

// Fills `words`, ascending, with repetitions; returns the document's topic.
Index draw_document(const Model& model, double mean_length, Random random, std::vector<std::uint32_t>& words) {
  const auto k = static_cast<Index>(model.topics.size());
  const Index label = model.sizes.draw(random);
  const Index other = k > 1 ? (label + 1 + random.below(k - 1)) % k : label;
  // exp(0.6 normal() - 0.18) has mean 1.
  const double length = mean_length * std::exp(0.6 * random.normal() - 0.18);
  const double own = draw_beta(random, 3, 5) * 0.62 * model.strength;
  const double group = model.groups.empty() ? 0 : draw_beta(random, 2, 5) * 0.45;
  const double distraction = draw_beta(random, 1, 4) * 0.45;
  const double background = std::max(0.05, 1 - own - group - distraction);
  const double scale = 0x1p32 / (own + group + distraction + background);
  const auto below_own = static_cast<std::uint64_t>(own * scale);
  const auto below_group = static_cast<std::uint64_t>((own + group) * scale);
  const auto below_distraction = static_cast<std::uint64_t>((own + group + distraction) * scale);

  // Sources are counted first: the loops over one source have nothing to mispredict, and wait for memory together.
  words.resize(static_cast<std::size_t>(std::clamp(length, 8.0, 65535.0)));
  Index own_end = 0, group_end = 0, distraction_end = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t source = random.bits();
    own_end += source < below_own;
    group_end += source < below_group;
    distraction_end += source < below_distraction;
  }
  Index i = 0;
  for (; i < own_end; ++i) words[i] = model.topics[label].draw(random);
  for (; i < group_end; ++i) words[i] = model.groups[label / model.branch].draw(random);
  for (; i < distraction_end; ++i) words[i] = model.topics[other].draw(random);
  for (; i < static_cast<Index>(words.size()); ++i)
    words[i] = static_cast<std::uint32_t>(model.background.draw(random));
  std::sort(words.begin(), words.end());
  return label;
}

// The mean length at which documents have the wanted number of different words, found on trial documents.
double find_length(const Model& model, const CorpusOptions& options) {
  constexpr Index trials = 4000;
  double length = 1.3 * options.terms_per_document;
  for (int round = 0; round < 6; ++round) {
    const Index found = sum_blocks(trials, 100, Index(0), [&](Index begin, Index end) {
      std::vector<std::uint32_t> words;
      Index different = 0;
      for (Index d = begin; d < end; ++d) {
        draw_document(model, length, Random(options.seed, trial_streams + static_cast<std::uint64_t>(d)), words);
        different += std::unique(words.begin(), words.end()) - words.begin();
      }
      return different;
    });
    length *= options.terms_per_document * trials / static_cast<double>(found);
    length = std::min(length, 65535.0);
  }
  return length;
}

using Counts = std::vector<ColumnBlock<std::uint16_t>>;

// Of the documents from number `first` on, as many as there are labels to fill.
Counts draw_documents(const Model& model, double length, std::uint64_t seed, Index first, std::span<Index> labels) {
  return build_blocks<std::uint16_t>(static_cast<Index>(labels.size()), [&](Index d, auto& block) {
    thread_local std::vector<std::uint32_t> words;
    labels[d] = draw_document(model, length, Random(seed, static_cast<std::uint64_t>(first + d)), words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i > 0 && words[i] == words[i - 1]) {
        ++block.values.back();
      } else {
        block.indices.push_back(static_cast<RowIndex>(words[i]));
        block.values.push_back(1);
      }
    }
  });
}

// Adds how many documents hold each word.
void count_documents(const Counts& counts, std::vector<Index>& total) {
  constexpr Index parts = 16;
  const auto blocks = static_cast<Index>(counts.size());
  std::vector<std::vector<std::uint32_t>> partial(parts);
  parallel_for(parts, [&](Index part) {
    partial[part].assign(total.size(), 0);
    for (Index b = blocks * part / parts; b < blocks * (part + 1) / parts; ++b) {
      for (const RowIndex word : counts[b].indices) ++partial[part][word];
    }
  });
  for (const auto& part : partial) {
    for (std::size_t w = 0; w < total.size(); ++w) total[w] += part[w];
  }
}

struct Vocabulary {
  std::vector<RowIndex> row_of;  // per word; -1: no entries
  std::vector<double> weight;    // per word
};

// The terms are the words of most documents. A word of all documents has weight log 1 = 0: its row has no entries.
Vocabulary choose_terms(const std::vector<Index>& document_count, const CorpusOptions& options) {
  std::vector<Index> order(document_count.size());
  std::iota(order.begin(), order.end(), Index(0));
  std::nth_element(order.begin(), order.begin() + options.terms - 1, order.end(), [&](Index a, Index b) {
    return document_count[a] != document_count[b] ? document_count[a] > document_count[b] : a < b;
  });
  std::sort(order.begin(), order.begin() + options.terms);

  Vocabulary vocabulary{.row_of = std::vector<RowIndex>(order.size(), -1), .weight = std::vector<double>(order.size())};
  for (Index row = 0; row < options.terms; ++row) {
    const Index word = order[row];
    const auto holders = static_cast<double>(document_count[word]);
    if (options.counts)
      vocabulary.weight[word] = 1;
    else if (holders > 0)
      vocabulary.weight[word] = std::log(static_cast<double>(options.documents) / holders);
    if (vocabulary.weight[word] > 0) vocabulary.row_of[word] = static_cast<RowIndex>(row);
  }
  return vocabulary;
}

template <class T>
SparseMatrix<T> weigh(Counts counts, const Vocabulary& vocabulary, const CorpusOptions& options) {
  const auto blocks = static_cast<Index>(counts.size());
  SparseMatrix<T> x{.rows = options.terms};
  for (const auto& block : counts) x.cols += static_cast<Index>(block.ends.size());
  x.offsets.resize(static_cast<std::size_t>(x.cols) + 1);
  parallel_for(blocks, [&](Index b) {
    Index p = 0, column = b * columns_per_block;
    for (const Index end : counts[b].ends) {
      Index kept = 0;
      for (; p < end; ++p) kept += vocabulary.row_of[counts[b].indices[p]] >= 0;
      x.offsets[++column] = kept;
    }
  });
  for (Index d = 0; d < x.cols; ++d) x.offsets[d + 1] += x.offsets[d];
  x.indices.resize(static_cast<std::size_t>(x.offsets.back()));
  x.values.resize(static_cast<std::size_t>(x.offsets.back()));
  parallel_for(blocks, [&](Index b) {
    const auto block = std::move(counts[b]);  // freed as soon as it is used
    std::vector<double> weights;
    Index p = 0, place = x.offsets[b * columns_per_block];
    for (const Index end : block.ends) {
      weights.clear();
      double squares = 0;
      for (; p < end; ++p) {
        const RowIndex word = block.indices[p];
        if (vocabulary.row_of[word] < 0) continue;
        x.indices[place + static_cast<Index>(weights.size())] = vocabulary.row_of[word];
        weights.push_back(block.values[p] * vocabulary.weight[word]);
        squares += weights.back() * weights.back();
      }
      const double scale = options.counts ? 1 : 1 / std::sqrt(squares);
      for (const double weight : weights) x.values[place++] = static_cast<T>(weight * scale);
    }
  });
  return x;
}

void check(const CorpusOptions& options) {
  if (options.documents < 1 || options.k < 1) throw InvalidArgument("a corpus needs at least one document and topic");
  if (options.terms < 100 || options.terms > 1'000'000'000)
    throw InvalidArgument("a corpus needs between 100 and 1,000,000,000 terms");
  if (options.branch < 1) throw InvalidArgument("at least one topic must stand below each parent");
  if (!(options.terms_per_document >= 5 && options.terms_per_document <= static_cast<double>(options.terms) / 4))
    throw InvalidArgument("the terms per document must be between 5 and a quarter of all terms");
  if (!(options.zipf >= 0 && options.zipf <= 3)) throw InvalidArgument("the exponent of Zipf's law must be 0 ... 3");
  if (!(options.strength >= 0 && options.strength <= 10))
    throw InvalidArgument("the strength of topics must be between 0 and 10");
}

}  // namespace

template <class T>
Planted<T> generate_corpus(const CorpusOptions& options) {
  Planted<T> result;
  generate_corpus<T>(options, std::numeric_limits<Index>::max(), [&](SparseMatrix<T> x, std::span<const Index> labels) {
    result.data.values = std::move(x);
    result.labels.assign(labels.begin(), labels.end());
  });
  if (options.branch > 1) {
    for (const Index label : result.labels) result.parents.push_back(label / options.branch);
  }
  return result;
}

template <class T>
void generate_corpus(const CorpusOptions& options, Index at_once,
                     const std::function<void(SparseMatrix<T> documents, std::span<const Index> labels)>& take) {
  check(options);
  at_once = std::min(std::max<Index>(at_once, 1), options.documents);
  const Index words = options.terms + options.terms * 3 / 10;
  const Model model = draw_model(options, words);
  const double length = find_length(model, options);
  std::vector<Index> labels;
  const auto draw = [&](Index first) {
    check_cancelled();
    labels.resize(static_cast<std::size_t>(std::min(at_once, options.documents - first)));
    return draw_documents(model, length, options.seed, first, labels);
  };
  // What is drawn depends on the number of a document only: where not all of them are kept, they are drawn again.
  std::vector<Index> document_count(static_cast<std::size_t>(words), 0);
  Counts counts;
  for (Index first = 0; first < options.documents; first += at_once) {
    counts = draw(first);
    count_documents(counts, document_count);
  }
  const auto vocabulary = choose_terms(document_count, options);
  for (Index first = 0; first < options.documents; first += at_once) {
    if (at_once < options.documents) counts = draw(first);
    take(weigh<T>(std::move(counts), vocabulary, options), labels);
  }
}

#define COPSE_INSTANTIATE(T)                                 \
  template Planted<T> generate_corpus(const CorpusOptions&); \
  template void generate_corpus(const CorpusOptions&, Index, \
                                const std::function<void(SparseMatrix<T>, std::span<const Index>)>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
