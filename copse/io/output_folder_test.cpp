#include "copse/io/output_folder.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
  static ino_t inode(const fs::path& path) {
    struct stat status {};
    ::lstat(path.c_str(), &status);
    return status.st_ino;
  }
  static void commit_new(const fs::path& path) {
    OutputFolder folder(path, true);
    folder.add("result.json").write("{}");
    folder.add("topics.tsv").write("new");
    folder.commit();
  }
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

TEST_F(OutputFileTest, ReplacesTheLinkItselfWhenAsked) {
  touch(folder_ / "target");
  fs::create_symlink("target", folder_ / "link");
  OutputFile file(folder_ / "link", OutputLinks::replace);
  file.write("new");
  file.commit();
  EXPECT_FALSE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(contents(folder_ / "link"), "new");
  EXPECT_EQ(contents(folder_ / "target"), "old");
}

TEST_F(OutputFileTest, TakesAwayWhatAKilledRunLeftOfTheSameFile) {
  for (const char* name : {".a.partial-17", ".a.partial-99-2", ".ab.partial-17", ".a.partial-mine"})
    touch(folder_ / name);
  OutputFile first(folder_ / "a");
  const OutputFile second(folder_ / "a");  // the first is at work, not left behind
  EXPECT_EQ(names(folder_).size(), 4U);
  first.commit();
  EXPECT_TRUE(fs::exists(folder_ / ".ab.partial-17") && fs::exists(folder_ / ".a.partial-mine"));
  EXPECT_TRUE(fs::exists(folder_ / "a") && fs::exists(second.place()));
}

TEST_F(OutputFileTest, DoesNotReplaceWhatIsRead) {
  touch(folder_ / "a");
  fs::create_symlink("a", folder_ / "link");
  const std::string inputs[] = {"", "-", (folder_ / "a").string(), (folder_ / "missing").string()};
  EXPECT_THROW(refuse_inputs(folder_ / "link", inputs), OutputError);
  EXPECT_NO_THROW(refuse_inputs(folder_ / "b", inputs));
  EXPECT_NO_THROW(refuse_inputs("-", inputs));
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

// A folder among them cannot be linked, so that the files move one by one behind a journal.
TEST_F(OutputFolderTest, FilesBesideAResultStay) {
  for (const bool journal : {false, true}) {
    const fs::path place = folder_ / (journal ? "journal" : "exchange");
    fs::create_directory(place);
    for (const char* name : {"result.json", "topics.tsv", "tree.json", "notes.txt"}) touch(place / name);
    fs::create_symlink("nowhere", place / "my-link");
    if (journal) {
      fs::create_directory(place / "plots");
      touch(place / "plots" / "a.png");
    }
    const auto before = inode(place), notes = inode(place / "notes.txt");
    commit_new(place);
    EXPECT_EQ(contents(place / "result.json"), "{}");
    EXPECT_EQ(contents(place / "topics.tsv"), "new");
    EXPECT_EQ(contents(place / "notes.txt"), "old");
    EXPECT_TRUE(fs::is_symlink(place / "my-link"));
    EXPECT_EQ(names(place).size(), journal ? 5U : 4U);
    EXPECT_EQ(fs::exists(place / "plots" / "a.png"), journal);
    // For whoever is in the folder it is the same one.
    EXPECT_EQ(inode(place), before);
    EXPECT_EQ(inode(place / "notes.txt"), notes);
  }
  EXPECT_THAT(names(folder_), UnorderedElementsAre("journal", "exchange"));
}

TEST_F(OutputFolderTest, LinksAreReplacedAndNotFollowed) {
  const fs::path place = folder_ / "out";
  fs::create_directory(place);
  for (const char* name : {"out/result.json", "mine", "tree"}) touch(folder_ / name);
  fs::create_symlink("../mine", place / "topics.tsv");
  fs::create_symlink("../tree", place / "tree.json");
  fs::create_symlink("out", folder_ / "link-to-out");
  {
    OutputFolder folder(folder_ / "link-to-out", true);
    folder.add("result.json").write("{}");
    folder.add("topics.tsv").write("new");
    folder.commit();
    EXPECT_EQ(folder.notes().size(), 2U);
    EXPECT_THAT(folder.notes().front(), HasSubstr("was a link"));
  }
  EXPECT_FALSE(fs::is_symlink(place / "topics.tsv"));
  EXPECT_EQ(contents(place / "topics.tsv"), "new");
  EXPECT_EQ(contents(folder_ / "mine"), "old");
  EXPECT_EQ(contents(folder_ / "tree"), "old");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link-to-out"));
  EXPECT_THAT(names(place), UnorderedElementsAre("result.json", "topics.tsv"));
  fs::create_symlink("nowhere", folder_ / "dangling");
  EXPECT_THAT(refusal(folder_ / "dangling", true), HasSubstr("a link that leads nowhere"));
  fs::create_directory(folder_ / "odd");
  fs::create_directory(folder_ / "odd" / "tree.json");
  EXPECT_THAT(refusal(folder_ / "odd", true), HasSubstr("tree.json in it is a folder"));
}

TEST_F(OutputFolderTest, WhatAKilledRunLeftIsRemoved) {
  const fs::path place = folder_ / "out", beside = folder_ / ".out.partial-result";
  fs::create_directories(place / ".partial-result");
  fs::create_directories(beside / ".partial-result");
  for (const fs::path& folder : {place, beside}) {
    touch(folder / ".partial-result" / "topics.tsv");
    touch(folder / ".partial-result" / "files");
  }
  touch(place / ".model.safetensors.partial-17");
  touch(beside / "result.json");
  touch(beside / "saved-meanwhile.txt");
  touch(place / "notes.txt");
  fs::create_hard_link(place / "notes.txt", beside / "notes.txt");
  for (const char* name : {"result.json", "topics.tsv"}) touch(place / name);
  { const OutputFolder folder(place, true); }
  EXPECT_THAT(names(place), UnorderedElementsAre("result.json", "topics.tsv", "notes.txt", "saved-meanwhile.txt"));
  EXPECT_THAT(names(folder_), UnorderedElementsAre("out"));
}

TEST_F(OutputFolderTest, TheNextRunFinishesACommitThatWasKilled) {
  for (const bool by_a_writer : {false, true}) {
    const fs::path place = folder_ / (by_a_writer ? "a" : "b"), complete = place / ".complete-result";
    fs::create_directories(complete);
    for (const char* name : {"result.json", "topics.tsv", "tree.json", "demo-documents.jsonl", "notes.txt"})
      touch(place / name);
    std::ofstream(complete / "files") << "topics.tsv\ndemo-documents.jsonl\nresult.json\n";
    std::ofstream(complete / "result.json") << "new";
    // topics.tsv was moved before the kill.
    EXPECT_EQ(place_in_result(place, "result.json"), complete / "result.json");
    EXPECT_EQ(place_in_result(place, "topics.tsv"), place / "topics.tsv");
    if (by_a_writer) {
      const OutputFolder folder(place, true);
    } else {
      finish_commit(place);
    }
    EXPECT_EQ(contents(place / "result.json"), "new");
    EXPECT_THAT(names(place), UnorderedElementsAre("result.json", "topics.tsv", "demo-documents.jsonl", "notes.txt"));
  }
}

// Nothing outside the folder, and nothing that is no part of a result, is moved by what a list says.
TEST_F(OutputFolderTest, AJournalFromElsewhereMovesNothingElse) {
  for (const char* list : {"../mine\nresult.json\n", "notes.txt\nresult.json\n", "topics.tsv\n", ""}) {
    const fs::path place = folder_ / "out", complete = place / ".complete-result";
    fs::remove_all(place);
    fs::create_directories(complete);
    for (const fs::path& path : {folder_ / "mine", place / "notes.txt", place / "result.json", place / "topics.tsv"})
      touch(path);
    for (const char* name : {"result.json", "notes.txt"}) std::ofstream(complete / name) << "theirs";
    std::ofstream(complete / "files") << list;
    finish_commit(place);
    EXPECT_EQ(place_in_result(place, "result.json"), place / "result.json");
    EXPECT_EQ(contents(place / "result.json"), "old") << list;
    EXPECT_EQ(contents(place / "notes.txt"), "old") << list;
    EXPECT_EQ(contents(folder_ / "mine"), "old") << list;
  }
  fs::remove_all(folder_ / "out");
  fs::create_directory(folder_ / "out");
  fs::create_directory(folder_ / "elsewhere");
  for (const char* name : {"out/result.json", "elsewhere/result.json", "elsewhere/files"}) touch(folder_ / name);
  std::ofstream(folder_ / "elsewhere" / "files") << "result.json\n";
  fs::create_symlink("../elsewhere", folder_ / "out" / ".complete-result");
  finish_commit(folder_ / "out");
  EXPECT_TRUE(fs::exists(folder_ / "elsewhere" / "result.json"));
}

TEST_F(OutputFolderTest, PartsOfAResultAreNotWrittenOver) {
  fs::create_directory(folder_ / "out");
  touch(folder_ / "out" / "model.safetensors");
  fs::create_symlink("out/model.safetensors", folder_ / "link");
  for (const char* name : {"out/model.safetensors", "out/topics.tsv", "out/../out/result.json", "link"})
    EXPECT_THROW(refuse_parts_of_result(folder_ / name, folder_ / "out"), OutputError) << name;
  for (const char* name : {"out/new.tsv", "topics.tsv"})
    EXPECT_NO_THROW(refuse_parts_of_result(folder_ / name, folder_ / "out")) << name;
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
