#include "copse/tree/pair_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "copse/base/random.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::for_each_instruction_set;

template <class T>
class PairKernels : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PairKernels, Precisions);

// Small integers, so that all sums are exact.
template <class T>
std::vector<T> integers(Index count, std::uint64_t seed, int from = 0) {
  Random random(seed);
  std::vector<T> values;
  for (Index e = 0; e < count; ++e) values.push_back(static_cast<T>(from + static_cast<int>(random.below(9))));
  return values;
}

// Row counts around the lengths of vectors and of the runs between which sums are carried over.
constexpr Index row_counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 63, 64, 65, 512, 513, 1100};

enum class Rule { solve, project, groups };

// With h = W'x: by a Gram matrix that is the identity, or by the projection, where W may be negative.
template <class T, class Row>
void expect_naive_products(Rule rule) {
  const Index terms = 23, items = 37;
  const auto x = testing::random_integer_sparse<T>(terms, items, 0.3, 5);
  const std::vector<Row> indices(x.indices.begin(), x.indices.end());
  const auto w = integers<T>(2 * terms, 6, rule == Rule::solve ? 0 : -4);
  const SparseItems<T, Row> view{x.offsets.data(), indices.data(), x.values.data()};
  const TwoColumns<T> identity(1, 0, 1);
  std::vector<char> in_first(items);
  for (Index j = 0; j < items; ++j) in_first[j] = j % 3 == 1;
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, items}, {6, 20}, {9, 9}, {3, 4}}) {
    std::vector<T> h(2 * items, T(-1)), expected_h = h, s = integers<T>(2 * terms, 7), expected_s = s;
    std::array<double, 4> expected{};
    for (Index j = begin; j < end; ++j) {
      T b1 = 0, b2 = 0;
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p)
        b1 += x.values[p] * w[2 * x.indices[p]], b2 += x.values[p] * w[2 * x.indices[p] + 1];
      const T h1 = rule == Rule::groups && !in_first[j] ? T(0) : b1;
      const T h2 = rule == Rule::groups && in_first[j] ? T(0) : b2;
      expected_h[2 * j] = h1, expected_h[2 * j + 1] = h2;
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p)
        expected_s[2 * x.indices[p]] += x.values[p] * h1, expected_s[2 * x.indices[p] + 1] += x.values[p] * h2;
      expected[0] += static_cast<double>(h1 * h1), expected[1] += static_cast<double>(h1 * h2);
      expected[2] += static_cast<double>(h2 * h2), expected[3] += static_cast<double>(b1 * h1 + b2 * h2);
    }
    const auto found = rule == Rule::solve
                           ? sweep_items(view, w.data(), identity, begin, end, h.data(), s.data())
                           : project_items(view, w.data(), rule == Rule::groups ? in_first.data() : nullptr, begin, end,
                                           h.data(), s.data());
    EXPECT_EQ(found.values, expected);
    EXPECT_EQ(h, expected_h);
    EXPECT_EQ(s, expected_s);
    // The sums alone, for the h that was found.
    auto again = integers<T>(2 * terms, 7);
    spread_items(view, h.data(), begin, end, again.data());
    EXPECT_EQ(again, expected_s);
  }
}

TYPED_TEST(PairKernels, ReadsEqualTheNaiveProductsExactly) {
  for_each_instruction_set([] {
    for (const Rule rule : {Rule::solve, Rule::project, Rule::groups}) {
      expect_naive_products<TypeParam, std::uint16_t>(rule);
      expect_naive_products<TypeParam, RowIndex>(rule);
    }
  });
}

// The coefficients of many items, also where only one of the two columns serves, or none.
TYPED_TEST(PairKernels, ASweepSolvesEveryItemLikeOneAtATime) {
  using T = TypeParam;
  for_each_instruction_set([] {
    const Index terms = 19, items = 203;
    const auto x = testing::random_integer_sparse<T>(terms, items, 0.2, 8);
    const SparseItems<T, RowIndex> view{x.offsets.data(), x.indices.data(), x.values.data()};
    const auto w = integers<T>(2 * terms, 9, -4);
    for (const auto& gram : {std::array<double, 3>{4, 1, 2}, {4, 0, 0}, {0, 0, 3}, {1, 1, 1}, {0, 0, 0}}) {
      const TwoColumns<T> solve(gram[0], gram[1], gram[2]);
      std::vector<T> h(2 * items), s(2 * terms);
      sweep_items(view, w.data(), solve, 0, items, h.data(), s.data());
      for (Index j = 0; j < items; ++j) {
        T b1 = 0, b2 = 0;
        for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p)
          b1 += x.values[p] * w[2 * x.indices[p]], b2 += x.values[p] * w[2 * x.indices[p] + 1];
        const auto [h1, h2] = solve(b1, b2);
        EXPECT_NEAR(h[2 * j], h1, 1e-5 * (1 + h1));
        EXPECT_NEAR(h[2 * j + 1], h2, 1e-5 * (1 + h2));
      }
    }
  });
}

TYPED_TEST(PairKernels, RowsAreAlternatedLikeOneAtATime) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (const auto& gram : {std::array<double, 3>{4, 1, 2}, {1, 0, 1}, {4, 0, 0}, {1, 1, 1}, {0, 0, 0}}) {
      const TwoColumns<T> solve(gram[0], gram[1], gram[2]);
      const T a = static_cast<T>(gram[0]), b = static_cast<T>(gram[1]), c = static_cast<T>(gram[2]);
      for (const Index rows : row_counts) {
        const auto y = integers<T>(2 * rows, 3, -3), w = integers<T>(2 * rows, 4), p = integers<T>(2 * rows, 5, -4),
                   q = integers<T>(2 * rows, 6, -4);
        std::vector<T> g(2 * rows, T(-1)), step(2 * rows);
        const auto sums = alternate_rows<T>(y.data(), w.data(), solve, a, b, c, {p.data(), step.data(), q.data()}, rows,
                                            {g.data(), step.data()});
        std::array<double, 7> expected{};
        for (Index i = 0; i < rows; ++i) {
          const auto [g1, g2] = solve(y[2 * i], y[2 * i + 1]);
          EXPECT_NEAR(g[2 * i], g1, 1e-5);
          EXPECT_NEAR(g[2 * i + 1], g2, 1e-5);
          EXPECT_EQ(g[2 * i] > 0, g1 > 0);
          const T w1 = w[2 * i], w2 = w[2 * i + 1];
          T d1 = a * w1 + b * w2 - y[2 * i], d2 = b * w1 + c * w2 - y[2 * i + 1];
          if (w1 == 0) d1 = std::min(d1, T(0));
          if (w2 == 0) d2 = std::min(d2, T(0));
          expected[0] += static_cast<double>(d1 * d1), expected[1] += static_cast<double>(d2 * d2);
          for (Index e = 2 * i; e < 2 * i + 2; ++e) {
            expected[2 + e % 2] += static_cast<double>(y[e] * y[e]);
            EXPECT_EQ(step[e], g[e] - w[e]);
            expected[4] += static_cast<double>(step[e] * p[e]);
            expected[5] += static_cast<double>(step[e] * step[e]);
            expected[6] += static_cast<double>(step[e] * q[e]);
          }
        }
        for (int e : {0, 1, 2, 3}) EXPECT_EQ(sums.values[e], expected[e]);
        for (int e : {4, 5, 6}) EXPECT_NEAR(sums.values[e], expected[e], 1e-4 * (1 + expected[5]));
      }
    }
  });
}

TYPED_TEST(PairKernels, CombinationsAreExact) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (const Index rows : row_counts) {
      const Index size = 2 * rows;
      const auto p = integers<T>(size, 1), q = integers<T>(size, 2), r = integers<T>(size, 3),
                 along = integers<T>(size, 4, -4);
      std::vector<T> out(size, T(-1)), expected(size);
      std::array<double, 4> sums{};
      for (Index e = 0; e < size; ++e) {
        expected[e] = std::max(T(2) * p[e] - q[e] - T(3) * r[e], T(0));
        sums[e % 2 == 0 ? 0 : 2] += static_cast<double>(expected[e] * expected[e]);
        if (e % 2 == 1) sums[1] += static_cast<double>(expected[e] * expected[e - 1]);
        sums[3] += static_cast<double>((expected[e] - q[e]) * along[e]);
      }
      EXPECT_EQ(
          combine_rows<T>({p.data(), q.data(), r.data()}, {2, -1, -3}, q.data(), along.data(), rows, out.data()).values,
          sums);
      EXPECT_EQ(out, expected);
    }
  });
}

TYPED_TEST(PairKernels, ProductsOfPairsAreExact) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (const Index rows : row_counts) {
      const auto a = integers<T>(2 * rows, 1, -4), b = integers<T>(2 * rows, 2, -4);
      std::array<double, 4> sums{};
      std::vector<T> out = b, expected = b;
      for (Index i = 0; i < rows; ++i) {
        const T a1 = a[2 * i], a2 = a[2 * i + 1], b1 = b[2 * i], b2 = b[2 * i + 1];
        sums[0] += static_cast<double>(a1 * b1), sums[1] += static_cast<double>(a1 * b2);
        sums[2] += static_cast<double>(a2 * b1), sums[3] += static_cast<double>(a2 * b2);
        expected[2 * i] += a1 * 2 - a2, expected[2 * i + 1] += a1 * 3 + a2 * 5;
      }
      EXPECT_EQ(cross_rows<T>(a.data(), b.data(), rows).values, sums);
      add_rows<T>(a.data(), {2, 3, -1, 5}, rows, out.data());
      EXPECT_EQ(out, expected);
    }
  });
}

}  // namespace
}  // namespace copse
