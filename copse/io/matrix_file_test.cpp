#include "copse/io/matrix_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "copse/base/error.h"
#include "copse/base/random.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MatrixFile : public ::testing::Test {
 protected:
  MatrixFile() {
    std::string name = (std::filesystem::temp_directory_path() / "copse-io-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~MatrixFile() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  std::filesystem::path file(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  static std::string content(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
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

  std::string reading(const std::string& name) const {
    return sentence([&] { read_matrix<float>(path(name)); });
  }

  std::filesystem::path folder_;
};

// Entries of every size that T has, down to the smallest.
template <class T>
T awkward_number(Random& random) {
  const double exponent = random.uniform() * (std::numeric_limits<T>::max_exponent10 * 2 - 2);
  const double number = std::pow(10.0, exponent - std::numeric_limits<T>::max_exponent10 + 1);
  return static_cast<T>(number * (1 + random.uniform()));
}

template <class T>
Dataset<T> sparse_dataset() {
  auto x = testing::random_integer_sparse<T>(70, 90, 0.3, 4);
  Random random(5);
  for (T& value : x.values) value = awkward_number<T>(random);
  x.values[0] = std::numeric_limits<T>::denorm_min();
  x.values[1] = std::numeric_limits<T>::max();
  x.values[2] = 0;
  return {.values = std::move(x)};
}

template <class T>
Dataset<T> dense_dataset() {
  Matrix<T> x(33, 70);
  Random random(6);
  for (T& value : x.values()) value = awkward_number<T>(random);
  Dataset<T> dataset{.values = std::move(x)};
  for (int i = 0; i < 70; ++i) dataset.feature_names.push_back("feature " + std::to_string(i));
  for (int j = 0; j < 33; ++j) dataset.item_names.push_back(std::to_string(j * j));
  dataset.feature_names[3] = "with, comma and \"quotes\"";
  dataset.feature_names[4] = " b\ttab ";
  dataset.feature_names[5] = "";
  return dataset;
}

// What reads back equal in every format that keeps the kind of matrix.
template <class T>
void expect_formats_round_trip(const std::filesystem::path& folder) {
  const auto sparse = sparse_dataset<T>();
  const auto dense = dense_dataset<T>();
  for (const char* end : {"", ".gz", ".zst"}) {
    for (const char* name : {"x.mtx", "x.npz"}) {
      const auto path = folder / (std::string(name) + end);
      write_matrix(path, sparse);
      const auto result = read_matrix<T>(path);
      EXPECT_EQ(result.dataset.values, sparse.values) << path;
      EXPECT_THAT(result.notes, IsEmpty());
      const auto summary = peek_matrix(path, {});
      EXPECT_EQ(summary.features, 70);
      EXPECT_EQ(summary.items, 90);
      EXPECT_EQ(summary.nonzeros, std::get<SparseMatrix<T>>(sparse.values).nonzeros());
      EXPECT_TRUE(summary.sparse);
    }
    for (const char* name : {"y.mtx", "y.npy", "y.npz", "y.csv", "y.tsv"}) {
      const auto path = folder / (std::string(name) + end);
      write_matrix(path, dense);
      const auto result = read_matrix<T>(path);
      EXPECT_EQ(result.dataset.values, dense.values) << path;
      const bool keeps_names = name[3] == 's' || name[4] == 's' || name[4] == 'z';
      EXPECT_EQ(result.dataset.feature_names, keeps_names ? dense.feature_names : std::vector<std::string>()) << path;
      EXPECT_EQ(result.dataset.item_names, keeps_names ? dense.item_names : std::vector<std::string>()) << path;
      const auto summary = peek_matrix(path, {.items = Items::rows});
      EXPECT_EQ(summary.features, 33);
      EXPECT_EQ(summary.items, 70);
      EXPECT_FALSE(summary.sparse);
    }
  }
}

TEST_F(MatrixFile, ReadsBackTheSameBits) {
  expect_formats_round_trip<float>(folder_);
  expect_formats_round_trip<double>(folder_);
}

TEST_F(MatrixFile, WritesSparseMatricesToDenseFormats) {
  const auto sparse = sparse_dataset<double>();
  const auto expected = testing::to_dense(std::get<SparseMatrix<double>>(sparse.values));
  for (const char* name : {"x.npy", "x.csv", "x.tsv.gz"}) {
    write_matrix(path(name), sparse);
    const auto result = read_matrix<double>(path(name), {.items = Items::rows});
    EXPECT_EQ(std::get<Matrix<double>>(result.dataset.values), expected) << name;
  }
}

TEST_F(MatrixFile, TurnsItemsFromColumnsToRows) {
  const auto sparse = sparse_dataset<float>();
  for (const char* name : {"x.mtx", "x.npz"}) {
    write_matrix(path(name), sparse);
    const auto result = read_matrix<float>(path(name), {.items = Items::rows});
    EXPECT_EQ(std::get<SparseMatrix<float>>(result.dataset.values),
              transpose<float>(std::get<SparseMatrix<float>>(sparse.values)));
  }
}

TEST_F(MatrixFile, NamesOnOneSideOnlyCannotBeMisread) {
  Matrix<float> x(2, 2);
  x(0, 0) = 1;
  x(1, 0) = 2;
  // The first line of numbers looks like a numbering.
  write_matrix<float>(path("x.csv"), {.values = x, .feature_names = {"a", "b"}});
  const auto result = read_matrix<float>(path("x.csv"));
  EXPECT_EQ(std::get<Matrix<float>>(result.dataset.values), x);
  EXPECT_THAT(result.dataset.feature_names, ElementsAre("a", "b"));
  EXPECT_THAT(result.dataset.item_names, ElementsAre("1", "2"));
}

TEST_F(MatrixFile, NamesTheFileThatCannotBeRead) {
  EXPECT_THAT(reading("none.mtx"), HasSubstr("none.mtx: the file cannot be opened: No such file or directory"));
  EXPECT_THAT(sentence([&] { read_matrix<float>(folder_); }), HasSubstr("this folder is no matrix"));
  file("empty.mtx", "");
  EXPECT_THAT(reading("empty.mtx"), HasSubstr("empty.mtx: the file is empty"));
  file("text.mtx", "hello\nworld");
  EXPECT_THAT(reading("text.mtx"), HasSubstr("starts with '%%MatrixMarket', and 'hello' was found"));
  file("text.npy", "hello");
  EXPECT_THAT(reading("text.npy"), HasSubstr("text.npy: this is not a NumPy array; it starts with 'hello'"));
  file("text.npz", "hello");
  EXPECT_THAT(reading("text.npz"), HasSubstr("this is not an .npz archive"));
  file("text.md", "hello");
  EXPECT_THAT(reading("text.md"), HasSubstr("the format is not known"));
  file("none", "1,2\n3,4\n");
  EXPECT_EQ(reading("none"), "(no error)");
  file("binary.csv", std::string("\x7f"
                                 "ELF\0\0\0",
                                 7));
  EXPECT_THAT(reading("binary.csv"), HasSubstr("binary"));
  file("named.mtx", "\x93NUMPY");
  EXPECT_THAT(reading("named.mtx"), HasSubstr("named.mtx: the NumPy array is truncated"));
  if (::geteuid() != 0) {
    ::chmod(file("secret.mtx", "x").c_str(), 0);
    EXPECT_THAT(reading("secret.mtx"), HasSubstr("Permission denied"));
  }
}

TEST_F(MatrixFile, SizesOfAnArrayMustNotOverflow) {
  const std::string most = "4611686018427387904";  // 2^62
  for (const std::string& shape : {"(" + most + ", 2)", "(" + most + ", " + most + ", 0)"}) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(118, ' ');
    file("x.npy", std::string("\x93NUMPY\1\0v\0", 10) + header);
    EXPECT_THAT(reading("x.npy"), HasSubstr("the sizes in the header of the NumPy array overflow")) << shape;
    EXPECT_THAT(sentence([&] { peek_matrix(path("x.npy"), {}); }), HasSubstr("overflow")) << shape;
  }
}

// Cutting a file at any place, or changing a byte of its content, is noticed.
TEST_F(MatrixFile, NoticesTruncatedAndDamagedFiles) {
  Matrix<float> x(3, 2);
  for (float& value : x.values()) value = 1.5F;
  const Dataset<float> dense{.values = x};
  const Dataset<float> sparse{.values = testing::random_integer_sparse<float>(9, 9, 0.5, 1)};
  for (const char* name : {"x.npz", "y.npz", "y.npy", "y.npy.gz", "y.npy.zst", "x.mtx.gz", "x.mtx.zst", "x.mtx"}) {
    write_matrix(path(name), name[0] == 'x' ? sparse : dense);
    const std::string whole = content(path(name));
    const auto expected = read_matrix<float>(whole, name).dataset.values;
    EXPECT_EQ(peek_matrix(whole, name).nonzeros, peek_matrix(path(name)).nonzeros);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      // The end of the last line is no loss.
      if (std::string(name) == "x.mtx" && size + 1 == whole.size()) continue;
      const std::string part = whole.substr(0, size);
      EXPECT_THROW(read_matrix<float>(part, name), InputError) << name << " cut to " << size << " of " << whole.size();
    }
    for (std::size_t place = 0; place < whole.size(); ++place) {
      std::string changed = whole;
      changed[place] = static_cast<char>(changed[place] ^ 0x10);
      try {
        const auto values = read_matrix<float>(changed, name).dataset.values;
        const bool has_checksum = std::string(name).find('z') != std::string::npos;
        EXPECT_TRUE(values == expected || !has_checksum) << name << " changed at " << place;
      } catch (const InputError&) {
      }
    }
  }
}

TEST_F(MatrixFile, RefusesWhatTheMemoryCannotHold) {
  Matrix<float> x(1000, 1000);
  for (const char* name : {"x.npy", "x.npy.gz", "x.npz", "x.npz.zst", "x.mtx", "x.csv.gz"}) {
    write_matrix<float>(path(name), {.values = x});
    EXPECT_NO_THROW(read_matrix<float>(path(name), {.memory_limit = 40'000'000})) << name;
    EXPECT_THAT(sentence([&] { read_matrix<float>(path(name), {.memory_limit = 3'000'000}); }),
                HasSubstr("limit is 3 MB"))
        << name;
  }
}

// Bytes of this process, by their name in the system's table.
double memory(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    double kilobytes = 0;
    if (word == name && file >> kilobytes) return 1024 * kilobytes;
  }
  return -1;
}

TEST_F(MatrixFile, TakesLittleMoreMemoryThanTheMatrix) {
#ifdef COPSE_THREAD_SANITIZER
  GTEST_SKIP() << "ThreadSanitizer takes several times the memory that it watches.";
#endif
  SparseMatrix<float> x{.rows = 1000, .cols = 3000};
  x.indices.resize(3'000'000);
  x.values.resize(3'000'000);
  for (Index p = 0; p < 3'000'000; ++p) {
    x.indices[p] = static_cast<RowIndex>(p % x.rows);
    x.values[p] = static_cast<float>(p % 7 + 1);
    if (x.indices[p] == x.rows - 1) x.offsets.push_back(p + 1);
  }
  const double bytes = static_cast<double>(x.nonzeros()) * (sizeof(float) + sizeof(RowIndex));
  write_matrix<float>(path("x.npz"), {.values = x});
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
  const double before = memory("VmRSS:");
  const auto result = read_matrix<float>(path("x.npz"));
  EXPECT_LT(memory("VmHWM:") - before, 1.6 * bytes);
  EXPECT_EQ(std::get<SparseMatrix<float>>(result.dataset.values), x);
}

TEST_F(MatrixFile, NamesTheEntryThatIsNegative) {
  Matrix<float> x(2, 3);
  x(1, 2) = -1.5F;
  Dataset<float> dataset{.values = x};
  EXPECT_THAT(sentence([&] { check_nonnegative(dataset, "x"); }),
              HasSubstr("x: the entry of feature 3 and item 2 is negative, -1.5"));
  dataset.feature_names = {"a", "b", "c"};
  dataset.item_names = {"p", "q"};
  EXPECT_THAT(sentence([&] { check_nonnegative(dataset, "x"); }), HasSubstr("feature 3 (c) and item 2 (q)"));
  write_matrix(path("x.npz"), dataset);
  EXPECT_THAT(reading("x.npz"), HasSubstr("x.npz: the entry of feature 3 (c) and item 2 (q) is negative"));
  auto sparse = testing::random_integer_sparse<float>(5, 400, 0.9, 3);
  sparse.values[1000] = std::nanf("");
  const Index item = std::upper_bound(sparse.offsets.begin(), sparse.offsets.end(), 1000) - sparse.offsets.begin();
  EXPECT_THAT(sentence([&] { check_nonnegative<float>({.values = sparse}, "x"); }),
              HasSubstr("feature " + std::to_string(sparse.indices[1000] + 1) + " and item " + std::to_string(item) +
                        " is not a number (NaN)"));
  sparse.values[1000] = std::numeric_limits<float>::infinity();
  write_matrix<float>(path("y.npz"), {.values = sparse});
  EXPECT_THAT(reading("y.npz"), HasSubstr("infinite"));
}

TEST_F(MatrixFile, ReportsWhatCannotBeWritten) {
  const auto writing = [&](const std::filesystem::path& path) {
    return sentence([&] { write_matrix(path, sparse_dataset<float>()); });
  };
  EXPECT_THAT(writing(path("none/x.mtx")), HasSubstr("No such file or directory"));
  EXPECT_THAT(writing(path("x.xyz")), HasSubstr("must end in .copse, .mtx"));
  // Names that end as a format needs, and lead to a device that is always full.
  for (const char* name : {"x.mtx", "x.mtx.gz", "x.csv.zst", "x.npy", "x.npz"}) {
    std::filesystem::create_symlink("/dev/full", path(name));
    EXPECT_THAT(writing(path(name)), HasSubstr("No space left on device")) << name;
  }
}

TEST_F(MatrixFile, ReadsNamesOnePerLine) {
  std::vector<std::string> notes;
  EXPECT_THAT(read_names(file("a.txt",
                              "\xEF\xBB\xBF"
                              "one\r\ntwo words\n\nlast")),
              ElementsAre("one", "two words", "", "last"));
  EXPECT_THAT(read_names(file("b.txt", "caf\xE9\n\xE2\x82\n"), &notes),
              ElementsAre("caf\xEF\xBF\xBD", "\xEF\xBF\xBD\xEF\xBF\xBD"));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("b.txt: 2 names are not UTF-8")));
  // What only looks like UTF-8: too long a form, half a surrogate pair, more than U+10FFFF. Then the last before each.
  const std::string none = "\xEF\xBF\xBD";
  EXPECT_THAT(read_names(file("e.txt", "\xC0\xAF\n\xE0\x9F\xBF\n\xF0\x8F\xBF\xBF\n\xED\xA0\x80\n\xF4\x90\x80\x80\n")),
              ElementsAre(none + none, none + none + none, none + none + none + none, none + none + none,
                          none + none + none + none));
  const std::vector<std::string> good = {"\xC2\x80", "\xE0\xA0\x80", "\xF0\x90\x80\x80", "\xED\x9F\xBF",
                                         "\xF4\x8F\xBF\xBF"};
  std::string lines;
  for (const std::string& name : good) lines += name + "\n";
  EXPECT_EQ(read_names(file("f.txt", lines)), good);
  EXPECT_THAT(sentence([&] { read_names(file("c.txt", std::string("a\nb\0c\n", 6))); }),
              HasSubstr("c.txt, line 2: the file is binary"));
  EXPECT_THAT(sentence([&] { read_names(path("d.txt")); }),
              HasSubstr("d.txt: the file cannot be opened: No such file"));
}

}  // namespace
}  // namespace copse
