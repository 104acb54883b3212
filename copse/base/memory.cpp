#include "copse/base/memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace copse {
namespace {

namespace fs = std::filesystem;

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The number after NAME in a file of lines "NAME 123" or "NAME: 123 kB".
double number_after(const fs::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) return std::strtod(line.c_str() + name.size(), nullptr);
  }
  return unlimited;
}

// A file that holds one number, or a word in its place.
double number_in(const fs::path& path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : unlimited;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool has(const std::string& list, const std::string& word) {
  const std::vector<std::string> words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

// One of the two kinds of control groups, as their files are called (cgroups(7)).
struct GroupFiles {
  const char* type;
  const char* limit;
  const char* usage;
  const char* reclaimable;  // in memory.stat: file pages that the system takes back when it needs them
};
constexpr GroupFiles version1 = {"cgroup", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
constexpr GroupFiles version2 = {"cgroup2", "memory.max", "memory.current", "inactive_file "};

double left_in(const fs::path& group, const GroupFiles& files) {
  const double limit = number_in(group / files.limit);
  if (limit >= 0x1p60) return unlimited;  // version 1 has no word for it
  const double used = number_in(group / files.usage),
               reclaimable = number_after(group / "memory.stat", files.reclaimable);
  return limit - (used < unlimited ? used : 0) + (reclaimable < unlimited ? reclaimable : 0);
}

// The group of this process that counts memory, and those above it, each of which limits what is below.
double left_in_groups(const fs::path& root, const GroupFiles& files) {
  const bool old = std::string_view(files.type) == version1.type;
  std::string group;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (old ? has(controllers, "memory") : controllers.empty()) group = line.substr(second + 1);
  }
  if (group.empty()) return unlimited;
  // proc(5): number, parent, device, the group that is mounted, where it is; options; " - ", type, source, more
  // options.
  std::ifstream mounts(root / "proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> before = split(line.substr(0, dash), ' '), after = split(line.substr(dash + 3), ' ');
    if (before.size() < 5 || after.size() < 3 || after[0] != files.type || (old && !has(after[2], "memory"))) continue;
    const fs::path top = root / fs::path(before[4]).relative_path();
    // Seen from inside a namespace, a group may lie outside of what is mounted: the mounted one is then the nearest.
    const fs::path below = fs::path(group).lexically_relative(before[3]);
    fs::path place = below.empty() || *below.begin() == ".." ? top : (top / below).lexically_normal();
    double left = left_in(top, files);
    for (; place != top && place.native().size() > top.native().size(); place = place.parent_path())
      left = std::min(left, left_in(place, files));
    return left;
  }
  return unlimited;
}

}  // namespace

double available_memory(const fs::path& root) {
  double available = number_after(root / "proc/meminfo", "MemAvailable:") * 1024;
  for (const GroupFiles& files : {version1, version2}) available = std::min(available, left_in_groups(root, files));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    available = std::min(available, static_cast<double>(limit.rlim_cur));
  return std::max(available, 0.0);
}

double resident_memory() {
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void give_back_memory() { ::malloc_trim(0); }

Index peak_memory() {
  // getrusage() would count what the program that started this one took before.
  const double peak = number_after("/proc/self/status", "VmHWM:") * 1024;
  if (peak < unlimited) return static_cast<Index>(peak);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

}  // namespace copse
