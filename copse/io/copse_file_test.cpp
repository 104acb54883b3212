#include "copse/io/copse_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <thread>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/io/bit_packing.h"
#include "copse/io/matrix_file.h"
#include "copse/io/open_blocks.h"

namespace copse {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(BitPacking, GivesBackEveryNumber) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::uint32_t> numbers(static_cast<std::size_t>(random.uniform() * 700));
    const int bits = trial % 33;
    for (std::uint32_t& number : numbers) {
      // Most have few bits, some have any number of them.
      const int width = random.uniform() < 0.03 ? 32 : bits;
      number = width == 0 ? 0 : static_cast<std::uint32_t>(random.uniform() * 0x1p32) >> (32 - width);
    }
    std::string bytes;
    pack_numbers(numbers, bytes);
    Unpacker unpacker(bytes);
    std::uint32_t group[packing_group];
    std::vector<std::uint32_t> found;
    while (found.size() < numbers.size()) {
      ASSERT_TRUE(unpacker.next(group));
      found.insert(found.end(), group, group + std::min(packing_group, numbers.size() - found.size()));
    }
    EXPECT_EQ(found, numbers);
    EXPECT_TRUE(unpacker.rest().empty());
    EXPECT_FALSE(unpacker.next(group));
  }
}

TEST(BitPacking, TakesFewBytesForFewLargeNumbers) {
  std::vector<std::uint32_t> numbers(128, 1);
  numbers[77] = 1U << 31;
  std::string bytes;
  pack_numbers(numbers, bytes);
  EXPECT_EQ(bytes.size(), 2 + 16 + 5);
}

TEST(BitPacking, NeverReadsPastTheEnd) {
  std::vector<std::uint32_t> numbers(128);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i == 3 ? ~0U : static_cast<std::uint32_t>(i * i);
  std::string bytes;
  pack_numbers(numbers, bytes);
  std::uint32_t group[packing_group];
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(Unpacker(cut).next(group)) << size;
  }
  EXPECT_TRUE(Unpacker(bytes).next(group));
  EXPECT_FALSE(Unpacker(bytes, 31).next(group));
}

class CopseFileTest : public ::testing::Test {
 protected:
  CopseFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "copse-file-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~CopseFileTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  static std::string content(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void put(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  template <class Call>
  static std::string sentence(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "(no error)";
  }

  std::filesystem::path folder_;
};

enum class Kind { counts, ones, fractions, huge_counts, awkward };

template <class T>
T value_of(Kind kind, Random& random) {
  const double u = random.uniform();
  switch (kind) {
    case Kind::counts:
      return static_cast<T>(1 + std::floor(-2 * std::log(1 - u)));
    case Kind::ones:
      return 1;
    case Kind::fractions:
      return static_cast<T>(u);
    case Kind::huge_counts:
      return static_cast<T>(std::floor(u * 1e12));
    case Kind::awkward:
      break;
  }
  return static_cast<T>(std::pow(10.0, (u - 0.5) * std::numeric_limits<T>::max_exponent10 * 2));
}

// Items of very different lengths: none, a few, and one with all rows.
template <class T>
SparseMatrix<T> uneven(Index rows, Index cols, Kind kind, std::uint64_t seed, bool with_full = true) {
  Random random(seed);
  SparseMatrix<T> x{.rows = rows, .cols = cols};
  for (Index j = 0; j < cols; ++j) {
    const double density = with_full && j == cols / 2 ? 1
                           : j % 7 == 3               ? 0
                                                      : std::pow(random.uniform(), 3) * std::min(1.0, 200.0 / rows);
    for (Index i = 0; i < rows;) {
      if (density < 1) i += static_cast<Index>(std::log(1 - random.uniform()) / std::log(1 - density + 1e-300));
      if (i >= rows || density == 0) break;
      x.indices.push_back(static_cast<RowIndex>(i++));
      x.values.push_back(value_of<T>(kind, random));
    }
    x.offsets.push_back(static_cast<Index>(x.indices.size()));
  }
  return x;
}

template <class T>
SparseMatrix<T> read_by_block(const CopseFile& file) {
  SparseMatrix<T> x{.rows = file.features(), .cols = file.items()};
  ItemBlock<T> block;
  for (Index b = 0; b < file.blocks(); ++b) {
    file.read(b, block);
    EXPECT_EQ(block.first_item, static_cast<Index>(x.offsets.size()) - 1);
    const Index before = x.offsets.back();
    for (Index j = 1; j <= block.items; ++j) x.offsets.push_back(before + block.offsets[static_cast<std::size_t>(j)]);
    x.indices.insert(x.indices.end(), block.indices.begin(), block.indices.end());
    x.values.insert(x.values.end(), block.values.begin(), block.values.end());
  }
  return x;
}

template <class T>
void expect_round_trips(const std::filesystem::path& path) {
  for (const Kind kind : {Kind::counts, Kind::ones, Kind::fractions, Kind::huge_counts, Kind::awkward}) {
    for (const Index rows : {1, 2, 130, 100000}) {
      for (const Index cols : {1, 4, 333}) {
        for (const Index block_entries : {1, 100, 1 << 18}) {
          if (rows == 100000 && block_entries == 100) continue;
          const auto x = uneven<T>(rows, cols, kind, static_cast<std::uint64_t>(rows + cols));
          CopseWriter writer(path, {.features = rows, .block_entries = block_entries, .block_items = 60});
          writer.add<T>(x);
          writer.commit();
          EXPECT_EQ(std::filesystem::file_size(path), writer.bytes());
          const CopseFile file(path);
          EXPECT_EQ(file.entries(), x.nonzeros());
          EXPECT_LE(file.most_items(), 60);
          EXPECT_EQ(read_by_block<T>(file), x) << static_cast<int>(kind) << ' ' << rows << ' ' << cols;
          const auto whole = read_matrix<T>(path);
          EXPECT_EQ(std::get<SparseMatrix<T>>(whole.dataset.values), x);
          const auto turned = read_matrix<T>(path, {.items = Items::rows});
          EXPECT_EQ(std::get<SparseMatrix<T>>(turned.dataset.values), transpose<T>(x));
        }
      }
    }
  }
}

TEST_F(CopseFileTest, GivesBackEveryBit) {
  expect_round_trips<float>(path("x.copse"));
  expect_round_trips<double>(path("x.copse"));
}

TEST_F(CopseFileTest, ReadsEitherPrecision) {
  const auto x = uneven<float>(200, 90, Kind::fractions, 3);
  write_copse<float>(path("x.copse"), {.values = x});
  const auto wide = read_by_block<double>(CopseFile(path("x.copse")));
  EXPECT_TRUE(std::equal(wide.values.begin(), wide.values.end(), x.values.begin(), x.values.end()));

  const auto y = uneven<double>(200, 90, Kind::fractions, 3);
  write_copse<double>(path("y.copse"), {.values = y});
  const auto narrow = read_by_block<float>(CopseFile(path("y.copse")));
  for (std::size_t p = 0; p < y.values.size(); ++p) EXPECT_EQ(narrow.values[p], static_cast<float>(y.values[p]));

  auto huge = y;
  huge.values[7] = 1e300;
  write_copse<double>(path("z.copse"), {.values = huge});
  EXPECT_THAT(sentence([&] { read_matrix<float>(path("z.copse")); }), HasSubstr("too large for this precision"));
  EXPECT_EQ(std::get<SparseMatrix<double>>(read_matrix<double>(path("z.copse")).dataset.values), huge);
}

TEST_F(CopseFileTest, RowNumbersUpTo31Bits) {
  constexpr Index rows = std::numeric_limits<RowIndex>::max();
  SparseMatrix<float> x{.rows = rows, .cols = 3};
  x.indices = {0, 5, 2147483646, 2147483646, 0, 2147483645};
  x.values = {1, 2, 3, 4, 5, 6};
  x.offsets = {0, 3, 4, 6};
  write_copse<float>(path("x.copse"), {.values = x});
  EXPECT_EQ(read_by_block<float>(CopseFile(path("x.copse"))), x);
}

TEST_F(CopseFileTest, DenseStaysDense) {
  Matrix<double> x(70, 33);
  Random random(2);
  for (double& value : x.values()) value = random.uniform() < 0.3 ? 0 : random.uniform();
  const Dataset<double> dataset{.values = x};
  write_matrix(path("x.copse"), dataset);
  EXPECT_EQ(read_matrix<double>(path("x.copse")).dataset.values, dataset.values);
  const auto summary = peek_matrix(path("x.copse"));
  EXPECT_FALSE(summary.sparse);
  EXPECT_EQ(summary.features, 33);
  const auto turned = read_matrix<double>(path("x.copse"), {.items = Items::rows});
  const auto& y = std::get<Matrix<double>>(turned.dataset.values);
  for (Index j = 0; j < 70; ++j) {
    for (Index i = 0; i < 33; ++i) EXPECT_EQ(y(i, j), x(j, i));
  }
}

TEST_F(CopseFileTest, KeepsNamesAndLabels) {
  Dataset<float> dataset{.values = uneven<float>(40, 100, Kind::counts, 5)};
  for (int i = 0; i < 40; ++i) dataset.feature_names.push_back(i == 3 ? "" : "Wort\n" + std::string(i % 5, 'x'));
  std::vector<std::string> labels;
  for (int j = 0; j < 100; ++j) {
    dataset.item_names.push_back("item " + std::to_string(j));
    labels.push_back(j % 3 == 0 ? "\xC3\xA4" : "b");
  }
  CopseWriter writer(path("x.copse"), {.features = 40, .item_names = true, .labels = true, .block_items = 7});
  writer.add<float>(std::get<SparseMatrix<float>>(dataset.values), dataset.item_names, labels);
  writer.commit(dataset.feature_names);
  const CopseFile file(path("x.copse"));
  EXPECT_EQ(file.blocks(), 15);
  EXPECT_THAT(file.item_names(2),
              ::testing::ElementsAre("item 14", "item 15", "item 16", "item 17", "item 18", "item 19", "item 20"));
  const auto result = read_matrix<float>(path("x.copse"));
  EXPECT_EQ(result.dataset.item_names, dataset.item_names);
  EXPECT_EQ(result.dataset.feature_names, dataset.feature_names);
  EXPECT_EQ(result.labels, labels);
  EXPECT_THAT(sentence([&] {
                CopseWriter wrong(path("y.copse"), {.features = 40, .item_names = true});
                wrong.add<float>(std::get<SparseMatrix<float>>(dataset.values));
              }),
              HasSubstr("for all items or for none"));
  EXPECT_FALSE(std::filesystem::exists(path("y.copse")));
}

TEST_F(CopseFileTest, BlocksDependOnTheItemsOnly) {
  const auto x = uneven<float>(300, 500, Kind::counts, 8);
  const auto write = [&](Index at_once) {
    CopseWriter writer(path("x.copse"), {.features = 300, .block_entries = 700});
    for (Index j = 0; j < x.cols; j += at_once) {
      const Index count = std::min(at_once, x.cols - j);
      writer.add<float>({x.rows, count,
                         std::span(x.offsets).subspan(static_cast<std::size_t>(j), static_cast<std::size_t>(count) + 1),
                         x.indices, x.values});
    }
    writer.commit();
    return content(path("x.copse"));
  };
  const std::string once = write(500);
  EXPECT_EQ(write(1), once);
  EXPECT_EQ(write(37), once);
  EXPECT_GT(CopseFile(path("x.copse")).blocks(), 5);
}

TEST_F(CopseFileTest, SeveralThreadsReadAtOnce) {
  const auto x = uneven<float>(300, 5000, Kind::counts, 9);
  CopseWriter writer(path("x.copse"), {.features = 300, .block_entries = 500});
  writer.add<float>(x);
  writer.commit();
  const CopseFile file(path("x.copse"));
  std::vector<std::thread> threads;
  std::vector<char> right(4);
  for (std::size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] { right[t] = read_by_block<float>(file) == x; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(right, ::testing::Each(1));
}

TEST_F(CopseFileTest, RefusesWhatIsNoMatrix) {
  const auto writing = [&](SparseMatrix<float> x) {
    return sentence([&] { write_copse<float>(path("x.copse"), {.values = std::move(x)}); });
  };
  SparseMatrix<float> x{.rows = 3, .cols = 1};
  x.offsets = {0, 2};
  x.indices = {0, 2};
  for (const float value : {-1.0F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    x.values = {1, value};
    EXPECT_THAT(writing(x), HasSubstr("item 1 is negative, infinite or not a number"));
  }
  x.values = {1, 1};
  x.indices = {2, 2};
  EXPECT_THAT(writing(x), HasSubstr("must ascend"));
  x.indices = {0, 3};
  EXPECT_THAT(writing(x), HasSubstr("must ascend"));
  EXPECT_FALSE(std::filesystem::exists(path("x.copse")));
  EXPECT_THAT(sentence([&] { write_matrix(path("x.copse.gz"), Dataset<float>{.values = x}); }),
              HasSubstr("compressed already"));
}

// Every byte that changes is noticed, and the block that it is in is named.
TEST_F(CopseFileTest, NamesTheDamagedBlock) {
  Dataset<float> dataset{.values = uneven<float>(50, 60, Kind::fractions, 4, false)};
  const auto& x = std::get<SparseMatrix<float>>(dataset.values);
  for (int j = 0; j < 60; ++j) dataset.item_names.push_back("item " + std::to_string(j));
  CopseWriter writer(path("x.copse"), {.features = 50, .item_names = true, .block_items = 20});
  writer.add<float>(x, dataset.item_names);
  writer.commit();
  const std::string good = content(path("x.copse"));
  std::vector<int> in_block(3);
  for (std::size_t place = 0; place < good.size(); ++place) {
    if (place >= 12 && place < 16) continue;  // not used
    std::string bad = good;
    bad[place] = static_cast<char>(bad[place] ^ 4);
    const std::string found = sentence([&] { read_matrix<float>(std::span<const char>(bad), "x.copse"); });
    EXPECT_NE(found, "(no error)") << place;
    for (std::size_t b = 0; b < 3; ++b) {
      const std::string name = "block " + std::to_string(b + 1);
      if (found.find(name + " of 3 (items ") != std::string::npos ||
          found.find("items of " + name) != std::string::npos)
        ++in_block[b];
    }
  }
  EXPECT_THAT(in_block, ::testing::Each(::testing::Gt(200)));

  // The blocks before a damaged one can be read.
  std::string bad = good;
  bad[good.size() / 2] = static_cast<char>(bad[good.size() / 2] ^ 1);
  put(path("bad.copse"), bad);
  const CopseFile file(path("bad.copse"));
  ItemBlock<float> block;
  file.read(0, block);
  EXPECT_THAT(sentence([&] { file.read(1, block); }), HasSubstr("block 2 of 3 (items 21 to 40) is damaged"));
  EXPECT_THAT(sentence([&] { read_matrix<float>(path("bad.copse")); }), HasSubstr("block 2 of 3"));

  for (std::size_t size = 0; size < good.size(); size += 7) {
    EXPECT_NE(sentence([&] { read_matrix<float>(std::span<const char>(good.data(), size), "x.copse"); }), "(no error)");
  }
}

// Files whose checksums are right and whose numbers are not.
TEST_F(CopseFileTest, HostileNumbersAreRefused) {
  auto x = uneven<float>(50, 60, Kind::counts, 4, false);
  for (const bool fractions : {false, true}) {
    if (fractions) x.values[0] = 0.5F;
    write_copse<float>(path("x.copse"), {.values = x});
    const std::string good = content(path("x.copse"));
    const std::size_t trailer = good.size() - 72, index = trailer - 40, data = 16, data_size = index - data;
    const auto sign = [](std::string& bytes, std::size_t from, std::size_t size, std::size_t to) {
      const std::uint64_t sum = XXH3_64bits(bytes.data() + from, size);
      std::memcpy(bytes.data() + to, &sum, 8);
    };
    Random random(7);
    int refused = 0, changed = 0;
    for (int trial = 0; trial < 20000; ++trial) {
      std::string bad = good;
      const auto place = data + 8 + static_cast<std::size_t>(random.uniform() * static_cast<double>(good.size() - 24));
      bad[place] = static_cast<char>(random.uniform() * 256);
      sign(bad, data + 8, data_size - 8, data);
      sign(bad, index, 40, trailer + 48);
      sign(bad, trailer, 56, trailer + 56);
      try {
        const auto result = read_matrix<float>(std::span<const char>(bad), "x.copse");
        const auto& found = std::get<SparseMatrix<float>>(result.dataset.values);
        ++changed;
        ASSERT_EQ(found.offsets.back(), found.nonzeros());
        for (Index j = 0; j < found.cols; ++j) {
          for (Index p = found.offsets[j]; p < found.offsets[j + 1]; ++p) {
            ASSERT_TRUE(0 <= found.indices[p] && found.indices[p] < found.rows);
            ASSERT_TRUE(p == found.offsets[j] || found.indices[p - 1] < found.indices[p]);
            ASSERT_TRUE(found.values[p] >= 0 && found.values[p] <= std::numeric_limits<float>::max());
          }
        }
      } catch (const InputError&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 1000);
    EXPECT_GT(changed, 1000);
  }
}

TEST_F(CopseFileTest, OtherVersionsGetASentence) {
  write_copse<float>(path("x.copse"), {.values = uneven<float>(5, 6, Kind::counts, 4)});
  std::string bytes = content(path("x.copse"));
  bytes[8] = 2;
  put(path("y.copse"), bytes);
  EXPECT_THAT(sentence([&] { CopseFile file(path("y.copse")); }), HasSubstr("version 2 of the .copse format"));
  put(path("z.copse"), "no such file");
  EXPECT_THAT(sentence([&] { read_matrix<float>(path("z.copse")); }), HasSubstr("this is not a .copse file"));
}

TEST_F(CopseFileTest, OpensBlocksOfFilesThatHaveThem) {
  const Dataset<float> dataset{.values = uneven<float>(50, 60, Kind::counts, 4)};
  write_matrix(path("x.copse"), dataset);
  write_matrix(path("x.mtx"), dataset);
  const auto blocks = open_blocks(path("x.copse"));
  ASSERT_NE(blocks, nullptr);
  EXPECT_EQ(blocks->items(), 60);
  EXPECT_EQ(open_blocks(path("x.mtx")), nullptr);
}

}  // namespace
}  // namespace copse
