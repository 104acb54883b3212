#include "copse/cluster/separable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::to_dense;
using testing::to_sparse;

// X = F [I, M] with the columns in another order, M >= 0 with columns that add up to 1, and scales of their own.
struct PlantedAnchors {
  SparseMatrix<double> x;
  std::set<Index> anchors;
};
PlantedAnchors separable(Index rows, Index cols, Index k, double noise, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> f(rows, k);
  for (double& value : f.values()) value = random.uniform() < 0.5 ? random.uniform() : 0;
  for (Index a = 0; a < k; ++a) f(a, a) = 1;  // independent
  PlantedAnchors planted;
  Matrix<double> x(rows, cols);
  for (Index j = 0; j < cols; ++j) {
    const Index place = (j * 7 + 3) % cols;  // 7 and cols are coprime
    std::vector<double> m(static_cast<std::size_t>(k), 0);
    if (j < k) {
      m[j] = 1;
      planted.anchors.insert(place);
    } else {
      double sum = 0;
      for (double& value : m) sum += value = random.gamma(0.7);
      for (double& value : m) value /= sum;
    }
    const double scale = 0.5 + random.uniform();
    for (Index i = 0; i < rows; ++i) {
      for (Index a = 0; a < k; ++a) x(i, place) += scale * f(i, a) * m[a];
    }
  }
  for (double& value : x.values()) value = std::max(0.0, value + noise * random.normal());
  planted.x = to_sparse(x);
  return planted;
}

std::set<Index> set_of(const std::vector<Index>& anchors) { return {anchors.begin(), anchors.end()}; }

// |X - X(:, A) H| / |X| and the KKT conditions, from the definition.
void expect_fitted(const SparseMatrix<double>& sparse, const SeparableResult<double>& result) {
  const Matrix<double> x = to_dense(sparse);
  const auto k = static_cast<Index>(result.anchors.size());
  double error = 0;
  double whole = 0;
  for (Index j = 0; j < x.cols(); ++j) {
    std::vector<double> left(static_cast<std::size_t>(x.rows()));
    for (Index i = 0; i < x.rows(); ++i) {
      left[i] = x(i, j);
      for (Index a = 0; a < k; ++a) left[i] -= x(i, result.anchors[a]) * result.h(j, a);
      error += left[i] * left[i];
      whole += x(i, j) * x(i, j);
    }
    for (Index a = 0; a < k; ++a) {
      double slope = 0;
      for (Index i = 0; i < x.rows(); ++i) slope -= x(i, result.anchors[a]) * left[i];
      EXPECT_GE(result.h(j, a), 0);
      EXPECT_GE(slope, -1e-8);
      if (result.h(j, a) > 1e-9) {
        EXPECT_NEAR(slope, 0, 1e-8);
      }
    }
  }
  EXPECT_NEAR(result.relative_error, std::sqrt(error / whole), 1e-6);
}

TEST(Xray, FindsTheAnchorsOfSeparableColumnsExactly) {
  for (const XraySelection selection : {XraySelection::rays, XraySelection::max, XraySelection::dist}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const PlantedAnchors planted = separable(30, 100, 6, 0, seed);
      const auto result = xray<double>(planted.x, {.anchors = 6, .selection = selection});
      EXPECT_EQ(set_of(result.anchors), planted.anchors) << seed;
      EXPECT_LT(result.relative_error, 1e-6);
      expect_fitted(planted.x, result);
    }
  }
}

TEST(Xray, TakesTheColumnThatLowersTheErrorMostWhereAskedTo) {
  const PlantedAnchors planted = separable(20, 40, 4, 0.02, 1);
  const Matrix<double> x = to_dense(planted.x);
  const auto result = xray<double>(planted.x, {.anchors = 5, .selection = XraySelection::greedy});
  Matrix<double> residual = x;
  for (std::size_t step = 0; step < result.anchors.size(); ++step) {
    // The best single column for the residual of the anchors before, by brute force.
    double best = -1;
    Index chosen = -1;
    for (Index j = 0; j < x.cols(); ++j) {
      if (std::ranges::find(result.anchors.begin(), result.anchors.begin() + static_cast<std::ptrdiff_t>(step), j) !=
          result.anchors.begin() + static_cast<std::ptrdiff_t>(step))
        continue;
      double gain = 0;
      double square = 0;
      for (Index i = 0; i < x.rows(); ++i) square += x(i, j) * x(i, j);
      for (Index c = 0; c < x.cols(); ++c) {
        double product = 0;
        for (Index i = 0; i < x.rows(); ++i) product += x(i, j) * residual(i, c);
        if (product > 0) gain += product * product / square;
      }
      if (gain > best) {
        best = gain;
        chosen = j;
      }
    }
    EXPECT_EQ(result.anchors[step], chosen) << step;
    const auto part =
        xray<double>(planted.x, {.anchors = static_cast<Index>(step) + 1, .selection = XraySelection::greedy});
    EXPECT_EQ(part.anchors, std::vector<Index>(result.anchors.begin(), result.anchors.begin() + step + 1));
    for (Index c = 0; c < x.cols(); ++c) {
      for (Index i = 0; i < x.rows(); ++i) {
        residual(i, c) = x(i, c);
        for (std::size_t a = 0; a <= step; ++a)
          residual(i, c) -= x(i, part.anchors[a]) * part.h(c, static_cast<Index>(a));
      }
    }
  }
  for (std::size_t e = 1; e < result.history.size(); ++e)
    EXPECT_LE(result.history[e].relative_error, result.history[e - 1].relative_error + 1e-12);
  expect_fitted(planted.x, result);
}

TEST(Xray, NoiseSpoilsItGently) {
  for (const auto& [noise, most] : {std::pair{0.001, 0.01}, {0.01, 0.05}, {0.05, 0.2}}) {
    const PlantedAnchors planted = separable(40, 100, 5, noise, 2);
    for (const XraySelection selection : {XraySelection::rays, XraySelection::max, XraySelection::dist}) {
      EXPECT_LT(xray<double>(planted.x, {.anchors = 5, .selection = selection}).relative_error, most) << noise;
    }
    // This one takes a column in the middle first, and does not find the anchors even without noise.
    EXPECT_LT(xray<double>(planted.x, {.anchors = 5, .selection = XraySelection::greedy}).relative_error, 0.2 + noise);
  }
}

TEST(Xray, EndsWhereNothingIsLeft) {
  const PlantedAnchors planted = separable(30, 50, 4, 0, 3);
  for (const XraySelection selection : {XraySelection::rays, XraySelection::max, XraySelection::dist}) {
    EXPECT_EQ(xray<double>(planted.x, {.anchors = 20, .selection = selection}).anchors.size(), 4u);
  }
  // Equal columns need one anchor, columns of zeros none.
  Matrix<double> equal(3, 4);
  for (double& value : equal.values()) value = 2;
  EXPECT_EQ(xray<double>(to_sparse(equal), {.anchors = 3}).anchors, std::vector<Index>{0});
  const auto none = xray<double>(to_sparse(Matrix<double>(3, 4)), {.anchors = 3});
  EXPECT_TRUE(none.anchors.empty());
  EXPECT_EQ(none.relative_error, 0);
}

TEST(Xray, TheScaleOfTheDataDoesNotMatter) {
  const PlantedAnchors planted = separable(30, 60, 5, 0.01, 4);
  const auto once = xray<double>(planted.x, {.anchors = 5});
  for (const double scale : {1e-200, 1e200}) {
    SparseMatrix<double> scaled = planted.x;
    for (double& value : scaled.values) value *= scale;
    EXPECT_EQ(xray<double>(scaled, {.anchors = 5}).anchors, once.anchors);
  }
}

TEST(Hottopixx, SquashingIsTheNearestPoint) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    std::vector<float> z(6);
    for (float& value : z) value = static_cast<float>(random.normal());
    const Index d = random.below(6);
    std::vector<float> y = z;
    squash(y, d);
    const auto distance = [&](double top) {
      double sum = std::pow(top - static_cast<double>(z[d]), 2);
      for (Index i = 0; i < 6; ++i) {
        if (i != d) sum += std::pow(std::clamp<double>(z[i], 0, top) - static_cast<double>(z[i]), 2);
      }
      return sum;
    };
    double least = INFINITY;
    for (int step = 0; step <= 10000; ++step) least = std::min(least, distance(step / 10000.0));
    EXPECT_NEAR(distance(y[d]), least, 1e-4);
    for (Index i = 0; i < 6; ++i) {
      EXPECT_GE(y[i], 0);
      EXPECT_LE(y[i], y[d]);
    }
    EXPECT_LE(y[d], 1);
  }
}

TEST(Hottopixx, FindsTheAnchorsOfSeparableColumns) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const PlantedAnchors planted = separable(60, 80, 5, 0, seed);
    const auto result = hottopixx<double>(planted.x, {.anchors = 5});
    EXPECT_EQ(set_of(result.anchors), planted.anchors) << seed;
    EXPECT_LT(result.relative_error, 1e-6);
    expect_fitted(planted.x, result);
  }
}

// The instances of [Bittorf et al. 2012, section 5]: hott columns drawn from the simplex, each with `copies` that are
// equal to it, and mixtures of them; topic[j] is the hott column that column j equals, or -1.
struct Hott {
  SparseMatrix<double> x;
  std::vector<Index> topic;
};
Hott hott_columns(Index rows, Index cols, Index k, Index copies, std::uint64_t seed) {
  Random random(seed);
  const auto simplex = [&](Index n) {
    std::vector<double> point(static_cast<std::size_t>(n));
    double sum = 0;
    for (double& value : point) sum += value = random.gamma(1);
    for (double& value : point) value /= sum;
    return point;
  };
  std::vector<std::vector<double>> hott;
  for (Index a = 0; a < k; ++a) hott.push_back(simplex(rows));
  Hott planted;
  planted.topic.assign(static_cast<std::size_t>(cols), -1);
  Matrix<double> x(rows, cols);
  for (Index j = 0; j < cols; ++j) {
    const Index place = (j * 7 + 3) % cols;  // 7 and cols are coprime
    std::vector<double> mixture(static_cast<std::size_t>(k), 0);
    if (j < k * (copies + 1)) {
      mixture[j % k] = 1;
      planted.topic[place] = j % k;
    } else {
      mixture = simplex(k);
    }
    const double scale = 0.5 + random.uniform();
    for (Index a = 0; a < k; ++a) {
      for (Index i = 0; i < rows; ++i) x(i, place) += scale * mixture[a] * hott[a][i];
    }
  }
  planted.x = to_sparse(x);
  return planted;
}

TEST(Separable, FindsEveryHottColumnOfThePaperWithAndWithoutCopies) {
  for (const Index k : {3, 5, 10}) {
    for (const Index copies : {0, 1, 2}) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const Hott planted = hott_columns(400, 40, k, copies, seed);
        for (const auto& result :
             {hottopixx<double>(planted.x, {.anchors = k, .seed = seed}), xray<double>(planted.x, {.anchors = k})}) {
          std::set<Index> topics;
          for (const Index anchor : result.anchors) topics.insert(planted.topic[anchor]);
          topics.erase(-1);
          EXPECT_EQ(topics.size(), static_cast<std::size_t>(k)) << k << " " << copies << " " << seed;
          EXPECT_LT(result.relative_error, 1e-6);
        }
      }
    }
  }
}

TEST(Hottopixx, NoiseSpoilsItGently) {
  // In the last one columns near an anchor share its diagonal, and one of five may be missed; XRAY has .15.
  for (const auto& [noise, most] : {std::pair{0.001, 0.02}, {0.01, 0.06}, {0.05, 0.3}}) {
    double sum = 0;
    for (std::uint64_t seed = 5; seed < 10; ++seed) {
      sum += hottopixx<double>(separable(60, 80, 5, noise, seed).x, {.anchors = 5}).relative_error;
    }
    EXPECT_LT(sum / 5, most) << noise;
  }
}

TEST(Hottopixx, RefusesWhatDoesNotFit) {
  const PlantedAnchors planted = separable(10, 50, 3, 0, 1);
  EXPECT_THROW(hottopixx<double>(planted.x, {.anchors = 3, .memory_limit = 9000}), InvalidArgument);
  EXPECT_THROW(hottopixx<double>(planted.x, {.anchors = 0}), InvalidArgument);
  EXPECT_THROW(hottopixx<double>(planted.x, {.anchors = 2, .epochs = 0}), InvalidArgument);
  Matrix<double> bad(2, 2);
  bad(0, 0) = -1;
  EXPECT_THROW(hottopixx<double>(to_sparse(bad), {.anchors = 1}), InvalidArgument);
  EXPECT_THROW(xray<double>(to_sparse(bad), {.anchors = 1}), InvalidArgument);
  EXPECT_TRUE(hottopixx<double>(to_sparse(Matrix<double>(3, 4)), {.anchors = 3}).anchors.empty());
  EXPECT_EQ(hottopixx<double>(planted.x, {.anchors = 1000, .epochs = 1}).anchors.size(), 50u);
}

TEST(Separable, TheNumberOfThreadsChangesNoBit) {
  const PlantedAnchors planted = separable(50, 200, 6, 0.05, 5);
  std::vector<SeparableResult<double>> results;
  for (const int threads : {1, 8}) {
    with_threads(threads, nullptr, [&] {
      results.push_back(xray<double>(planted.x, {.anchors = 8}));
      results.push_back(hottopixx<double>(planted.x, {.anchors = 8, .epochs = 5}));
    });
  }
  for (const std::size_t e : {0, 1}) {
    EXPECT_EQ(results[e].anchors, results[e + 2].anchors);
    EXPECT_EQ(results[e].h, results[e + 2].h);
    EXPECT_EQ(results[e].relative_error, results[e + 2].relative_error);
  }
}

TEST(Separable, StopsWhenAsked) {
  const PlantedAnchors planted = separable(50, 200, 6, 0.05, 5);
  SeparableOptions options{.anchors = 6};
  options.progress = [](const SeparableIteration& iteration) { return iteration.number < 2; };
  EXPECT_EQ(xray<double>(planted.x, options).anchors.size(), 2u);
  EXPECT_EQ(hottopixx<double>(planted.x, options).history.size(), 2u);
  options.progress = {};
  options.time_limit = 0;
  EXPECT_EQ(xray<double>(planted.x, options).stop_reason, StopReason::time_limit);
  EXPECT_EQ(hottopixx<double>(planted.x, options).stop_reason, StopReason::time_limit);
}

}  // namespace
}  // namespace copse
