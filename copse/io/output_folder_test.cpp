#include "copse/io/output_folder.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "copse/base/error.h"

namespace copse {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class OutputTest : public ::testing::Test {
 protected:
  OutputTest() {
    std::string name = (fs::temp_directory_path() / "copse_output_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~OutputTest() override { fs::remove_all(folder_); }

  static std::string contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::vector<std::string> names(const fs::path& path) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path)) found.push_back(entry.path().filename().string());
    return found;
  }
  static void touch(const fs::path& path) { std::ofstream(path) << "old"; }
  static std::string refusal(const fs::path& path, bool replace) {
    try {
      const OutputFolder folder(path, replace);
    } catch (const OutputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

using OutputFileTest = OutputTest;
using OutputFolderTest = OutputTest;

TEST_F(OutputFileTest, AppearsOnlyWhenCommitted) {
  const std::string text(3 << 20, 'x');  // more than one buffer
  {
    OutputFile file(folder_ / "a");
    file.write("begin");
    file.write(text);
    file.finish();
    EXPECT_FALSE(fs::exists(folder_ / "a"));
    file.commit();
  }
  EXPECT_EQ(contents(folder_ / "a"), "begin" + text);
  EXPECT_THAT(names(folder_), UnorderedElementsAre("a"));
}

TEST_F(OutputFileTest, LeavesTheOldFileAndNothingElseWithoutCommit) {
  touch(folder_ / "a");
  {
    OutputFile file(folder_ / "a");
    file.write("new");
  }
  EXPECT_EQ(contents(folder_ / "a"), "old");
  EXPECT_THAT(names(folder_), UnorderedElementsAre("a"));
}

TEST_F(OutputFileTest, ReplacesTheFileBehindALink) {
  touch(folder_ / "target");
  fs::create_symlink("target", folder_ / "link");
  OutputFile file(folder_ / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(contents(folder_ / "target"), "new");
}

TEST_F(OutputFileTest, AFullDeviceIsAnError) {
  OutputFile file("/dev/full");
  file.write("x");
  try {
    file.commit();
    FAIL();
  } catch (const OutputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/dev/full: No space left on device"));
  }
}

TEST_F(OutputFileTest, AFileThatCannotGrowLeavesNothing) {
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ::getrlimit(RLIMIT_FSIZE, &old_limit);
  rlimit limit = old_limit;
  limit.rlim_cur = 1 << 16;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_THROW(
      {
        OutputFile file(folder_ / "a");
        file.write(std::string(1 << 18, 'x'));
        file.commit();
      },
      OutputError);
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputFileTest, CanBeReadBeforeItHasItsName) {
  OutputFile file(folder_ / "a");
  file.write("all of it");
  file.finish();
  EXPECT_NE(file.place(), file.path());
  EXPECT_EQ(contents(file.place()), "all of it");
  file.commit();
  EXPECT_EQ(file.place(), folder_ / "a");
  EXPECT_EQ(contents(file.place()), "all of it");
}

TEST_F(OutputFileTest, NamesAFolderThatDoesNotExist) {
  EXPECT_THROW(OutputFile(folder_ / "missing" / "a"), OutputError);
  EXPECT_THROW(OutputFile{folder_}, OutputError);
}

TEST_F(OutputFolderTest, CreatesTheFolderAndItsParents) {
  OutputFolder folder(folder_ / "a" / "b", false);
  folder.add("result.json").write("{}");
  folder.add("topics.tsv").write("t");
  EXPECT_FALSE(fs::exists(folder_ / "a" / "b" / "topics.tsv"));
  folder.commit();
  EXPECT_THAT(names(folder_ / "a" / "b"), UnorderedElementsAre("result.json", "topics.tsv"));
}

TEST_F(OutputFolderTest, LeavesNothingWithoutCommit) {
  { OutputFolder(folder_ / "a", false).add("topics.tsv").write("t"); }
  EXPECT_TRUE(fs::is_empty(folder_));
  { OutputFolder(folder_, false).add("topics.tsv").write("t"); }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputFolderTest, AnEarlierResultIsReplacedOnlyWhenAsked) {
  for (const char* name : {"result.json", "tree.json", "topics.tsv"}) touch(folder_ / name);
  EXPECT_THAT(refusal(folder_, false), HasSubstr("it holds an earlier result"));
  { OutputFolder(folder_, true).add("topics.tsv").write("new"); }
  EXPECT_EQ(contents(folder_ / "topics.tsv"), "old");
  OutputFolder folder(folder_, true);
  folder.add("result.json").write("{}");
  folder.add("topics.tsv").write("new");
  folder.commit();
  EXPECT_EQ(contents(folder_ / "topics.tsv"), "new");
  EXPECT_THAT(names(folder_), UnorderedElementsAre("result.json", "topics.tsv"));  // the tree was of the old one
}

TEST_F(OutputFolderTest, AFileThatIsKeptStaysAsItWas) {
  for (const char* name : {"result.json", "tree.json", "demo-documents.jsonl"}) touch(folder_ / name);
  OutputFolder folder(folder_, true);
  folder.add("result.json").write("{}");
  folder.keep("demo-documents.jsonl");
  folder.keep("topics.tsv");  // there was none
  folder.commit();
  EXPECT_THAT(names(folder_), UnorderedElementsAre("result.json", "demo-documents.jsonl"));
  EXPECT_EQ(contents(folder_ / "demo-documents.jsonl"), "old");
}

TEST_F(OutputFolderTest, FilesOfOthersAreNeverTouched) {
  touch(folder_ / "result.json");
  touch(folder_ / "thesis.tex");
  EXPECT_THAT(refusal(folder_, true), HasSubstr("it holds thesis.tex"));
  EXPECT_THAT(refusal(folder_ / "thesis.tex", true), HasSubstr("it is a file"));
  EXPECT_THAT(names(folder_), UnorderedElementsAre("result.json", "thesis.tex"));
}

TEST_F(OutputFolderTest, WhatAKilledRunLeftIsRemoved) {
  touch(folder_ / ".model.safetensors.partial-17");
  const OutputFolder folder(folder_, false);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputFolderTest, TwoRunsDoNotShareAFolder) {
  const OutputFolder first(folder_, false);
  EXPECT_THAT(refusal(folder_, false), HasSubstr("another run is writing there"));
}

TEST_F(OutputFolderTest, AFolderThatCannotBeWrittenIsFoundAtOnce) {
  EXPECT_NE(refusal("/proc/copse", false), "");
  EXPECT_NE(refusal("/dev/full", false), "");
}

}  // namespace
}  // namespace copse
