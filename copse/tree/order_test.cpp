// The order of the items does not matter: trees of the same items sorted, alternating and shuffled.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "copse/base/random.h"
#include "copse/tree/tree.h"

namespace copse {
namespace {

struct Corpus {
  std::vector<std::map<RowIndex, double>> items;
  std::vector<Index> classes;
};

enum class Lengths { equal, heavy_tail };

struct Kind {
  Index topics = 2;
  Index common = 0;    // words that all share, a fifth of the tokens
  bool pairs = false;  // topics 0 and 1, 2 and 3 ... have words in common, two fifths of the tokens
  Lengths lengths = Lengths::equal;
  bool unit = true;        // columns of norm 1
  bool duplicate = false;  // every item stands there four times
};

constexpr RowIndex words_per_topic = 40;

std::map<RowIndex, double> document(const Kind& kind, Index topic, std::uint64_t seed, Index number) {
  Random random(seed, static_cast<std::uint64_t>(kind.duplicate ? number / (4 * kind.topics) : number));
  double tokens = 30;
  if (kind.lengths == Lengths::heavy_tail) tokens = std::min(1e5, 15 * std::pow(1 - random.uniform(), -1 / 1.2));
  std::map<RowIndex, double> words;
  // A long document is 60 draws, each of several tokens.
  const int draws = static_cast<int>(std::min(tokens, 60.0));
  for (int draw = 0; draw < draws; ++draw) {
    auto word = static_cast<RowIndex>(words_per_topic * topic + std::min(random.below(40), random.below(40)));
    const double source = random.uniform();
    if (kind.pairs && source > 0.6)
      word = static_cast<RowIndex>(words_per_topic * (kind.topics + topic / 2) + random.below(40));
    if (kind.common > 0 && source < 0.2)
      word = static_cast<RowIndex>(2 * words_per_topic * kind.topics + random.below(kind.common));
    words[word] += std::max(1.0, tokens / 60);
  }
  double square = 0;
  for (const auto& [word, count] : words) square += count * count;
  if (kind.unit) {
    for (auto& [word, count] : words) count /= std::sqrt(square);
  }
  return words;
}

// pattern(j) is the class of item j.
template <class Pattern>
Corpus corpus(const Kind& kind, Index size, std::uint64_t seed, const Pattern& pattern) {
  Corpus made;
  for (Index j = 0; j < size; ++j) {
    made.classes.push_back(pattern(j));
    made.items.push_back(document(kind, made.classes.back(), seed, j));
  }
  return made;
}

struct Found {
  std::vector<Index> labels;  // of the items as they stand in the corpus
  double explained = 0;       // by the topics of the leaves, of all
};

// The tree of the items in the given order.
Found tree_of(const Corpus& corpus, const std::vector<RowIndex>& order, const TreeOptions& options) {
  SparseMatrix<float> x;
  x.cols = static_cast<Index>(order.size());
  for (const RowIndex j : order) {
    for (const auto& [word, value] : corpus.items[j]) {
      x.rows = std::max<Index>(x.rows, word + 1);
      x.indices.push_back(word);
      x.values.push_back(static_cast<float>(value));
    }
    x.offsets.push_back(static_cast<Index>(x.indices.size()));
  }
  const auto tree = build_tree(*tree_data<float>(SparseView<float>(x)), options);
  const auto partition = tree.partition(tree.splits());
  Found found{.labels = std::vector<Index>(order.size())};
  for (std::size_t i = 0; i < order.size(); ++i) found.labels[order[i]] = partition[i];
  for (const Index leaf : tree.leaf_nodes()) found.explained += tree.nodes[leaf].explained / tree.nodes[0].squared_norm;
  return found;
}

std::vector<Index> leaves_of(const Corpus& corpus, const std::vector<RowIndex>& order, const TreeOptions& options) {
  return tree_of(corpus, order, options).labels;
}

std::vector<RowIndex> in_order(std::size_t size) {
  std::vector<RowIndex> order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<RowIndex> shuffled(std::size_t size, std::uint64_t seed) {
  auto order = in_order(size);
  Random random(seed, 77);
  for (Index i = static_cast<Index>(size) - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  return order;
}

std::vector<RowIndex> sorted(const Corpus& corpus) {
  auto order = in_order(corpus.items.size());
  std::ranges::stable_sort(order, {}, [&](RowIndex j) { return corpus.classes[j]; });
  return order;
}

// Normalized mutual information, by the mean of the entropies.
double nmi(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::map<Index, double> in_a, in_b;
  std::map<std::pair<Index, Index>, double> both;
  const double each = 1 / static_cast<double>(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) in_a[a[j]] += each, in_b[b[j]] += each, both[{a[j], b[j]}] += each;
  double shared = 0, entropy_a = 0, entropy_b = 0;
  for (const auto& [pair, p] : both) shared += p * std::log(p / (in_a[pair.first] * in_b[pair.second]));
  for (const auto& [label, p] : in_a) entropy_a -= p * std::log(p);
  for (const auto& [label, p] : in_b) entropy_b -= p * std::log(p);
  return entropy_a + entropy_b == 0 ? 1 : 2 * shared / (entropy_a + entropy_b);
}

// Two vocabularies without a word in common: any order must find them, with equal and with unequal shares.
TEST(Order, DisjointVocabulariesAreToldApartInAnyOrder) {
  for (const Index size : {300, 2000, 16000}) {
    for (const Index period : {2, 3, 4, 8, 16}) {
      const auto made = corpus({}, size, 5, [&](Index j) { return j % period == 0 ? 0 : 1; });
      const TreeOptions options{.leaves = 2, .outlier_trials = 0};
      const auto found = [&](const auto& order) { return nmi(leaves_of(made, order, options), made.classes); };
      EXPECT_NEAR(found(in_order(made.items.size())), 1, 1e-9) << size << ' ' << period;
      EXPECT_NEAR(found(sorted(made)), 1, 1e-9) << size << ' ' << period;
      EXPECT_NEAR(found(shuffled(made.items.size(), 3)), 1, 1e-9) << size << ' ' << period;
    }
  }
}

TEST(Order, PlantedTopicsAreFoundInAnyOrder) {
  const std::vector<std::pair<std::string, Kind>> kinds = {
      {"common words", {.topics = 4, .common = 60, .pairs = true}},
      {"duplicates", {.topics = 4, .common = 60, .pairs = true, .duplicate = true}},
      {"heavy tails, unit columns", {.topics = 4, .common = 60, .pairs = true, .lengths = Lengths::heavy_tail}},
  };
  for (const auto& [name, kind] : kinds) {
    for (const Score score : {Score::mndcg, Score::error}) {
      for (const std::uint64_t seed : {1, 2, 3}) {
        // Shares of .4, .1, .3, .2: no two splits are equally good.
        const auto made =
            corpus(kind, 6000, seed, [](Index j) { return std::array{0, 2, 0, 3, 0, 2, 1, 3, 0, 2}[j % 10]; });
        const TreeOptions options{.leaves = 4, .score = score, .outlier_trials = 0};
        const auto expected = leaves_of(made, shuffled(made.items.size(), seed), options);
        const auto compare = [&](const std::vector<RowIndex>& order, const std::string& called) {
          const auto found = leaves_of(made, order, options);
          EXPECT_GT(nmi(found, made.classes), 0.97) << name << ", " << called;
          EXPECT_GT(nmi(found, expected), 0.97) << name << ", " << called;
        };
        compare(in_order(made.items.size()), "alternating");
        compare(sorted(made), "sorted");
        compare(shuffled(made.items.size(), seed + 50), "shuffled");
      }
    }
  }
}

// Counts as they are: a few long documents have nearly all of the norm, and which of several minima is found must not
// depend on whether these are in a sample.
TEST(Order, CountsWithHeavyTailsAreExplainedEquallyWellInAnyOrder) {
  const Kind kind{.topics = 4, .common = 60, .pairs = true, .lengths = Lengths::heavy_tail, .unit = false};
  for (const Index leaves : {2, 4}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto made = corpus(kind, 6000, seed, [](Index j) { return j % 4; });
      const TreeOptions options{.leaves = leaves, .score = Score::error, .outlier_trials = 0};
      std::vector<double> explained;
      explained.push_back(tree_of(made, in_order(made.items.size()), options).explained);
      explained.push_back(tree_of(made, sorted(made), options).explained);
      for (std::uint64_t order = 0; order < 4; ++order)
        explained.push_back(tree_of(made, shuffled(made.items.size(), order), options).explained);
      const auto [least, most] = std::ranges::minmax(explained);
      EXPECT_GT(least, 0.99 * most) << leaves << " leaves, seed " << seed;
    }
  }
}

}  // namespace
}  // namespace copse
