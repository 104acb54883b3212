#include "copse/describe/outline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "copse/base/random.h"
#include "copse/measure/clustering.h"
#include "copse/prepare/prepare.h"
#include "copse/tree/edit.h"

namespace copse {
namespace {

// ---- planted shapes

struct Shape {
  Index groups = 1;
  Index children = 1;  // of each group
};

struct PlantedOutline {
  Dataset<float> data;
  std::vector<Index> groups, topics;  // of every document
};

constexpr Index words = 6000;

struct WordLaw {
  std::vector<RowIndex> words;
  std::vector<double> sums;  // of the frequencies up to each word

  RowIndex draw(Random& random) const {
    const auto found = std::ranges::upper_bound(sums, random.uniform() * sums.back());
    return words[std::min<std::ptrdiff_t>(found - sums.begin(), static_cast<std::ptrdiff_t>(words.size()) - 1)];
  }
};

// Sixty words, some much more frequent than others; the 50 most common of the language are not among them.
WordLaw topic_law(Random& random) {
  WordLaw law;
  double sum = 0;
  for (int i = 0; i < 60; ++i) {
    law.words.push_back(static_cast<RowIndex>(50 + random.below(words - 50)));
    law.sums.push_back(sum += 0.05 + random.gamma(0.7));
  }
  return law;
}

// A quarter of a document's words are of its group, a quarter of its topic, half of a Zipf law; sizes are unequal. A
// single group has no words: every document has them.
PlantedOutline plant(const Shape& shape, Index documents, std::uint64_t seed) {
  Random random(seed, 0);
  const Index topics = shape.groups * shape.children;
  WordLaw language;
  double sum = 0;
  for (Index w = 0; w < words; ++w) {
    language.words.push_back(static_cast<RowIndex>(w));
    language.sums.push_back(sum += std::pow(static_cast<double>(w) + 2.7, -1.02));
  }
  std::vector<WordLaw> group_laws, topic_laws;
  for (Index g = 0; g < shape.groups; ++g) group_laws.push_back(topic_law(random));
  std::vector<double> sizes;
  sum = 0;
  for (Index t = 0; t < topics; ++t) {
    topic_laws.push_back(topic_law(random));
    sizes.push_back(sum += 1 + random.gamma(2));
  }
  PlantedOutline planted;
  SparseMatrix<float> x;
  x.rows = words;
  for (Index d = 0; d < documents; ++d) {
    const auto topic = std::ranges::upper_bound(sizes, random.uniform() * sum) - sizes.begin();
    planted.topics.push_back(topic);
    planted.groups.push_back(topic / shape.children);
    std::map<RowIndex, float> counts;
    const auto length = static_cast<Index>(std::max(12.0, 60 * std::exp(0.5 * random.normal())));
    for (Index w = 0; w < length; ++w) {
      const double source = random.uniform();
      ++counts[(source < 0.25  ? topic_laws[topic]
                : source < 0.5 ? group_laws[planted.groups.back()]
                               : language)
                   .draw(random)];
    }
    for (const auto& [word, count] : counts) {
      x.indices.push_back(word);
      x.values.push_back(count);
    }
    x.offsets.push_back(static_cast<Index>(x.indices.size()));
  }
  x.cols = documents;
  planted.data.values = std::move(x);
  PrepareOptions options = text_preparation();
  options.min_item_total = 0;
  prepare(planted.data, options);
  return planted;
}

// The shown node of every item at this depth, or the last one above it.
std::vector<Index> level(const Tree& tree, const Outline& outline, int depth) {
  std::vector<Index> labels(static_cast<std::size_t>(tree.cols), -1), nodes{0};
  for (int d = 0; d < depth; ++d) {
    std::vector<Index> next;
    for (const Index n : nodes) {
      for (const Index child : outline.children[n]) {
        next.push_back(child);
        for (const RowIndex j : tree.nodes[child].items) labels[j] = child;
      }
    }
    nodes = next;
  }
  return labels;
}

TEST(Outline, ShowsThePlantedShape) {
  for (const Shape& shape : {Shape{10, 3}, Shape{5, 5}, Shape{3, 10}, Shape{4, 3}}) {
    for (const std::uint64_t seed : {1, 2}) {
      const PlantedOutline planted = plant(shape, 2500, seed);
      const auto tree =
          build_tree(*tree_data(planted.data), {.leaves = shape.groups * shape.children, .outlier_trials = 0});
      const Outline outline = outline_of(tree);
      SCOPED_TRACE(::testing::Message() << shape.groups << " x " << shape.children << ", seed " << seed);
      EXPECT_EQ(static_cast<Index>(outline.children[0].size()), shape.groups);
      EXPECT_GT(compare_clusterings(level(tree, outline, 1), planted.groups).nmi, 0.95);
      EXPECT_GT(compare_clusterings(level(tree, outline, 2), planted.topics).nmi, 0.85);
      // Below the groups a node holds one topic that was split in two, not several.
      for (const Index group : outline.children[0]) {
        for (const Index node : outline.children[group]) {
          if (tree.nodes[node].first < 0) continue;
          std::map<Index, Index> counts;
          Index most = 0;
          for (const RowIndex j : tree.nodes[node].items) most = std::max(most, ++counts[planted.topics[j]]);
          EXPECT_GT(static_cast<double>(most), 0.6 * static_cast<double>(tree.nodes[node].items.size()));
        }
      }
    }
  }
}

// Topics that have nothing in common but the language stand side by side, though the tree peels them off one by one.
TEST(Outline, ShowsTopicsWithoutGroupsSideBySide) {
  for (const Index topics : {3, 5, 10}) {
    const PlantedOutline planted = plant({1, topics}, 1500, 3);
    const auto tree = build_tree(*tree_data(planted.data), {.leaves = topics, .outlier_trials = 0});
    const Outline outline = outline_of(tree);
    EXPECT_GT(compare_clusterings(level(tree, outline, 1), planted.topics).nmi, 0.85) << topics;
    EXPECT_GE(static_cast<Index>(outline.children[0].size()), topics - topics / 4) << topics;
  }
}

// ---- against a naive twin, on random trees

// A tree of random sizes and topics, some of them empty or of few terms; every split has the next number.
Tree random_tree(Index leaves, std::uint64_t seed) {
  Random random(seed, 1);
  Tree tree;
  tree.rows = 12, tree.cols = 400, tree.leaves = leaves;
  tree.nodes.resize(1);
  tree.nodes[0].items.resize(400);
  std::iota(tree.nodes[0].items.begin(), tree.nodes[0].items.end(), 0);
  tree.nodes[0].squared_norm = 1;
  std::vector<Index> open{0};
  for (int split = 1; split < leaves; ++split) {
    // Mostly the last one, so that there are chains.
    const auto at =
        random.below(3) > 0 ? static_cast<Index>(open.size()) - 1 : random.below(static_cast<Index>(open.size()));
    const Index n = open[at];
    open.erase(open.begin() + at);
    const auto size = static_cast<Index>(tree.nodes[n].items.size());
    const Index second = std::min(size / 2, random.below(3) > 0 ? 1 : random.below(size / 2 + 1));
    for (const bool first : {false, true}) {
      TreeNode child;
      child.parent = n;
      const auto& items = tree.nodes[n].items;
      child.items =
          first ? std::vector(items.begin() + second, items.end()) : std::vector(items.begin(), items.begin() + second);
      std::vector<double> weights;
      double square = 0;
      for (RowIndex term = 0; term < 12; ++term) {
        if (random.below(3) == 0) continue;
        child.topic.terms.push_back(term);
        weights.push_back(random.uniform());
        square += weights.back() * weights.back();
      }
      for (double& weight : weights) weight /= std::sqrt(square);
      child.topic.weights = weights;
      child.squared_norm = 1 + random.uniform();
      child.explained = random.uniform() * child.squared_norm;
      (first ? tree.nodes[n].first : tree.nodes[n].second) = static_cast<Index>(tree.nodes.size());
      open.push_back(static_cast<Index>(tree.nodes.size()));
      tree.nodes.push_back(child);
    }
    tree.nodes[n].split = split;
  }
  return tree;
}

double similarity(const TreeNode& a, const TreeNode& b) {
  double sum = 0;
  for (std::size_t r = 0; r < a.topic.terms.size(); ++r) {
    for (std::size_t s = 0; s < b.topic.terms.size(); ++s) {
      if (a.topic.terms[r] == b.topic.terms[s]) sum += a.topic.weights[r] * b.topic.weights[s];
    }
  }
  return sum * std::sqrt(a.explained / a.squared_norm) * std::sqrt(b.explained / b.squared_norm);
}

// The shown node above n: the nearest ancestor that is shown, by the formula as it stands in the header.
std::vector<Index> naive_parents(const Tree& tree) {
  std::vector<Index> parent(tree.nodes.size(), -1);
  for (Index n = 1; n < static_cast<Index>(tree.nodes.size()); ++n) {
    std::vector<Index> beside;
    Index above = n;
    do {
      const TreeNode& up = tree.nodes[tree.nodes[above].parent];
      beside.push_back(up.first == above ? up.second : up.first);
      above = tree.nodes[above].parent;
    } while (above > 0 && parent[above] < 0);
    const TreeNode& node = tree.nodes[n];
    bool shown = node.first < 0 || !node.name.empty();
    if (!shown) {
      const double inside = similarity(tree.nodes[node.first], tree.nodes[node.second]);
      double outside = 0, others = 0;
      for (const Index other : beside) {
        const auto count = static_cast<double>(tree.nodes[other].items.size());
        outside += count * similarity(node, tree.nodes[other]);
        others += count;
      }
      const double share = static_cast<double>(node.items.size()) / (static_cast<double>(node.items.size()) + others);
      shown = share * inside + (others > 0 ? (1 - share) * outside / others : 0) < own_topic * inside;
    }
    if (shown) parent[n] = above;
  }
  return parent;
}

TEST(Outline, IsWhatTheFormulaSays) {
  int shown = 0, hidden = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto tree = random_tree(1 + static_cast<Index>(seed % 25), seed);
    const Outline outline = outline_of(tree);
    EXPECT_EQ(outline.parent, naive_parents(tree)) << seed;
    std::vector<Index> listed(tree.nodes.size(), 0);
    for (Index n = 0; n < static_cast<Index>(tree.nodes.size()); ++n) {
      const auto size = [&](Index child) { return tree.nodes[child].items.size(); };
      EXPECT_TRUE(std::ranges::is_sorted(outline.children[n], std::greater(), size));
      for (const Index child : outline.children[n]) {
        EXPECT_EQ(outline.parent[child], n);
        ++listed[child];
      }
      if (tree.nodes[n].first < 0) continue;
      ++(outline.shows(n) ? shown : hidden);
    }
    for (Index n = 1; n < static_cast<Index>(tree.nodes.size()); ++n) EXPECT_EQ(listed[n], outline.shows(n) ? 1 : 0);
  }
  EXPECT_GT(shown, 300);  // the random trees try both
  EXPECT_GT(hidden, 300);
}

TEST(Outline, OfASmallerTreeIsTheBeginningOfThatOfALargerOne) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto tree = random_tree(20, seed);
    const Outline large = outline_of(tree);
    for (Index leaves = 1; leaves < 20; ++leaves) {
      auto smaller = tree;
      cut(smaller, leaves);
      const Outline small = outline_of(smaller);
      for (Index n = 1; n < static_cast<Index>(smaller.nodes.size()); ++n) {
        const Index same = tree.find(smaller.id(n));
        if (smaller.nodes[n].first < 0) continue;
        ASSERT_EQ(small.shows(n), large.shows(same));
        if (!small.shows(n)) continue;
        ASSERT_EQ(smaller.id(small.parent[n]), tree.id(large.parent[same]));
      }
    }
  }
}

TEST(Outline, ShowsWhatAPersonNamedAndDoesNotDependOnUnits) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto tree = random_tree(15, seed);
    const Outline before = outline_of(tree);
    for (const double scale : {0x1p-60, 0x1p60}) {
      auto scaled = tree;
      for (auto& node : scaled.nodes) node.squared_norm *= scale, node.explained *= scale;
      EXPECT_EQ(outline_of(scaled).parent, before.parent);
    }
    for (Index n = 1; n < static_cast<Index>(tree.nodes.size()); ++n) {
      if (before.shows(n)) continue;
      tree.nodes[n].name = "named";
      EXPECT_TRUE(outline_of(tree).shows(n));
      tree.nodes[n].name.clear();
    }
  }
}

TEST(Outline, OfALoneRootHasNothing) {
  Tree tree;
  tree.rows = 3, tree.cols = 2, tree.leaves = 1;
  tree.nodes.resize(1);
  EXPECT_EQ(outline_of(tree).parent, std::vector<Index>{-1});
  EXPECT_TRUE(outline_of(tree).children[0].empty());
}

}  // namespace
}  // namespace copse
