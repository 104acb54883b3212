#include "copse/io/external_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "copse/base/error.h"
#include "copse/base/random.h"
#include "copse/io/matrix_file.h"
#include "copse/io/matrix_market.h"

namespace copse {
namespace {

class ExternalColumnsTest : public ::testing::Test {
 protected:
  ExternalColumnsTest() {
    std::string name = (std::filesystem::temp_directory_path() / "copse-external-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ExternalColumnsTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

// Entries in random order, some of them twice; whole numbers, so that sums are exact in any order.
template <class T>
Triplets<T> entries(Index features, Index items, int count, std::uint64_t seed) {
  Random random(seed);
  Triplets<T> all;
  for (int i = 0; i < count; ++i) {
    all.features.push_back(static_cast<RowIndex>(random.uniform() * static_cast<double>(features)));
    all.items.push_back(static_cast<RowIndex>(random.uniform() * random.uniform() * static_cast<double>(items)));
    all.values.push_back(static_cast<T>(1 + static_cast<int>(random.uniform() * 5)));
  }
  return all;
}

TEST_F(ExternalColumnsTest, PartsGiveTheSameFileAsMemory) {
  const Index features = 90, items = 200;
  std::vector<Triplets<double>> all = {entries<double>(features, items, 5000, 1)};
  Index duplicates = 0;
  const SparseMatrix<double> whole = compress(features, items, all, duplicates);
  ASSERT_GT(duplicates, 100);
  std::string first;
  for (const Index held : {100, 999, 4000, 100000}) {
    ExternalColumns<double> columns(folder_ / "x.copse", features, items, held);
    Triplets<double> left = entries<double>(features, items, 5000, 1);
    for (std::size_t p = 0; p < 5000; p += 50) {
      const auto part = [p](const auto& list) {
        return std::decay_t<decltype(list)>(list.begin() + static_cast<std::ptrdiff_t>(p),
                                            list.begin() + static_cast<std::ptrdiff_t>(p) + 50);
      };
      Triplets<double> some{.features = part(left.features), .items = part(left.items), .values = part(left.values)};
      columns.add(some);
    }
    columns.commit("x");
    EXPECT_EQ(columns.parts(), held == 100000 ? 0 : (5000 + (held + 49) / 50 * 50 - 1) / ((held + 49) / 50 * 50));
    EXPECT_EQ(columns.duplicates(), duplicates) << held;
    EXPECT_EQ(columns.entries(), whole.nonzeros());
    EXPECT_EQ(std::get<SparseMatrix<double>>(read_matrix<double>(folder_ / "x.copse").dataset.values), whole);
    std::ifstream stream(folder_ / "x.copse", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);  // no part is left
  }
}

TEST_F(ExternalColumnsTest, ReadsMatrixMarketPieceByPiece) {
  for (const char* symmetry : {"general", "symmetric"}) {
    std::ofstream(folder_ / "x.mtx") << "%%MatrixMarket matrix coordinate real " << symmetry
                                     << "\n4 4 5\n3 1 2.5\n1 1 1\n4 2 0.5\n3 1 1\n4 4 9\n";
    const Input input = Input::open(folder_ / "x.mtx");
    ExternalColumns<double> columns(folder_ / "x.copse", 4, 4, 2);
    EXPECT_TRUE(for_each_entry<double>(input, {.items = Items::columns},
                                       [&](Index features, Index items, Triplets<double>& some) {
                                         EXPECT_EQ(features, 4);
                                         EXPECT_EQ(items, 4);
                                         columns.add(some);
                                       }));
    columns.commit("x.mtx");
    EXPECT_EQ(read_matrix<double>(folder_ / "x.copse").dataset.values,
              read_matrix<double>(folder_ / "x.mtx").dataset.values);
  }
  std::ofstream(folder_ / "y.mtx") << "%%MatrixMarket matrix array real general\n1 2\n1\n2\n";
  EXPECT_FALSE(for_each_entry<float>(Input::open(folder_ / "y.mtx"), {.items = Items::columns},
                                     [](Index, Index, Triplets<float>&) { FAIL(); }));
  std::ofstream(folder_ / "z.mtx") << "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 2\n";
  EXPECT_THROW(for_each_entry<float>(Input::open(folder_ / "z.mtx"), {.items = Items::columns},
                                     [](Index, Index, Triplets<float>&) {}),
               InputError);
}

}  // namespace
}  // namespace copse
