#include "copse/io/matrix_market.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/matrix_file.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::random_integer_sparse;
using testing::to_dense;

ReadResult<double> read_market(const std::string& text, const ReadOptions& options = {}) {
  return read_matrix<double>(text, "x.mtx", options);
}

std::string market_sentence(const std::string& text, const ReadOptions& options = {}) {
  try {
    read_market(text, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(no error)";
}

// features x items, whatever the file was.
Matrix<double> market_values(const ReadResult<double>& result) {
  if (result.dataset.is_sparse()) return to_dense(std::get<SparseMatrix<double>>(result.dataset.values));
  const auto& x = std::get<Matrix<double>>(result.dataset.values);
  Matrix<double> out(x.cols(), x.rows());
  for (Index j = 0; j < x.rows(); ++j) {
    for (Index i = 0; i < x.cols(); ++i) out(i, j) = x(j, i);
  }
  return out;
}

Matrix<double> matrix_of(Index rows, Index cols, std::initializer_list<double> entries) {
  Matrix<double> x(rows, cols);
  std::copy(entries.begin(), entries.end(), x.data());
  return x;
}

const std::string real = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixMarket, ReadsEveryFieldAndSymmetry) {
  EXPECT_EQ(market_values(read_market(real + "2 3 3\n1 1 .5\n2 3 1e2\n1 3 7\n")),
            matrix_of(2, 3, {.5, 0, 7, 0, 0, 100}));
  EXPECT_EQ(market_values(read_market("%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 3\n")),
            matrix_of(2, 2, {0, 0, 3, 0}));
  EXPECT_EQ(market_values(read_market("%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n")),
            matrix_of(1, 2, {0, 1}));
  EXPECT_EQ(market_values(read_market("%%MatrixMarket matrix coordinate double symmetric\n2 2 2\n1 1 4\n2 1 5\n")),
            matrix_of(2, 2, {4, 5, 5, 0}));
  EXPECT_EQ(market_values(read_market("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")),
            matrix_of(2, 2, {0, 1, 1, 0}));
  EXPECT_EQ(market_values(read_market("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n")),
            matrix_of(2, 3, {1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(market_values(read_market("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n")),
            matrix_of(2, 2, {1, 2, 2, 3}));
}

TEST(MatrixMarket, TakesItemsFromRowsIfAsked) {
  const ReadOptions rows{.items = Items::rows};
  EXPECT_EQ(market_values(read_market(real + "2 3 2\n1 1 .5\n2 3 1e2\n", rows)),
            matrix_of(3, 2, {.5, 0, 0, 0, 0, 100}));
  EXPECT_EQ(market_values(read_market("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n", rows)),
            matrix_of(3, 2, {1, 2, 3, 4, 5, 6}));
}

TEST(MatrixMarket, ForgivesCommentsBlankLinesCaseAndLineEnds) {
  const auto expected = matrix_of(1, 2, {2, 3});
  EXPECT_EQ(market_values(read_market(
                "%%matrixmarket MATRIX Coordinate Real General\r\n% a\r\n\r\n%b\n 1\t2  2 \r\n\n1 1 2\r\n% c\n  1  "
                "2 +3 ")),
            expected);
}

TEST(MatrixMarket, AddsUpDuplicatesAndSaysSoOnce) {
  const auto result = read_market(real + "2 2 5\n2 2 1\n1 1 1\n2 2 2\n1 1 4\n1 1 8\n");
  EXPECT_EQ(market_values(result), matrix_of(2, 2, {13, 0, 0, 3}));
  EXPECT_THAT(result.notes, ElementsAre("x.mtx: 3 duplicate entries were added up."));
  EXPECT_THAT(read_market(real + "1 1 2\n1 1 1\n1 1 1\n").notes, ElementsAre("x.mtx: 1 duplicate entry was added up."));
}

TEST(MatrixMarket, SaysWhatIsWrongAndWhere) {
  const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
  const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
  const std::string array = "%%MatrixMarket matrix array real general\n";
  EXPECT_THAT(market_sentence(""), HasSubstr("empty"));
  EXPECT_THAT(market_sentence("%%MatrixMarket\n"), HasSubstr("x.mtx, line 1: '%%MatrixMarket matrix'"));
  EXPECT_THAT(market_sentence("%%MatrixMarket matrix coordinate complex general\n"), HasSubstr("complex"));
  EXPECT_THAT(market_sentence("%%MatrixMarket matrix coordinate real hermitian\n"), HasSubstr("complex"));
  EXPECT_THAT(market_sentence("%%MatrixMarket matrix coordinate real skew-symmetric\n"), HasSubstr("negative"));
  EXPECT_THAT(market_sentence("%%MatrixMarket matrix array pattern general\n"), HasSubstr("pattern"));
  EXPECT_THAT(market_sentence("%%MatrixMarket matrix list real general\n"), HasSubstr("'list' was found"));
  EXPECT_THAT(market_sentence("%%MatrixMarket matrix array text general\n"), HasSubstr("'text' was found"));
  EXPECT_THAT(market_sentence("%%MatrixMarket matrix array real odd\n"), HasSubstr("'odd' was found"));
  EXPECT_THAT(market_sentence(real + "% nothing else"), HasSubstr("ends before the line with the sizes"));
  EXPECT_THAT(market_sentence(real + "2 2\n"), HasSubstr("x.mtx, line 2: rows, columns and entries were expected"));
  EXPECT_THAT(market_sentence(real + "2 x 1\n"), HasSubstr("line 2: a size was expected, and 'x' was found"));
  EXPECT_THAT(market_sentence(real + "-2 2 1\n"), HasSubstr("line 2: a size was expected"));
  EXPECT_THAT(market_sentence(real + "0 2 0\n"), HasSubstr("empty"));
  EXPECT_THAT(market_sentence("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n"), HasSubstr("square"));
  EXPECT_THAT(market_sentence(real + "2 2 3\n1 1 1\n2 2 1\n"), HasSubstr("promises 3 entries, and the file has 2"));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1 1 1\n2 2 1\n"), HasSubstr("promises 1 entries, and the file has more"));
  EXPECT_THAT(market_sentence(real + "2 2 1\n\n0 1 1\n"), EndsWith("line 4: row 0 is outside of 1 to 2."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1 3 1\n"), EndsWith("line 3: column 3 is outside of 1 to 2."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n-1 1 1\n"), EndsWith("row -1 is outside of 1 to 2."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n99999999999999999999 1 1\n"), HasSubstr("outside of 1 to 2."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1.5 1 1\n"), EndsWith("a row number was expected, and '1.5' was found."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1 1\n"),
              HasSubstr("row, column and value were expected, and '1 1' was found"));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1 1 1 1\n"), HasSubstr("row, column and value were expected"));
  EXPECT_THAT(market_sentence(pattern + "2 2 1\n1 1 1\n"), HasSubstr("row and column were expected"));
  EXPECT_THAT(market_sentence(integer + "2 2 1\n1 1 1.5\n"), EndsWith("an integer was expected, and '1.5' was found."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1 1 one\n"),
              EndsWith("line 3: a number was expected, and 'one' was found."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1 1 1x\n"), EndsWith("a number was expected, and '1x' was found."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1 1 nan\n"), EndsWith("line 3: the value is not a number (NaN)."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1 1 -inf\n"), EndsWith("line 3: the value is infinite."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1 1 1e999\n"),
              EndsWith("the value '1e999' is too large for this precision."));
  EXPECT_THAT(market_sentence(real + "2 2 1\n1 1 -2.5\n"),
              EndsWith("line 3: the value -2.5 is negative, and none may be."));
  EXPECT_THAT(market_sentence(array + "1 1\n-1\n"), EndsWith("line 3: the value -1 is negative, and none may be."));
  EXPECT_THAT(market_sentence(array + "1 2\n1 1\n"), HasSubstr("one value was expected"));
  EXPECT_THAT(market_sentence(real + "1 1 2\n1 1 1e308\n1 1 1e308\n"), HasSubstr("infinite"));
}

TEST(MatrixMarket, CountsLinesAcrossBlocks) {
  std::string text = "%%MatrixMarket matrix array real general\n200000 1\n";
  for (int line = 3; line < 190000; ++line) text += "1.25000\n";
  EXPECT_THAT(market_sentence(text + "x\n"), EndsWith("line 190000: a number was expected, and 'x' was found."));
}

TEST(MatrixMarket, RefusesHeadersThatTheFileCannotHold) {
  EXPECT_THAT(market_sentence(real + "10 10 1000000000000000000\n1 1 1\n"), HasSubstr("does not fit in a file of"));
  EXPECT_THAT(market_sentence(real + "99999999999 10 1\n1 1 1\n"), HasSubstr("2147483647 is the most"));
  EXPECT_THAT(market_sentence(real + "99999999999999999999999 10 1\n1 1 1\n"), HasSubstr("a size was expected"));
  EXPECT_THAT(market_sentence(real + "5 2147483647 1\n1 1 1\n", {.memory_limit = 1 << 20}),
              HasSubstr("limit is 1.05 MB"));
  EXPECT_THAT(market_sentence("%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n"),
              HasSubstr("does not fit"));
}

// Large enough for several blocks, in an order that needs sorting, with duplicates across blocks.
TEST(MatrixMarket, GivesTheSameForAnyNumberOfThreads) {
  const auto x = random_integer_sparse<double>(300, 900, 0.5, 7);
  std::string body;
  Index entries = 0;
  for (int part : {0, 1}) {
    for (Index j = 899; j >= 0; --j) {
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p, ++entries)
        body += std::to_string(x.indices[p] + 1) + " " + std::to_string(j + 1) + " " + (part ? "0.1\n" : "1.7\n");
    }
  }
  const std::string text = real + "300 900 " + std::to_string(entries) + "\n" + body;
  const auto read_with = [&](int threads) {
    ReadResult<double> result;
    with_threads(threads, nullptr, [&] { result = read_market(text); });
    return result;
  };
  const auto expected = read_with(1);
  EXPECT_THAT(expected.notes, ElementsAre(HasSubstr(std::to_string(entries / 2) + " duplicate")));
  const auto& result = std::get<SparseMatrix<double>>(expected.dataset.values);
  EXPECT_EQ(result.offsets, x.offsets);
  EXPECT_EQ(result.indices, x.indices);
  EXPECT_THAT(result.values, ::testing::Each(1.7 + 0.1));
  for (int threads : {2, 3, 8}) EXPECT_EQ(read_with(threads).dataset.values, expected.dataset.values);
}

}  // namespace
}  // namespace copse
