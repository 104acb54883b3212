#include "copse/base/scratch_buffers.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "copse/base/error.h"

namespace copse {
namespace {

constexpr std::size_t no_size = std::numeric_limits<std::size_t>::max();

// All scratch buffers of the process, and what becomes one.
struct Scratch {
  std::mutex mutex;
  std::map<void*, std::size_t> buffers;
  std::atomic<std::size_t> count = 0;
  std::multiset<std::pair<std::size_t, std::filesystem::path>> askers;  // the least sizes, each with its folder
  std::atomic<std::size_t> least = no_size;
};

// Never destroyed: buffers may be freed after everything else.
Scratch& scratch() {
  static Scratch* const all = new Scratch;
  return *all;
}

[[noreturn]] void fail(const std::filesystem::path& folder, std::size_t bytes, int error) {
  throw OutputError(folder.string() + ": no scratch file of " + std::to_string(bytes >> 20) +
                    " MB can be made there: " + std::generic_category().message(error) + ".");
}

// Its bytes are on the disk's account from the beginning: a disk that fills up later must not break a write to memory.
void* map_new_file(const std::filesystem::path& folder, std::size_t bytes) {
  std::string path = (folder / ".copse-array-XXXXXX").string();
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) fail(folder, bytes, errno);
  ::unlink(path.c_str());
  const int full = ::posix_fallocate(file, 0, static_cast<::off_t>(bytes));
  void* const place = full == 0 ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  const int error = full != 0 ? full : errno;
  ::close(file);
  if (place == MAP_FAILED) fail(folder, bytes, error);
  return place;
}

// What this process has in memory of files that it maps, in bytes. 0 where that is not known: nothing is let go of
// then, and the system takes pages back when it needs them.
std::size_t resident_of_files() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long size = 0, resident = 0, shared = 0;
  const bool known = std::fscanf(file, "%lu %lu %lu", &size, &resident, &shared) == 3;
  std::fclose(file);
  return known ? shared * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void let_go() {
  Scratch& all = scratch();
  const std::lock_guard lock(all.mutex);
  // The bytes stay in the file; who touches them next, fetches them.
  for (const auto& [place, bytes] : all.buffers) ::madvise(place, bytes, MADV_DONTNEED);
}

void set_least(Scratch& all) { all.least = all.askers.empty() ? no_size : all.askers.begin()->first; }

}  // namespace

ScratchBuffers::ScratchBuffers(const std::filesystem::path& folder, std::size_t least_bytes, std::size_t resident_bytes)
    : least_bytes_(least_bytes), folder_(folder) {
  // The program's own pages are those of files, too.
  watcher_ = std::thread([this, most = resident_of_files() + resident_bytes] { watch(most); });
  Scratch& all = scratch();
  const std::lock_guard lock(all.mutex);
  all.askers.emplace(least_bytes, folder);
  set_least(all);
}

ScratchBuffers::~ScratchBuffers() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_one();
  watcher_.join();
  Scratch& all = scratch();
  const std::lock_guard lock(all.mutex);
  all.askers.erase(all.askers.find({least_bytes_, folder_}));
  set_least(all);
}

void ScratchBuffers::watch(std::size_t most) {
  constexpr std::chrono::milliseconds between_looks(2);
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, between_looks, [&] { return is_over_; })) {
    if (scratch().count > 0 && resident_of_files() > most) let_go();
  }
}

void* allocate_scratch(std::size_t bytes) {
  Scratch& all = scratch();
  if (bytes < all.least) return nullptr;
  const std::lock_guard lock(all.mutex);
  if (all.askers.empty()) return nullptr;
  void* const place = map_new_file(all.askers.begin()->second, bytes);
  all.buffers.emplace(place, bytes);
  all.count = all.buffers.size();
  return place;
}

bool free_scratch(void* pointer) noexcept {
  Scratch& all = scratch();
  if (all.count == 0) return false;
  const std::lock_guard lock(all.mutex);
  const auto found = all.buffers.find(pointer);
  if (found == all.buffers.end()) return false;
  ::munmap(pointer, found->second);
  all.buffers.erase(found);
  all.count = all.buffers.size();
  return true;
}

}  // namespace copse
