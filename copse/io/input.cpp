#include "copse/io/input.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>

#include "copse/base/buffer.h"
#include "copse/base/memory.h"
#include "copse/base/parallel.h"
#include "copse/io/descriptor.h"

namespace copse {
namespace {

struct Mapping {
  Mapping(void* address, std::size_t size) : address(address), size(size) {}
  ~Mapping() { ::munmap(address, size); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void* address;
  std::size_t size;
};

// Bytes that grow without a second copy: the system moves the pages of a large block.
class GrowingBytes {
 public:
  GrowingBytes() = default;
  ~GrowingBytes() { std::free(bytes_); }
  GrowingBytes(const GrowingBytes&) = delete;
  GrowingBytes& operator=(const GrowingBytes&) = delete;

  std::size_t size() const { return used_; }
  std::span<const char> bytes() const { return {bytes_, used_}; }

  // Room behind the bytes, of which `count` are then in use.
  std::span<char> room() {
    if (used_ == size_) {
      size_ = std::max<std::size_t>(1 << 20, size_ + size_ / 2);
      void* const moved = std::realloc(bytes_, size_);
      if (moved == nullptr) throw std::bad_alloc();
      bytes_ = static_cast<char*>(moved);
    }
    return {bytes_ + used_, std::min<std::size_t>(size_ - used_, 1 << 20)};
  }
  void use(std::size_t count) { used_ += count; }

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

// Waits for bytes, or for somebody who stops the work.
void wait_for(const Descriptor& file) {
  pollfd waiting{.fd = file.number(), .events = POLLIN, .revents = 0};
  while (::poll(&waiting, 1, -1) < 0 && errno == EINTR) check_cancelled();
  check_cancelled();
}

std::string with_unit(double bytes) {
  const char* unit = bytes >= 1e9 ? "GB" : "MB";
  char text[64];
  std::snprintf(text, sizeof text, "%.3g %s", bytes / (bytes >= 1e9 ? 1e9 : 1e6), unit);
  return text;
}

// Files are mapped as a whole: memory is taken for what is read of them, but numbers of addresses for all.
void check_addresses(std::size_t size, const std::string& name) {
  rlimit addresses{};
  if (errno != ENOMEM || ::getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur == RLIM_INFINITY) return;
  fail(name, "it has " + with_unit(static_cast<double>(size)) + ", and this process may have addresses for " +
                 with_unit(static_cast<double>(addresses.rlim_cur)) +
                 " only (ulimit -v). A file is mapped as a whole, whatever is read of it: limit memory by "
                 "`memory_limit`, or by a cgroup, instead.");
}

// Pipes, devices, and file systems that cannot be mapped.
std::shared_ptr<const GrowingBytes> read_all(const Descriptor& file, const std::string& name, std::size_t limit,
                                             const Input::Look& look) {
  const auto all = std::make_shared<GrowingBytes>();
  constexpr std::size_t beginning = 4096;
  const double before = resident_memory(), allowed = static_cast<double>(effective_limit(limit));
  for (bool ended = false, seen = !look; !ended;) {
    wait_for(file);
    const std::size_t count = read_some(file, all->room(), name);
    all->use(count);
    ended = count == 0;
    if (!seen && (ended || all->size() >= beginning)) {
      if (all->size() > 0) look(Input(all->bytes(), name));
      seen = true;
    }
    if (before + static_cast<double>(all->size()) > allowed)
      fail(name, "it holds more than the memory allows, " + with_unit(allowed) + ", and there may be more.");
  }
  return all;
}

}  // namespace

void check_shape(Index features, Index items, const std::string& name) {
  const std::string shape = std::to_string(features) + " features and " + std::to_string(items) + " items";
  if (features == 0 || items == 0) fail(name, "the matrix is empty: it has " + shape + ".");
  constexpr Index most = std::numeric_limits<RowIndex>::max();
  if (features > most || items > most) fail(name, "the matrix has " + shape + ", and 2147483647 is the most.");
}

std::size_t effective_limit(std::size_t limit) {
  if (limit != 0) return limit;
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void check_memory(double bytes, std::size_t limit, const std::string& name, const std::string& what) {
  const auto allowed = static_cast<double>(effective_limit(limit));
  if (bytes > allowed)
    fail(name, what + " would take " + with_unit(bytes) + " of memory, and the limit is " + with_unit(allowed) + ".");
}

void Input::forget(std::span<const char> part) const {
  if (!is_mapped_ || part.data() < bytes_.data() || part.data() + part.size() > bytes_.data() + bytes_.size()) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // Pages that lie in the part as a whole. The mapping begins with a page.
  const auto begin = (static_cast<std::size_t>(part.data() - bytes_.data()) + page - 1) / page * page;
  const auto end = static_cast<std::size_t>(part.data() - bytes_.data() + part.size()) / page * page;
  if (begin < end) ::madvise(const_cast<char*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

Input Input::open(const std::filesystem::path& path, std::size_t limit, const Look& look) {
  const std::string name = path == "-" ? "standard input" : path.string();
  const Descriptor file = open_to_read(path);
  struct stat status {};
  ::fstat(file.number(), &status);
  Input input({}, name);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (S_ISREG(status.st_mode) && size > 0 && path != "-") {
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (address != MAP_FAILED) {
      input.bytes_ = {static_cast<const char*>(address), size};
      input.owner_ = std::make_shared<Mapping>(address, size);
      input.is_mapped_ = true;
      return input;
    }
    check_addresses(size, name);
  }
  const auto bytes = read_all(file, name, limit, look);
  if (bytes->size() == 0) fail(name, "the file is empty.");
  input.bytes_ = bytes->bytes();
  input.owner_ = bytes;
  return input;
}

}  // namespace copse
