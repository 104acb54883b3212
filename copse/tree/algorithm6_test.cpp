// Every decision of a tree against [Kuang 2014, algorithm 6], with nothing of the code under test: a rank-2 NMF and
// scores of its own, dense, in double, as plain as they can be written.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "copse/base/random.h"
#include "copse/tree/tree.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// min |W h - x|, h >= 0, for one x: the best of the four active sets.
std::array<double, 2> best_pair(double a, double b, double c, double y1, double y2) {
  std::array<double, 2> best{};
  double least = 0;
  const auto offer = [&](double g1, double g2) {
    if (!(g1 >= 0 && g2 >= 0)) return;
    const double value = a * g1 * g1 + 2 * b * g1 * g2 + c * g2 * g2 - 2 * (y1 * g1 + y2 * g2);
    if (value < least) least = value, best = {g1, g2};
  };
  if (a > 0) offer(y1 / a, 0);
  if (c > 0) offer(0, y2 / c);
  const double determinant = a * c - b * b;
  if (determinant > 1e-12 * a * c) offer((c * y1 - b * y2) / determinant, (a * y2 - b * y1) / determinant);
  return best;
}

// argmin |X - F G'| over F >= 0 (rows x 2), for given G (cols x 2).
MatrixXd other_factor(const MatrixXd& x, const MatrixXd& g) {
  const Eigen::Matrix2d gram = g.transpose() * g;
  const MatrixXd products = x * g;
  MatrixXd f(x.rows(), 2);
  for (Eigen::Index i = 0; i < f.rows(); ++i) {
    const auto best = best_pair(gram(0, 0), gram(0, 1), gram(1, 1), products(i, 0), products(i, 1));
    f(i, 0) = best[0], f(i, 1) = best[1];
  }
  return f;
}

struct Factors {
  MatrixXd w, h;  // unit columns of W; H' = argmin
  double fitted = 0;
};

Factors alternate(const MatrixXd& x, MatrixXd w) {
  for (int iteration = 0; iteration < 500; ++iteration) {
    const MatrixXd before = w;
    w = other_factor(x, other_factor(x.transpose(), w));
    for (int c = 0; c < 2; ++c) {
      if (w.col(c).norm() > 0) w.col(c).normalize();
    }
    if ((w - before).cwiseAbs().maxCoeff() <= 1e-6) break;
  }
  Factors found{w, other_factor(x.transpose(), w)};
  found.fitted = (w * found.h.transpose()).squaredNorm();
  return found;
}

// The best of several minima: from two groups of items on either side of the second singular vector, and from others
// at random.
Factors plain_rank2(const MatrixXd& x) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(x * x.transpose());
  const VectorXd second = x.transpose() * spectrum.eigenvectors().col(x.rows() - 2);
  Factors best;
  Random random(17);
  for (int start = 0; start < 2; ++start) {
    MatrixXd w = MatrixXd::Constant(x.rows(), 2, 1e-6);
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      const bool first = start == 0 ? second(j) > 0 : random.uniform() < 0.5;
      w.col(first ? 0 : 1) += x.col(j);
    }
    for (int c = 0; c < 2; ++c) w.col(c).normalize();
    Factors found = alternate(x, w);
    if (start == 0 || found.fitted > best.fitted * (1 + 1e-9)) best = std::move(found);
  }
  return best;
}

// Terms by weight, the heaviest first; those with none, and equal ones, by their numbers. Returns how many have weight.
std::size_t rank(const VectorXd& topic, std::vector<Index>& terms) {
  terms.resize(static_cast<std::size_t>(topic.size()));
  std::iota(terms.begin(), terms.end(), Index(0));
  const auto weight = [&](Index i) { return topic(i) > 1e-8 ? topic(i) : 0; };
  std::ranges::stable_sort(terms, [&](Index a, Index b) { return weight(a) > weight(b); });
  return static_cast<std::size_t>(std::ranges::count_if(terms, [&](Index i) { return weight(i) > 0; }));
}

// [Kuang 2014, eq. 58-63] with what mndcg.h decides where the thesis leaves it open.
double plain_mndcg(const VectorXd& parent, const VectorXd& first, const VectorXd& second) {
  std::vector<Index> order, order1, order2;
  const std::size_t ranked = rank(parent, order);
  if (ranked < 2 || rank(first, order1) == 0 || rank(second, order2) == 0) return -1;
  const std::size_t m = order.size();
  const auto place = [](const std::vector<Index>& list, Index term) {
    return static_cast<std::size_t>(std::ranges::find(list, term) - list.begin()) + 1;
  };
  const auto discount = [](std::size_t position) {
    return position == 1 ? 1 : 1 / std::log2(static_cast<double>(position));
  };
  double dcg1 = 0, dcg2 = 0, ideal = 0;
  std::vector<double> gains;
  for (std::size_t i = 1; i <= m; ++i) {
    const std::size_t i1 = place(order1, order[i - 1]), i2 = place(order2, order[i - 1]);
    const double p = std::log(static_cast<double>(std::max<std::size_t>(2, m - std::max(i1, i2) + 1)));
    if (i <= ranked) {
      const double gain = std::log(static_cast<double>(ranked - i + 1)) / p;
      dcg1 += gain * discount(i1);
      dcg2 += gain * discount(i2);
    }
    gains.push_back((i <= ranked ? std::log(static_cast<double>(m - i + 1)) : 1) / p);
  }
  std::ranges::sort(gains, std::ranges::greater());
  for (std::size_t i = 1; i <= m; ++i) ideal += gains[i - 1] * discount(i);
  return (dcg1 / ideal) * (dcg2 / ideal);
}

// What the test knows of a tree: the data and the topics as dense vectors.
class Checked {
 public:
  Checked(const MatrixXd& x, const Tree& tree) : x_(x), tree_(tree) {}

  MatrixXd part(const std::vector<RowIndex>& items) const {
    MatrixXd a(x_.rows(), static_cast<Eigen::Index>(items.size()));
    for (std::size_t j = 0; j < items.size(); ++j) a.col(static_cast<Eigen::Index>(j)) = x_.col(items[j]);
    return a;
  }

  VectorXd topic(Index node) const {
    VectorXd w = VectorXd::Zero(x_.rows());
    const auto& ranked = tree_.nodes[node].topic;
    for (std::size_t r = 0; r < ranked.terms.size(); ++r) w(ranked.terms[r]) = ranked.weights[r];
    return w;
  }

  // min_h |A - w h'|^2, with h = A'w for w of unit norm.
  double error(Index node) const {
    const MatrixXd a = part(tree_.nodes[node].items);
    const VectorXd w = topic(node);
    return (a - w * (a.transpose() * w).transpose()).squaredNorm();
  }

  // The topics of the children are a minimum of the rank-2 NMF of their items, and no worse than the one that plain
  // alternation finds; every item is on the side of its larger coefficient.
  void expect_split(Index node) const {
    const auto &first = tree_.nodes[tree_.nodes[node].first], &second = tree_.nodes[tree_.nodes[node].second];
    std::vector<RowIndex> items = first.items;
    items.insert(items.end(), second.items.begin(), second.items.end());
    const MatrixXd a = part(items);
    MatrixXd w(x_.rows(), 2);
    w.col(0) = topic(tree_.nodes[node].first), w.col(1) = topic(tree_.nodes[node].second);
    const MatrixXd h = other_factor(a.transpose(), w);
    const double fitted = (w * h.transpose()).squaredNorm();
    const MatrixXd next = other_factor(a, h);
    const MatrixXd again = other_factor(a.transpose(), next);
    EXPECT_LE((next * again.transpose()).squaredNorm(), fitted * (1 + 1e-5)) << "not a minimum";
    EXPECT_GE(fitted, 0.99 * plain_rank2(a).fitted) << "a poor minimum";
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
      const double own = h(j, j < static_cast<Eigen::Index>(first.items.size()) ? 0 : 1);
      const double other = h(j, j < static_cast<Eigen::Index>(first.items.size()) ? 1 : 0);
      const bool explained = (w * h.row(j).transpose()).squaredNorm() > 1e-5 * a.col(j).squaredNorm();
      EXPECT_TRUE(!explained || own >= other - 1e-6) << own << " and " << other;
    }
  }

  double score(Index node, Score score) const {
    const Index first = tree_.nodes[node].first, second = tree_.nodes[node].second;
    if (score == Score::mndcg) return plain_mndcg(topic(node), topic(first), topic(second));
    return error(node) - error(first) - error(second);
  }

 private:
  const MatrixXd& x_;
  const Tree& tree_;
};

// Documents of `topics` topics of unequal sizes with 20 words each, a few common words, and words of another topic here
// and there; every 40th document is made of rare words of its own.
MatrixXd planted(Index documents, Index topics, std::uint64_t seed) {
  const Index words = 20 * topics + 30;
  MatrixXd x = MatrixXd::Zero(words, documents);
  Random random(seed);
  for (Index j = 0; j < documents; ++j) {
    const Index topic = std::min(random.below(topics), random.below(topics));
    for (int token = 0; token < 80; ++token) {
      const double kind = random.uniform();
      Index word = 20 * topics + random.below(10);
      if (kind < 0.85) word = 20 * topic + std::min(random.below(20), random.below(20));
      if (kind > 0.95) word = 20 * random.below(topics) + random.below(20);
      if (j % 40 == 39) word = 20 * topics + 10 + random.below(20);
      x(word, j) += 1;
    }
    x.col(j).normalize();
  }
  return x;
}

void check_decisions(Index documents, Score score, std::uint64_t seed) {
  SCOPED_TRACE(std::to_string(documents) + " documents, seed " + std::to_string(seed));
  const MatrixXd x = planted(documents, 5, seed);
  Matrix<double> copy(x.rows(), x.cols());
  for (Index i = 0; i < copy.rows(); ++i) {
    for (Index j = 0; j < copy.cols(); ++j) copy(i, j) = x(i, j);
  }
  const auto sparse = testing::to_sparse(copy);
  const auto tree = build_tree(*tree_data<double>(SparseView<double>(sparse)),
                               {.leaves = 7, .score = score, .tolerance = 1e-7, .max_iterations = 5000});
  ASSERT_GE(tree.leaves, 4);
  const Checked checked(x, tree);
  for (Index n = 0; n < static_cast<Index>(tree.nodes.size()); ++n) {
    const auto& node = tree.nodes[n];
    if (node.first < 0) continue;
    checked.expect_split(n);
    // The score is that of the first trial; where outliers were set aside, the split is another one.
    if (n > 0 && node.outliers.empty()) {
      EXPECT_NEAR(node.score, checked.score(n, score), 1e-4 * (1 + node.score));
    }
    // Among the leaves of that moment it had the highest score.
    for (const auto& other : tree.nodes) {
      const bool was_leaf = (other.parent < 0 || tree.nodes[other.parent].split < node.split) &&
                            (other.split == 0 || other.split > node.split);
      EXPECT_TRUE(!was_leaf || std::isnan(other.score) || other.score <= node.score);
    }
  }
}

TEST(Algorithm6, EveryDecisionIsThatOfThePlainAlgorithm) {
  for (const Score score : {Score::mndcg, Score::error}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) check_decisions(200, score, seed);
  }
}

// The first splits start from samples.
TEST(Algorithm6, EveryDecisionIsThatOfThePlainAlgorithmWhereSamplesAreTaken) {
  for (const Score score : {Score::mndcg, Score::error}) {
    for (const Index documents : {1200, 3000}) check_decisions(documents, score, 1);
  }
}

}  // namespace
}  // namespace copse
