#include "copse/matrix/sparse.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_integer_sparse;
using testing::to_dense;
using testing::to_sparse;

struct Shape {
  Index rows, cols;
  double density;
};

TEST(Transpose, EqualsTheNaiveTransposeAndIsItsOwnInverse) {
  for (auto [rows, cols, density] :
       {Shape{0, 0, 0}, Shape{1, 1, 1}, Shape{5, 1, 0.5}, Shape{64, 33, 0.2}, Shape{900, 1500, 0.3}}) {
    const auto x = random_integer_sparse<float>(rows, cols, density, 3);
    const auto flipped = transpose<float>(x);
    EXPECT_EQ(flipped, to_sparse(testing::naive::transposed(to_dense(x))));
    EXPECT_EQ(transpose<float>(flipped), x);
  }
}

TEST(Transpose, TakesARunOfColumns) {
  const auto x = random_integer_sparse<float>(300, 1000, 0.5, 3);
  SparseView<float> run = x;
  run.cols = 700;
  run.offsets = run.offsets.subspan(200, 701);
  EXPECT_EQ(run.nonzeros(), x.offsets[900] - x.offsets[200]);
  std::vector<Index> columns(700);
  std::iota(columns.begin(), columns.end(), Index{200});
  EXPECT_EQ(transpose(run), transpose<float>(select_columns<float>(x, columns)));
}

TEST(SelectColumns, TakesThemInTheOrderAsked) {
  const auto x = random_integer_sparse<double>(20, 9, 0.4, 5);
  const std::vector<Index> columns{7, 0, 7, 3};
  const auto picked = to_dense(select_columns<double>(x, columns));
  const auto all = to_dense(x);
  ASSERT_EQ(picked.cols(), 4);
  for (Index i = 0; i < 20; ++i) {
    for (Index c = 0; c < 4; ++c) EXPECT_EQ(picked(i, c), all(i, columns[static_cast<std::size_t>(c)]));
  }
}

TEST(DropEmptyRows, RenumbersTheOthers) {
  SparseMatrix<double> x{.rows = 6, .cols = 3};
  x.offsets = {0, 2, 2, 4};
  x.indices = {1, 4, 0, 4};
  x.values = {10, 11, 12, 13};
  EXPECT_EQ(drop_empty_rows(x), (std::vector<Index>{0, 1, 4}));
  EXPECT_EQ(x.rows, 3);
  EXPECT_EQ(x.indices, (Buffer<RowIndex>{1, 2, 0, 2}));
  SparseMatrix<double> none{.rows = 6, .cols = 0};
  EXPECT_TRUE(drop_empty_rows(none).empty());
  EXPECT_EQ(none.rows, 0);
}

}  // namespace
}  // namespace copse
