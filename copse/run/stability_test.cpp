#include "copse/run/stability.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "copse/base/error.h"
#include "copse/base/random.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/nmf.h"

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Hierarchy random_hierarchy(Random& random, Index nodes, Index items) {
  Hierarchy hierarchy;
  hierarchy.parent.push_back(-1);
  for (Index n = 1; n < nodes; ++n) hierarchy.parent.push_back(random.below(n));
  std::vector<Index> leaves;
  for (Index n = 0; n < nodes; ++n) {
    if (std::ranges::find(hierarchy.parent, n) == hierarchy.parent.end()) leaves.push_back(n);
  }
  for (Index j = 0; j < items; ++j) {
    const Index leaf = random.below(static_cast<Index>(leaves.size()) + 1);
    hierarchy.leaf.push_back(leaf == static_cast<Index>(leaves.size()) ? -1 : leaves[leaf]);
  }
  return hierarchy;
}

std::vector<Index> random_items(Random& random, Index items) {
  std::vector<Index> chosen;
  for (Index j = 0; j < items; ++j) {
    if (random.uniform() < 0.8) chosen.push_back(j);
  }
  return chosen;
}

// The definition, pair by pair.
namespace naive {

double corrected(double together, double chance, double all) {
  return all - chance > 1e-9 * all ? std::max(0.0, (together - chance) / (all - chance)) : std::nan("");
}

bool is_in(const Hierarchy& hierarchy, Index item, Index node) {
  Index n = hierarchy.leaf[item];
  while (n >= 0 && n != node) n = hierarchy.parent[n];
  return n == node && n >= 0;
}

struct Sample {
  std::vector<Index> items;
  Hierarchy found;
};

double share(const Hierarchy& whole, Index node, const std::vector<Sample>& samples) {
  const bool leaf = std::ranges::find(whole.parent, node) == whole.parent.end();
  double together = 0, all = 0, chance = 0;
  for (const Sample& sample : samples) {
    const auto count = static_cast<Index>(sample.items.size());
    const double all_before = all;
    Index best = -1;
    double best_overlap = 0;
    for (Index b = 1; b < static_cast<Index>(sample.found.parent.size()) && !leaf; ++b) {
      double both = 0, either = 0;
      for (Index e = 0; e < count; ++e) {
        const bool here = is_in(whole, sample.items[e], node), there = is_in(sample.found, e, b);
        both += here && there;
        either += here || there;
      }
      if (either > 0 && both / either > best_overlap) {
        best_overlap = both / either;
        best = b;
      }
    }
    double any = 0, any_together = 0;
    for (Index e = 0; e < count; ++e) {
      for (Index f = 0; f < count; ++f) {
        if (e == f) continue;
        const auto& found = sample.found;
        const bool stay = leaf ? found.leaf[e] >= 0 && found.leaf[e] == found.leaf[f]
                               : best >= 0 && is_in(found, e, best) && is_in(found, f, best);
        ++any;
        any_together += stay;
        if (!is_in(whole, sample.items[e], node) || !is_in(whole, sample.items[f], node)) continue;
        ++all;
        together += stay;
      }
    }
    if (any > 0) chance += (all - all_before) * any_together / any;
  }
  return corrected(together, chance, all);
}

double share_of_item(const Hierarchy& whole, Index item, const std::vector<Sample>& samples) {
  double together = 0, all = 0, chance = 0;
  for (const Sample& sample : samples) {
    const auto here = std::ranges::find(sample.items, item);
    if (here == sample.items.end() || whole.leaf[item] < 0) continue;
    const auto own = here - sample.items.begin();
    double any = 0, any_together = 0;
    const double all_before = all;
    for (std::size_t e = 0; e < sample.items.size(); ++e) {
      if (sample.items[e] == item) continue;
      const bool stay = sample.found.leaf[e] >= 0 && sample.found.leaf[e] == sample.found.leaf[own];
      ++any;
      any_together += stay;
      if (whole.leaf[sample.items[e]] != whole.leaf[item]) continue;
      ++all;
      together += stay;
    }
    if (any > 0) chance += (all - all_before) * any_together / any;
  }
  return corrected(together, chance, all);
}

}  // namespace naive

void expect_same(double found, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found));
  } else {
    EXPECT_NEAR(found, expected, 1e-12);
  }
}

TEST(StabilityCount, EqualsTheCountOfPairs) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const Index items = 1 + random.below(30);
    const Hierarchy whole = random_hierarchy(random, 1 + random.below(9), items);
    StabilityCount count(whole);
    std::vector<naive::Sample> samples;
    for (int s = 0; s < 3; ++s) {
      auto& sample = samples.emplace_back();
      sample.items = random_items(random, items);
      sample.found = random_hierarchy(random, 1 + random.below(9), static_cast<Index>(sample.items.size()));
      count.add(sample.items, sample.found);
    }
    const Stability stability = count.shares();
    for (std::size_t n = 1; n < whole.parent.size(); ++n)
      expect_same(stability.nodes[n], naive::share(whole, static_cast<Index>(n), samples));
    for (Index j = 0; j < items; ++j) expect_same(stability.items[j], naive::share_of_item(whole, j, samples));
  }
}

TEST(StabilityCount, IsOneWhereEverythingIsFoundAgain) {
  Random random(5);
  const Hierarchy whole = random_hierarchy(random, 12, 200);
  StabilityCount count(whole);
  const auto items = random_items(random, 200);
  Hierarchy found{whole.parent, {}};
  for (const Index j : items) found.leaf.push_back(whole.leaf[j]);
  count.add(items, found);
  const Stability stability = count.shares();
  for (std::size_t n = 1; n < whole.parent.size(); ++n) EXPECT_EQ(stability.nodes[n], 1);
}

TEST(StabilityCount, IsNearZeroForRandomTopics) {
  Random random(6);
  const Index items = 4000;
  const auto flat = [&](std::size_t count) {
    Hierarchy hierarchy{{-1, 0, 0, 0}, {}};
    for (std::size_t j = 0; j < count; ++j) {
      const double u = random.uniform();
      hierarchy.leaf.push_back(u < 0.5 ? 1 : u < 0.8 ? 2 : 3);
    }
    return hierarchy;
  };
  StabilityCount count(flat(items));
  for (int s = 0; s < 5; ++s) {
    const auto chosen = random_items(random, items);
    count.add(chosen, flat(chosen.size()));
  }
  const Stability stability = count.shares();
  for (int n = 1; n < 4; ++n) EXPECT_LT(stability.nodes[n], 0.01);
}

TEST(StabilityCount, IsNotKnownForASingleTopic) {
  const Hierarchy one{{-1, 0}, std::vector<Index>(20, 1)};
  StabilityCount count(one);
  std::vector<Index> items(20);
  std::iota(items.begin(), items.end(), Index(0));
  count.add(items, one);
  const Stability stability = count.shares();
  EXPECT_TRUE(std::isnan(stability.nodes[1]));
  for (const double share : stability.items) EXPECT_TRUE(std::isnan(share));
}

// Words of its own for each of `groups` groups, one after the other, or for none.
Dataset<float> documents(Index items, Index groups, std::uint64_t seed) {
  SparseMatrix<float> x;
  x.rows = 60;
  x.cols = items;
  for (Index j = 0; j < items; ++j) {
    Random random(seed, static_cast<std::uint64_t>(j));
    const Index own = groups > 0 ? 60 / groups : 60, first = groups > 0 ? (j % groups) * own : 0;
    std::set<Index> words;
    while (words.size() < 6) words.insert(first + random.below(own));
    for (const Index word : words) {
      x.indices.push_back(static_cast<RowIndex>(word));
      x.values.push_back(1);
    }
    x.offsets.push_back(static_cast<Index>(x.indices.size()));
  }
  Dataset<float> data;
  data.values = std::move(x);
  return data;
}

// Stability of flat topics of all items.
std::vector<double> measured(const Dataset<float>& data, Index k) {
  const auto fit = [&](const Dataset<float>& part) {
    NmfResult<float> found = factorize(*in_memory(part), {.rank = k});
    return FlatModel{std::move(found.w), std::move(found.h), {}, {}, {}};
  };
  FlatModel model = fit(data);
  model.items.item_names.resize(static_cast<std::size_t>(data.items()));
  TopicView view = view_of(model);
  std::vector<std::string> notes;
  const FindTopics<float> find = [&](const Dataset<float>& part, int) -> std::optional<Hierarchy> {
    auto found = fit(part);
    return hierarchy_of(found, part.items());
  };
  measure_stability(data, 5, 0, find, {}, view, model.items, notes);
  EXPECT_THAT(notes, SizeIs(0));
  std::vector<double> shares;
  for (std::size_t n = 1; n < view.nodes.size(); ++n) shares.push_back(view.nodes[n].stability.value_or(-1));
  return shares;
}

TEST(MeasureStability, IsHighForPlantedTopicsAndLowForNone) {
  for (const double share : measured(documents(300, 4, 1), 4)) EXPECT_GT(share, 0.99);
  const auto random = measured(documents(300, 0, 2), 4);
  EXPECT_LT(*std::ranges::max_element(random), 0.8);
  EXPECT_LT(std::reduce(random.begin(), random.end()) / 4, 0.6);
}

TEST(Subsample, TakesFourFifthsWhateverTheOrder) {
  const auto data = documents(200, 0, 3);
  const auto keys = item_keys(data);
  const auto first = subsample(keys, 7, 0);
  EXPECT_THAT(first, SizeIs(160));
  EXPECT_TRUE(std::ranges::is_sorted(first));
  EXPECT_EQ(first, subsample(keys, 7, 0));
  EXPECT_NE(first, subsample(keys, 7, 1));
  EXPECT_NE(first, subsample(keys, 8, 0));

  std::vector<Index> order(200);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::reverse(order);
  const auto reversed = subsample(item_keys(part_of(data, order)), 7, 0);
  std::set<Index> same;
  for (const Index place : reversed) same.insert(order[place]);
  EXPECT_EQ(std::vector<Index>(same.begin(), same.end()), first);

  EXPECT_THAT(subsample(std::vector<std::uint64_t>{1}, 0, 0), ElementsAre(0));
  EXPECT_THAT(subsample(std::vector<std::uint64_t>{}, 0, 0), SizeIs(0));
}

TEST(Subsample, TellsEqualItemsApart) {
  Dataset<float> data;
  data.values = Matrix<float>(100, 2);
  EXPECT_THAT(subsample(item_keys(data), 0, 0), SizeIs(80));
  const auto keys = item_keys(data);
  EXPECT_THAT((std::set<std::uint64_t>(keys.begin(), keys.end())), SizeIs(100));
}

TEST(MeasureStability, KeepsWhatWasFoundBeforeAnInterruption) {
  const auto data = documents(50, 2, 4);
  for (const int enough : {0, 2}) {
    Matrix<float> h(50, 2);
    for (Index j = 0; j < 50; ++j) h(j, j % 2) = 1;
    FlatModel model{Matrix<float>(60, 2), std::move(h), {}, {}, {}};
    model.items.item_names.resize(50);
    TopicView view = view_of(model);
    std::vector<std::string> notes;
    const FindTopics<float> find = [&](const Dataset<float>& part, int number) -> std::optional<Hierarchy> {
      if (number == enough) throw Cancelled();
      Hierarchy found{{-1, 0, 0}, std::vector<Index>(static_cast<std::size_t>(part.items()), 1)};
      found.leaf[0] = 2;
      return found;
    };
    measure_stability(data, 5, 0, find, {}, view, model.items, notes);
    ASSERT_THAT(notes, SizeIs(1));
    EXPECT_THAT(notes[0], HasSubstr(std::to_string(enough) + " of 5"));
    EXPECT_EQ(view.nodes[1].stability.has_value(), enough > 0);
  }
}

}  // namespace
}  // namespace copse
