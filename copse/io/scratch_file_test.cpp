#include "copse/io/scratch_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "copse/base/error.h"

namespace copse {
namespace {

TEST(ScratchFile, GivesBackWhatItWasGivenAndHasNoName) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / scratch_path("test").filename();
  std::filesystem::create_directory(folder);
  ::setenv("TMPDIR", folder.c_str(), 1);
  {
    ScratchFile file;
    const std::string first = "one", second(100000, 'x');
    EXPECT_EQ(file.append(first), 0u);
    EXPECT_EQ(file.append({}), 3u);
    EXPECT_EQ(file.append(second), 3u);
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    std::string found(second.size(), ' ');
    file.read(3, found);
    EXPECT_EQ(found, second);
    found.resize(3);
    file.read(0, found);
    EXPECT_EQ(found, first);
    std::string more(10, ' ');
    EXPECT_THROW(file.read(100000, more), InputError);  // past the end
  }
  std::filesystem::remove_all(folder);
  EXPECT_THROW(ScratchFile(), OutputError);
  ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace copse
