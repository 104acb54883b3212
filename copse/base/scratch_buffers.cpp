#include "copse/base/scratch_buffers.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>
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
  std::multiset<std::size_t> most_resident;                             // likewise
  std::atomic<std::size_t> least = no_size;
  std::condition_variable changed;  // buffers or askers came or went
  bool is_watched = false;
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

void let_go(const Scratch& all) {
  // The bytes stay in the file; who touches them next, fetches them.
  for (const auto& [place, bytes] : all.buffers) ::madvise(place, bytes, MADV_DONTNEED);
}

void set_least(Scratch& all) { all.least = all.askers.empty() ? no_size : all.askers.begin()->first; }

std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Keeps what is resident small as long as anybody asks for it. Who computes may touch pages: time to look again. Where
// nobody does, and nothing is left to let go of, it sleeps until somebody has computed for a while.
void watch() {
  constexpr std::chrono::milliseconds between_looks(2);
  constexpr std::chrono::nanoseconds idle = std::chrono::microseconds(200);
  Scratch& all = scratch();
  std::unique_lock lock(all.mutex);
  for (;;) {
    all.changed.wait(lock, [&] { return all.askers.empty() || !all.buffers.empty(); });
    if (all.askers.empty()) break;
    const bool is_too_much = resident_of_files() > *all.most_resident.begin();
    if (is_too_much) let_go(all);
    lock.unlock();
    const auto before = processor_time();
    std::this_thread::sleep_for(between_looks);
    if (!is_too_much && processor_time() - before < idle) {
      const timespec work{.tv_sec = 0, .tv_nsec = idle.count()};
      ::clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &work, nullptr);
    }
    lock.lock();
  }
  all.is_watched = false;
}

}  // namespace

ScratchBuffers::ScratchBuffers(const std::filesystem::path& folder, std::size_t least_bytes, std::size_t resident_bytes)
    : folder_(folder),
      least_bytes_(least_bytes),
      most_resident_(resident_of_files() + resident_bytes) {  // the program's own pages are those of files, too
  Scratch& all = scratch();
  const std::lock_guard lock(all.mutex);
  // Nobody waits for its end: it may sleep until the process computes again.
  if (!all.is_watched) std::thread(watch).detach();
  all.is_watched = true;
  all.askers.emplace(least_bytes, folder);
  all.most_resident.insert(most_resident_);
  set_least(all);
}

ScratchBuffers::~ScratchBuffers() {
  Scratch& all = scratch();
  const std::lock_guard lock(all.mutex);
  all.askers.erase(all.askers.find({least_bytes_, folder_}));
  all.most_resident.erase(all.most_resident.find(most_resident_));
  set_least(all);
  all.changed.notify_one();
}

void* allocate_scratch(std::size_t bytes) {
  Scratch& all = scratch();
  if (bytes < all.least) return nullptr;
  const std::lock_guard lock(all.mutex);
  if (all.askers.empty()) return nullptr;
  void* const place = map_new_file(all.askers.begin()->second, bytes);
  all.buffers.emplace(place, bytes);
  all.count = all.buffers.size();
  all.changed.notify_one();
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
