#include "copse/tree/mndcg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "copse/base/random.h"

namespace copse {
namespace {

using Ranking = std::vector<RowIndex>;

Ranking shuffled(Index m, Random& random) {
  Ranking order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), 0);
  for (Index i = m - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  return order;
}

// [Kuang 2014, eq. 58-63], word for word, for three permutations of 1 ... m.
double transcribed(const Ranking& parent, const Ranking& first, const Ranking& second) {
  const int m = static_cast<int>(parent.size());
  const auto position = [](const Ranking& list, RowIndex term) {
    return static_cast<int>(std::ranges::find(list, term) - list.begin()) + 1;
  };
  std::vector<double> g(m + 1);  // by the parent's rank i
  for (int i = 1; i <= m; ++i) {
    const int i1 = position(first, parent[i - 1]), i2 = position(second, parent[i - 1]);
    const double p = std::max(i1, i2) == m ? std::log(2.0) : std::log(m - std::max(i1, i2) + 1.0);  // (58), its limit
    g[i] = std::log(m - i + 1.0) / p;                                                               // (59)
  }
  std::vector<double> sorted(g.begin() + 1, g.end());
  std::ranges::sort(sorted, std::greater());
  const auto discounted = [&](auto gain_at) {
    double sum = gain_at(1);
    for (int i = 2; i <= m; ++i) sum += gain_at(i) / std::log2(i);
    return sum;
  };
  const auto dcg = [&](const Ranking& list) {
    return discounted([&](int i) { return g[position(parent, list[i - 1])]; });  // (60)
  };
  const double ideal = discounted([&](int i) { return sorted[i - 1]; });  // (61)
  return dcg(first) / ideal * (dcg(second) / ideal);                      // (62), (63)
}

TEST(Mndcg, EqualsTheThesisWhenAllTermsHaveWeight) {
  Random random(5);
  for (const Index m : {2, 3, 10, 97}) {
    for (int trial = 0; trial < 20; ++trial) {
      const Ranking parent = shuffled(m, random), first = shuffled(m, random), second = shuffled(m, random);
      EXPECT_NEAR(Mndcg(m)(parent, first, second), transcribed(parent, first, second), 1e-6) << m;
    }
  }
}

TEST(Mndcg, TermsWithoutWeightGainNothingAndRankByNumber) {
  // Six terms; the parent ranks 4, 1, 3 and the children 4, 1 and 3.
  const Ranking parent{4, 1, 3}, first{4, 1}, second{3};
  // Positions, from 1: first 4 1 | 0 2 3 5, second 3 | 0 1 2 4 5.
  const std::vector<int> i1{3, 2, 4, 5, 1, 6}, i2{2, 3, 4, 1, 5, 6}, rank{0, 2, 0, 3, 1, 0};
  std::vector<double> ideal;
  double dcg1 = 0, dcg2 = 0;
  const auto discount = [](int i) { return i == 1 ? 1 : 1 / std::log2(i); };
  for (int term = 0; term < 6; ++term) {
    const int worst = std::max(i1[term], i2[term]);
    const double p = worst == 6 ? std::log(2.0) : std::log(6 - worst + 1.0);
    ideal.push_back((rank[term] > 0 ? std::log(6 - rank[term] + 1.0) : 1) / p);
    if (rank[term] == 0) continue;
    dcg1 += std::log(3 - rank[term] + 1.0) / p * discount(i1[term]);
    dcg2 += std::log(3 - rank[term] + 1.0) / p * discount(i2[term]);
  }
  std::ranges::sort(ideal, std::greater());
  double best = 0;
  for (int i = 1; i <= 6; ++i) best += ideal[i - 1] * discount(i);
  EXPECT_NEAR(Mndcg(6)(parent, first, second), dcg1 * dcg2 / (best * best), 1e-6);
}

// [Kuang 2014, 5.4, case 2] says that children which both repeat the parent score low. By eq. 58-63 they score 1: then
// all gains are equal. Such children come from a node that rank-2 NMF cannot split, so the case hardly arises.
TEST(Mndcg, SeparatedTopicsBeatAnUnrelatedOneAndRepetitionScoresOne) {
  const RowIndex m = 200;
  Ranking parent, odd_first, even_first, reversed;
  for (RowIndex term = 0; term < m; ++term) {
    parent.push_back(term);
    reversed.push_back(m - 1 - term);
    odd_first.push_back(term < m / 2 ? 2 * term + 1 : 2 * (term - m / 2));
    even_first.push_back(term < m / 2 ? 2 * term : 2 * (term - m / 2) + 1);
  }
  const Mndcg score(m);
  const double separated = score(parent, odd_first, even_first);  // case 1
  EXPECT_GT(separated, score(parent, parent, reversed));          // case 3: one child is unrelated
  EXPECT_NEAR(score(parent, parent, parent), 1, 1e-6);
}

TEST(Mndcg, TopicsOfOneTermCannotBeScored) {
  const Ranking one{3}, two{3, 4};
  EXPECT_EQ(Mndcg(9)(one, two, two), -1);
  EXPECT_EQ(Mndcg(9)(two, {}, two), -1);
  EXPECT_GE(Mndcg(9)(two, one, one), 0);
}

}  // namespace
}  // namespace copse
