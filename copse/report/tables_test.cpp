#include "copse/report/tables.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace copse {
namespace {

// Two items of one topic, and one of none.
FlatResult example() {
  FlatResult result;
  Matrix<float> w(2, 2), h(3, 2);
  w(0, 0) = 0.5f, w(1, 0) = 0.25f;
  h(0, 0) = 0.1f, h(1, 0) = 2;
  result.model.w = w;
  result.model.h = h;
  result.model.items.feature_names = {"caf\xC3\xA9", "bad \xFF byte"};
  result.model.items.item_names = {"two\twords\n", "b", "c"};
  describe(result);
  return result;
}

std::string assignments(const FlatResult& result) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "tables_test.tsv";
  OutputFile file(path);
  write_assignments(file, result);
  file.commit();
  std::ifstream written(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(written), {});
  std::filesystem::remove(path);
  return text;
}

TEST(Tables, HaveOneLinePerEntryWhateverTheNames) {
  const FlatResult result = example();
  EXPECT_EQ(assignments(result), "item\tcluster\tweight\ntwo words \t0\t0.1\nb\t0\t2\nc\t-1\t0\n");
  EXPECT_EQ(topics_tsv(result.report.topics),
            "cluster\trank\tfeature\tweight\n0\t1\tcaf\xC3\xA9\t0.5\n0\t2\tbad \xFF byte\t0.25\n");
}

TEST(Tables, HaveColumnsForNamesAndStabilityWhereTheyAreKnown) {
  FlatResult result = example();
  result.model.items.label_ids = {"0"};
  result.model.items.labels = {"a\tname"};
  result.model.items.item_stability = {0.25, std::numeric_limits<double>::quiet_NaN(), 1};
  describe(result);
  EXPECT_EQ(assignments(result),
            "item\tcluster\tweight\tstability\ntwo words \t0\t0.1\t0.25\nb\t0\t2\t\nc\t-1\t0\t1\n");
  EXPECT_EQ(topics_tsv(result.report.topics),
            "cluster\trank\tfeature\tweight\tlabel\n0\t1\tcaf\xC3\xA9\t0.5\ta name\n"
            "0\t2\tbad \xFF byte\t0.25\ta name\n");
}

}  // namespace
}  // namespace copse
