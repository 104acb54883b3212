#include "copse/model/record_log.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "copse/base/error.h"

namespace copse {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

class RecordLogTest : public ::testing::Test {
 protected:
  RecordLogTest() {
    std::string name = (fs::temp_directory_path() / "copse_log_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ / "log";
  }
  ~RecordLogTest() override { fs::remove_all(folder_); }

  std::vector<std::string> records(std::uint64_t fingerprint = 1) const {
    std::vector<std::string> found;
    read_records(path_, fingerprint, [&](std::int64_t, std::string record) { found.push_back(std::move(record)); });
    return found;
  }
  void write(const std::vector<std::string>& given, bool resume = false) const {
    RecordLog log(path_, 1, resume);
    for (const std::string& record : given) log.append(record);
  }
  static std::string bytes(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_, path_;
};

const std::vector<std::string> some = {"one", "", std::string("\0\1\2", 3), std::string(100000, 'x'), "12345678"};

TEST_F(RecordLogTest, GivesBackWhatWasAppendedInItsOrderAndByItsPlace) {
  EXPECT_THAT(records(), IsEmpty());
  std::vector<std::int64_t> places;
  {
    RecordLog log(path_, 1, false);
    for (const std::string& record : some) places.push_back(log.append(record));
    for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(log.read(places[i]), some[i]);
    EXPECT_EQ(log.read(places[1] + 1), std::nullopt);
  }
  EXPECT_THAT(records(), ElementsAreArray(some));
  std::vector<std::int64_t> found;
  {
    RecordLog log(path_, 1, true, [&](std::int64_t place, const std::string&) { found.push_back(place); });
    EXPECT_EQ(found, places);
    log.append("more");
  }
  EXPECT_EQ(records().back(), "more");
  write({"anew"});
  EXPECT_THAT(records(), ElementsAre("anew"));
}

TEST_F(RecordLogTest, CutAnywhereItHasTheRecordsBeforeTheCutAndGoesOnThere) {
  write({"first", "second record", "third"});
  const std::string whole = bytes(path_);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, size);
    const auto before = records();
    EXPECT_LE(before.size(), 3u);
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(before[i], (std::vector<std::string>{"first", "second record", "third"}[i]));
    EXPECT_EQ(before.size() == 3, size == whole.size());
    write({"next"}, true);
    auto expected = before;
    expected.emplace_back("next");
    EXPECT_THAT(records(), ElementsAreArray(expected)) << "cut to " << size;
  }
}

TEST_F(RecordLogTest, AChangedByteEndsItBeforeTheRecord) {
  write(some);
  const std::string whole = bytes(path_);
  std::mt19937 random(1);
  for (int turn = 0; turn < 300; ++turn) {
    std::string bad = whole;
    // Behind the first 16 bytes, which say what the file is. The long record is hit most: begin before it half the
    // time.
    const std::size_t at = 16 + random() % (turn % 2 == 0 ? 60 : bad.size() - 16);
    bad[at] = static_cast<char>(bad[at] ^ (1 + random() % 255));
    std::ofstream(path_, std::ios::binary) << bad;
    const auto found = records();
    ASSERT_LT(found.size(), some.size()) << "byte " << at;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], some[i]);
  }
}

TEST_F(RecordLogTest, RefusesThatOfAnotherRun) {
  write({"one"});
  EXPECT_THROW(records(2), InputError);
  EXPECT_THROW(RecordLog(path_, 2, true), InputError);
  std::ofstream(path_) << "a text of the user that is long enough";
  EXPECT_THROW(RecordLog(path_, 1, true), InputError);
  EXPECT_EQ(bytes(path_), "a text of the user that is long enough");
}

TEST_F(RecordLogTest, NeverFollowsALinkAndWaitsForNoPipe) {
  const fs::path mine = folder_ / "mine";
  for (const bool resume : {false, true}) {
    for (const std::string& words : {std::string("short"), std::string(200, 'm')}) {
      std::ofstream(mine) << words;
      fs::remove(path_);
      fs::create_symlink(mine, path_);
      EXPECT_THAT(records(), IsEmpty());
      write({"one"}, resume);
      EXPECT_FALSE(fs::is_symlink(path_));
      EXPECT_EQ(bytes(mine), words);
    }
    std::ofstream(mine) << "short";
    fs::remove(path_);
    fs::create_hard_link(mine, path_);
    write({"one"}, resume);
    EXPECT_EQ(bytes(mine), "short");
    fs::remove(path_);
    ASSERT_EQ(::mkfifo(path_.c_str(), 0666), 0);
    EXPECT_THAT(records(), IsEmpty());
    write({"one"}, resume);
    EXPECT_THAT(records(), ElementsAre("one"));
  }
}

TEST_F(RecordLogTest, HasOneWriter) {
  RecordLog log(path_, 1, false);
  log.append("one");
  EXPECT_THROW(RecordLog(path_, 1, false), OutputError);
  EXPECT_THROW(RecordLog(path_, 1, true), OutputError);
  EXPECT_FALSE(remove_records(path_));
  log.append("two");
  EXPECT_THAT(records(), ElementsAre("one", "two"));
}

TEST_F(RecordLogTest, IsRemovedWhenNobodyWritesIt) {
  write({"one"});
  EXPECT_TRUE(remove_records(path_));
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_FALSE(remove_records(path_));
}

TEST_F(RecordLogTest, SaysWhereItCannotBeWritten) {
  EXPECT_THROW(RecordLog(folder_ / "nowhere" / "log", 1, false), OutputError);
  fs::create_directory(path_);
  EXPECT_THROW(RecordLog(path_, 1, true), OutputError);
}

}  // namespace
}  // namespace copse
