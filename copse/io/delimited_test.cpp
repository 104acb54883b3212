#include "copse/io/delimited.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "copse/base/error.h"
#include "copse/io/matrix_file.h"

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

ReadResult<double> read(const std::string& text, const ReadOptions& options = {}, const std::string& name = "x.csv") {
  return read_matrix<double>(text, name, options);
}

std::string sentence(const std::string& text, const ReadOptions& options = {}) {
  try {
    read(text, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(no error)";
}

// items x features.
Matrix<double> values(const ReadResult<double>& result) { return std::get<Matrix<double>>(result.dataset.values); }

Matrix<double> matrix(Index rows, Index cols, std::initializer_list<double> entries) {
  Matrix<double> x(rows, cols);
  std::copy(entries.begin(), entries.end(), x.data());
  return x;
}

TEST(Delimited, RowsAreFeaturesUnlessItemsAreRows) {
  EXPECT_EQ(values(read("1,2,3\n4,5,6\n")), matrix(3, 2, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(values(read("1,2,3\n4,5,6\n", {.items = Items::rows})), matrix(2, 3, {1, 2, 3, 4, 5, 6}));
}

TEST(Delimited, FindsNames) {
  struct Case {
    std::string text;
    Names columns, rows;
  };
  const Case cases[] = {
      {"1,2\n3,4\n", {}, {}},
      {"a,b\n3,4\n", {"a", "b"}, {}},
      {"gene,a,b\nx,3,4\n", {"a", "b"}, {"x"}},
      {",a,b\n1,3,4\n", {"a", "b"}, {"1"}},      // pandas
      {"a,b\nx,3,4\n", {"a", "b"}, {"x"}},       // write.table of R
      {"1,2\nx,3,4\n", {"1", "2"}, {"x"}},       // the same with numbers for names
      {"x,3,4\ny,5,6\n", {}, {"x", "y"}},        // no header
      {"gene,2,1\nx,3,4\n", {"2", "1"}, {"x"}},  // a numbering
      {"gene,0,1\nx,3,4\n", {"0", "1"}, {"x"}},  // the same from 0
      {",0,1\nx,3,4\n", {"0", "1"}, {"x"}},      // pandas without names
      {"value\n3\n", {"value"}, {}},             // one column
      {"id,a\n17,3\n", {"id", "a"}, {}},         // numbers are data
      {"\n\n a , b \n\n3,4\n", {"a", "b"}, {}},  // blanks
      {"\"a,\"\"1\"\"\",b\n\"3\", 4 \n", {"a,\"1\"", "b"}, {}},
      {"\xEF\xBB\xBF"
       "a,b\r\n3,4\r\n",
       {"a", "b"},
       {}},
  };
  for (const Case& c : cases) {
    const auto result = read(c.text);
    EXPECT_EQ(result.dataset.item_names, c.columns) << c.text;
    EXPECT_EQ(result.dataset.feature_names, c.rows) << c.text;
    const auto turned = read(c.text, {.items = Items::rows});
    EXPECT_EQ(turned.dataset.feature_names, c.columns) << c.text;
    EXPECT_EQ(turned.dataset.item_names, c.rows) << c.text;
  }
}

TEST(Delimited, SaysWhichNumbersItTookAsNames) {
  EXPECT_THAT(
      read("a,1,2\nb,3,4\n").notes,
      ElementsAre("x.csv: the first line ('1', ...) was taken as names, with `header` absent they are numbers."));
  EXPECT_THAT(read("1,2\nx,3,4\n").notes, ElementsAre(HasSubstr("the first line ('1', ...) was")));
  EXPECT_THAT(read("a,b\n1,3,4\n").notes,
              ElementsAre("x.csv: the first column ('1', ...) was taken as names, with `row_names` absent they are "
                          "numbers."));
  // Nothing to say where it is plain, or was asked for.
  for (const char* text : {",0,1\nx,3,4\n", ",a,b\n1,3,4\n", "gene,a,b\nx,3,4\n", "1,2\n3,4\n", "a,b\nx,3,4\n"})
    EXPECT_THAT(read(text).notes, IsEmpty()) << text;
  EXPECT_THAT(read("1,2\n4,5,6\n", {.header = Presence::present, .row_names = Presence::present}).notes, IsEmpty());
}

TEST(Delimited, RefusesARaggedTableOfNumbers) {
  EXPECT_THAT(sentence("1,2\n4,5,6\n"),
              EndsWith("x.csv, line 2: the line has 3 cells, and the first line has 2, all of "
                       "them numbers; if the first holds names, say `header` present."));
  EXPECT_THAT(sentence("\n\n1\n\n4,5\n"), HasSubstr("line 5: the line has 2 cells"));
  EXPECT_THAT(sentence("1,2,3\n4,5\n"), HasSubstr("line 2: 3 cells were expected, and 2 were found"));
  const auto named = read("1,2\n4,5,6\n", {.header = Presence::present});
  EXPECT_THAT(named.dataset.item_names, ElementsAre("1", "2"));
  EXPECT_THAT(named.dataset.feature_names, ElementsAre("4"));
}

TEST(Delimited, OptionsOverruleWhatItFinds) {
  const ReadOptions numbered{.header = Presence::present, .row_names = Presence::present};
  const auto result = read("7,8,9\n1,2,3\n", numbered);
  EXPECT_THAT(result.dataset.item_names, ElementsAre("8", "9"));
  EXPECT_THAT(result.dataset.feature_names, ElementsAre("1"));
  EXPECT_EQ(values(result), matrix(2, 1, {2, 3}));
  const ReadOptions none{.header = Presence::absent, .row_names = Presence::absent};
  EXPECT_THAT(sentence("a,b\n3,4\n", none), HasSubstr("line 1: column 1: a number was expected, and 'a' was found"));
}

TEST(Delimited, FindsTheDelimiter) {
  const auto expected = matrix(2, 2, {1, 3, 2, 4});
  EXPECT_EQ(values(read("1;2\n3;4\n")), expected);
  EXPECT_EQ(values(read("1\t2\n3\t4\n")), expected);
  EXPECT_EQ(values(read("1\t2\n3\t4", {}, "x.tsv.gz")), expected);
  EXPECT_EQ(values(read("1\t2\n3\t4", {}, "x.txt")), expected);
  EXPECT_THAT(read("a, b\tc\n1\t2\n", {}, "x.tsv").dataset.item_names, ElementsAre("a, b", "c"));
}

TEST(Delimited, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(sentence("a,b\n1,2\n\n3,\n"),
              EndsWith("x.csv, line 4: column 2 (b): the cell is empty, and a number was expected."));
  EXPECT_THAT(sentence("g,a,b\nx,1,2\ny,3,NA\n"),
              EndsWith("line 3: column 3 (b): a number was expected, and 'NA' was found."));
  EXPECT_THAT(sentence("1,NA\n3,4\n"), EndsWith("line 1: column 2: a number was expected, and 'NA' was found."));
  EXPECT_THAT(sentence("1,\n3,4\n"), EndsWith("line 1: column 2: the cell is empty, and a number was expected."));
  EXPECT_THAT(sentence("1,2\n3\n"), EndsWith("line 2: 2 cells were expected, and 1 were found."));
  EXPECT_THAT(sentence("1,2\n3,4\n5,6,7\n"), EndsWith("line 3: 2 cells were expected, and 3 were found."));
  EXPECT_THAT(sentence("a,b\n1,-2\n"), EndsWith("line 2: column 2 (b): the value '-2' is negative, and none may be."));
  EXPECT_THAT(sentence("a,b\n1,\"-2\"\n"), EndsWith("the value '-2' is negative, and none may be."));
  EXPECT_THAT(sentence("a,b\n1,nan\n"), EndsWith("the value is not a number (NaN)."));
  EXPECT_THAT(sentence("a,b\n1,inf\n"), HasSubstr("infinite"));
  EXPECT_THAT(sentence("a,b\n1,1e999\n"), HasSubstr("too large"));
  EXPECT_THAT(sentence("a,b\n1,\"2\n"), EndsWith("line 2: the quotes of a cell do not end on its line."));
  EXPECT_THAT(sentence("a,b\n1,\"2\"3\"\n"), HasSubstr("line 2: column 2"));
  EXPECT_THAT(sentence("a,b\n"), EndsWith("x.csv: the file has a line of names and no numbers."));
  EXPECT_THAT(sentence("\n \n\r\n"), EndsWith("the file has nothing but blank lines."));
  EXPECT_THAT(sentence("a\nb\n"), EndsWith("the file has no column of numbers."));
  EXPECT_THAT(sentence("a,b,c,d\n1,2\n"), HasSubstr("the line of names has 4 names for 2 columns"));
  EXPECT_THAT(sentence(std::string("1,2\n\0", 5)), HasSubstr("binary"));
  EXPECT_THAT(sentence("1,2\n3,4\n", {.memory_limit = 10}), HasSubstr("limit"));
}

TEST(Delimited, RepairsNamesThatAreNotUtf8) {
  const auto result = read("gene,caf\xE9,b\nx,1,2\n\xFFy\xF0\x9F\x8C\xB3,3,4\n");
  EXPECT_THAT(result.dataset.item_names, ElementsAre("caf\xEF\xBF\xBD", "b"));
  EXPECT_THAT(result.dataset.feature_names, ElementsAre("x", "\xEF\xBF\xBDy\xF0\x9F\x8C\xB3"));
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("x.csv: 2 names are not UTF-8")));
}

// Several blocks of text and both ways of joining them.
TEST(Delimited, ReadsLongFiles) {
  std::string text = "name,a,b,c\n";
  for (int i = 0; i < 100000; ++i)
    text += "row" + std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(i % 7) + ",0.5\n";
  const auto columns = read(text), rows = read(text, {.items = Items::rows});
  ASSERT_EQ(columns.dataset.features(), 100000);
  ASSERT_EQ(rows.dataset.items(), 100000);
  const auto by_column = values(columns), by_row = values(rows);
  for (Index i = 0; i < 100000; ++i) {
    ASSERT_EQ(by_column(0, i), static_cast<double>(i));
    ASSERT_EQ(by_column(1, i), static_cast<double>(i % 7));
    ASSERT_EQ(by_row(i, 0), static_cast<double>(i));
    ASSERT_EQ(by_row(i, 2), 0.5);
    ASSERT_EQ(columns.dataset.feature_names[static_cast<std::size_t>(i)], "row" + std::to_string(i));
  }
  EXPECT_THAT(columns.notes, IsEmpty());
  EXPECT_THAT(sentence(text + "last,1,2,x\n"),
              EndsWith("line 100002: column 4 (c): a number was expected, and 'x' was found."));
}

}  // namespace
}  // namespace copse
