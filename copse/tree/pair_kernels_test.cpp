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

// With h = W'x: by a Gram matrix that is the identity, and by the projection, where W may be negative.
template <class T>
void expect_naive_products(bool projection) {
  const Index terms = 23, items = 37;
  const auto x = testing::random_integer_sparse<T>(terms, items, 0.3, 5);
  const auto w = integers<T>(2 * terms, 6, projection ? -4 : 0);
  const SparseItems<T> view{x.offsets.data(), x.indices.data(), x.values.data()};
  const TwoColumns<T> identity(1, 0, 1);
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, items}, {6, 20}, {9, 9}}) {
    std::vector<T> table(4 * terms), h(2 * items, T(-1)), expected_h = h, sums(2 * terms);
    for (Index i = 0; i < terms; ++i) {
      table[4 * i] = w[2 * i], table[4 * i + 1] = w[2 * i + 1];
      table[4 * i + 2] = sums[2 * i] = 3, table[4 * i + 3] = sums[2 * i + 1] = 4;
    }
    std::array<double, 4> expected{};
    for (Index j = begin; j < end; ++j) {
      T b1 = 0, b2 = 0;
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p)
        b1 += x.values[p] * w[2 * x.indices[p]], b2 += x.values[p] * w[2 * x.indices[p] + 1];
      expected_h[2 * j] = b1, expected_h[2 * j + 1] = b2;
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p)
        sums[2 * x.indices[p]] += x.values[p] * b1, sums[2 * x.indices[p] + 1] += x.values[p] * b2;
      expected[0] += static_cast<double>(b1 * b1), expected[1] += static_cast<double>(b1 * b2);
      expected[2] += static_cast<double>(b2 * b2), expected[3] += static_cast<double>(b1 * b1 + b2 * b2);
    }
    const auto found = projection ? project_items<T>(view, table.data(), begin, end, h.data())
                                  : sweep_items<T>(view, table.data(), identity, begin, end, h.data());
    EXPECT_EQ(found.values, expected);
    EXPECT_EQ(h, expected_h);
    for (Index i = 0; i < terms; ++i) {
      EXPECT_EQ(table[4 * i], w[2 * i]);
      EXPECT_EQ(table[4 * i + 1], w[2 * i + 1]);
      EXPECT_EQ(table[4 * i + 2], sums[2 * i]);
      EXPECT_EQ(table[4 * i + 3], sums[2 * i + 1]);
    }
  }
}

TYPED_TEST(PairKernels, SweepAndProjectionEqualTheNaiveProductsExactly) {
  for_each_instruction_set([] {
    expect_naive_products<TypeParam>(false);
    expect_naive_products<TypeParam>(true);
  });
}

TYPED_TEST(PairKernels, GramEqualsTheNaiveSumsExactly) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (const Index rows : row_counts) {
      const auto w = integers<T>(2 * rows, 9);
      std::array<double, 3> expected{};
      for (Index i = 0; i < rows; ++i) {
        const double w1 = static_cast<double>(w[2 * i]), w2 = static_cast<double>(w[2 * i + 1]);
        expected[0] += w1 * w1, expected[1] += w1 * w2, expected[2] += w2 * w2;
      }
      EXPECT_EQ(gram_rows<T>(w.data(), rows).values, expected) << rows;
    }
  });
}

TYPED_TEST(PairKernels, RowsAreSolvedLikeOneAtATime) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (const auto& gram : {std::array<double, 3>{4, 1, 2}, {1, 0, 1}, {4, 0, 0}, {1, 1, 1}, {0, 0, 0}}) {
      const TwoColumns<T> solve(gram[0], gram[1], gram[2]);
      const T a = static_cast<T>(gram[0]), b = static_cast<T>(gram[1]), c = static_cast<T>(gram[2]);
      for (const Index rows : row_counts) {
        const auto y = integers<T>(2 * rows, 3, -3), w = integers<T>(2 * rows, 4);
        std::vector<T> g(2 * rows, T(-1));
        const auto sums = solve_rows<T>(y.data(), w.data(), solve, a, b, c, rows, g.data());
        std::array<double, 4> expected{};
        for (Index i = 0; i < rows; ++i) {
          const auto [g1, g2] = solve(y[2 * i], y[2 * i + 1]);
          EXPECT_NEAR(g[2 * i], g1, 1e-5);
          EXPECT_NEAR(g[2 * i + 1], g2, 1e-5);
          EXPECT_EQ(g[2 * i] > 0, g1 > 0);
          expected[0] += static_cast<double>(g1 * g1), expected[1] += static_cast<double>(g2 * g2);
          const T w1 = w[2 * i], w2 = w[2 * i + 1];
          T d1 = a * w1 + b * w2 - y[2 * i], d2 = b * w1 + c * w2 - y[2 * i + 1];
          if (w1 == 0) d1 = std::min(d1, T(0));
          if (w2 == 0) d2 = std::min(d2, T(0));
          expected[2] += static_cast<double>(d1 * d1 + d2 * d2);
          expected[3] += static_cast<double>(y[2 * i] * y[2 * i] + y[2 * i + 1] * y[2 * i + 1]);
        }
        for (int e : {0, 1}) EXPECT_NEAR(sums.values[e], expected[e], 1e-5 * (1 + expected[e]));
        for (int e : {2, 3}) EXPECT_EQ(sums.values[e], expected[e]);
      }
    }
  });
}

TYPED_TEST(PairKernels, CombinationsAndStepsAreExact) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (const Index rows : row_counts) {
      const Index size = 2 * rows;
      const auto p = integers<T>(size, 1), q = integers<T>(size, 2), r = integers<T>(size, 3);
      std::vector<T> out(size, T(-1)), expected(size), step(size);
      std::array<double, 2> squares{};
      std::array<double, 3> products{};
      for (Index e = 0; e < size; ++e) {
        expected[e] = std::max(T(2) * p[e] - q[e] - T(3) * r[e], T(0));
        squares[e % 2] += static_cast<double>(expected[e] * expected[e]);
        const T difference = p[e] - q[e];
        products[0] += static_cast<double>(difference * q[e]), products[1] += static_cast<double>(difference * r[e]);
        products[2] += static_cast<double>(difference * difference);
      }
      EXPECT_EQ(combine_rows<T>({p.data(), q.data(), r.data()}, {2, -1, -3}, rows, out.data()).values, squares);
      EXPECT_EQ(out, expected);
      EXPECT_EQ(step_rows<T>(p.data(), q.data(), {q.data(), r.data(), step.data()}, rows, step.data()).values,
                products);
      for (Index e = 0; e < size; ++e) EXPECT_EQ(step[e], p[e] - q[e]);
      scale_rows<T>(2, 3, rows, out.data());
      for (Index e = 0; e < size; ++e) EXPECT_EQ(out[e], expected[e] * (e % 2 == 0 ? 2 : 3));
    }
  });
}

}  // namespace
}  // namespace copse
