#include "copse/base/memory.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <vector>

namespace copse {
namespace {

namespace fs = std::filesystem;

// A folder that looks like the root of a machine with 8 GB to spare.
class FakeRoot : public ::testing::Test {
 protected:
  FakeRoot() {
    fs::remove_all(root_);
    write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n");
  }
  ~FakeRoot() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  double available() const { return available_memory(root_); }

  fs::path root_ = fs::temp_directory_path() / ("copse-memory-" + std::to_string(::getpid()));
};

TEST_F(FakeRoot, IsTheMachineWithoutControlGroups) { EXPECT_EQ(available(), 8e6 * 1024); }

TEST_F(FakeRoot, NestedGroupsOfVersion2EachLimit) {
  write("proc/self/cgroup", "0::/user.slice/job/step\n");
  write(
      "proc/self/mountinfo",
      "22 21 0:20 / /proc rw - proc proc rw\n30 21 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
  const auto group = [&](const std::string& path, const char* limit, const char* used) {
    write("sys/fs/cgroup/" + path + "memory.max", limit);
    write("sys/fs/cgroup/" + path + "memory.current", used);
  };
  group("user.slice/job/step/", "max\n", "1000\n");
  EXPECT_EQ(available(), 8e6 * 1024);
  group("user.slice/job/", "500000000\n", "100000000\n");
  EXPECT_EQ(available(), 4e8);
  group("user.slice/job/step/", "300000000\n", "50000000\n");
  EXPECT_EQ(available(), 2.5e8);
  group("user.slice/", "100000000\n", "60000000\n");
  EXPECT_EQ(available(), 4e7);
  group("other/", "1\n", "1\n");  // not ours
  EXPECT_EQ(available(), 4e7);
  // Pages of files can be taken back.
  write("sys/fs/cgroup/user.slice/memory.stat", "anon 1\nfile 2\ninactive_file 20000000\nactive_file 4\n");
  EXPECT_EQ(available(), 6e7);
  group("user.slice/", "100000000\n", "190000000\n");
  EXPECT_EQ(available(), 0);
}

TEST_F(FakeRoot, AGroupNamespaceShowsItsOwnGroupAsTheRoot) {
  write("proc/self/cgroup", "0::/\n");
  write("proc/self/mountinfo", "30 21 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  write("sys/fs/cgroup/memory.max", "700000000\n");
  write("sys/fs/cgroup/memory.current", "200000000\n");
  EXPECT_EQ(available(), 5e8);
}

TEST_F(FakeRoot, GroupsOfVersion1) {
  write("proc/self/cgroup", "7:cpu,cpuacct:/x\n4:memory:/docker/abc/job\n1:name=systemd:/y\n0::/\n");
  // A container has its own group mounted, under the name that it has outside.
  for (const std::string mounted : {"/", "/docker/abc"}) {
    fs::remove_all(root_ / "sys");
    write("proc/self/mountinfo",
          "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n32 31 0:30 / /sys/fs/cgroup/cpu rw - "
          "cgroup cgroup rw,cpu\n35 31 0:32 " +
              mounted + " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    const std::string below = mounted == "/" ? "docker/abc/" : "";
    const auto group = [&](const std::string& path, const char* limit, const char* used) {
      write("sys/fs/cgroup/memory/" + path + "memory.limit_in_bytes", limit);
      write("sys/fs/cgroup/memory/" + path + "memory.usage_in_bytes", used);
    };
    group("", "9223372036854771712\n", "5\n");  // no limit
    EXPECT_EQ(available(), 8e6 * 1024);
    group(below + "job/", "600000000\n", "100000000\n");
    EXPECT_EQ(available(), 5e8);
    group(below, "400000000\n", "100000000\n");
    EXPECT_EQ(available(), 3e8);
    write("sys/fs/cgroup/memory/" + below + "memory.stat", "inactive_file 7\ntotal_inactive_file 50000000\n");
    EXPECT_EQ(available(), 3.5e8);
  }
}

TEST_F(FakeRoot, AGroupOutsideOfWhatIsMountedLeavesTheMountedOne) {
  write("proc/self/cgroup", "4:memory:/elsewhere/job\n");
  write("proc/self/mountinfo", "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "600000000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "200000000\n");
  EXPECT_EQ(available(), 4e8);
}

TEST(Memory, OfThisProcess) {
  const double before = resident_memory();
  EXPECT_GT(before, 1e6);
  const std::vector<char> touched(50'000'000, 1);
  EXPECT_GT(resident_memory() - before, 4e7);
  EXPECT_GE(static_cast<double>(peak_memory()), resident_memory() - 1e6);
  EXPECT_GT(available_memory(), 0);
  EXPECT_EQ(touched.back(), 1);
}

}  // namespace
}  // namespace copse
