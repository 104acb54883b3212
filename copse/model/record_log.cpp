#include "copse/model/record_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "copse/base/error.h"

namespace copse {
namespace {

constexpr std::uint64_t magic = 0x326f'6c65'7370'6f63;  // "copselo2"

struct RecordStart {
  std::uint64_t magic, fingerprint;
};
struct Header {
  std::uint64_t length, checksum;
};

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
  throw OutputError(fmt::format("{} cannot be written: {}.", path.string(), reason));
}

bool read_all(const Descriptor& file, void* to, std::size_t count, std::int64_t offset) {
  char* place = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t got = ::pread(file.number(), place, count, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    place += got, offset += got, count -= static_cast<std::size_t>(got);
  }
  return true;
}

void write_all(const Descriptor& file, const void* from, std::size_t count, std::int64_t offset,
               const std::filesystem::path& path) {
  const char* place = static_cast<const char*>(from);
  while (count > 0) {
    const ssize_t put = ::pwrite(file.number(), place, count, offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) refuse(path, std::strerror(errno));
    place += put, offset += put, count -= static_cast<std::size_t>(put);
  }
}

bool is_regular(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode);
}

std::int64_t size_of(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.number(), &status) == 0 ? static_cast<std::int64_t>(status.st_size) : 0;
}

// A damaged length takes no memory that the file does not have.
std::optional<std::string> read_record(const Descriptor& file, std::int64_t place, std::int64_t size) {
  Header header{};
  const std::int64_t from = place + static_cast<std::int64_t>(sizeof header);
  if (!read_all(file, &header, sizeof header, place) || from > size ||
      header.length > static_cast<std::uint64_t>(size - from))
    return {};
  std::string record(static_cast<std::size_t>(header.length), '\0');
  if (!read_all(file, record.data(), record.size(), from) ||
      checksum(empty_checksum, record.data(), record.size()) != header.checksum)
    return {};
  return record;
}

// The end of the last whole record; 0: the file does not even begin.
std::int64_t read_file(const Descriptor& file, const std::filesystem::path& path, std::uint64_t fingerprint,
                       const TakeRecord& take) {
  RecordStart start{};
  if (!read_all(file, &start, sizeof start, 0)) return 0;
  if (start.magic != magic || start.fingerprint != fingerprint) {
    throw InputError(fmt::format(
        "{} belongs to a run with other data or other options, or of another version; it cannot be continued.",
        path.string()));
  }
  std::int64_t end = sizeof start;
  const std::int64_t size = size_of(file);
  while (auto record = read_record(file, end, size)) {
    const std::int64_t place = end;
    end += static_cast<std::int64_t>(sizeof(Header) + record->size());
    if (take) take(place, std::move(*record));
  }
  return end;
}

// Links are not followed, and pipes do not make it wait.
Descriptor open_itself(const std::filesystem::path& path, int flags) {
  return Descriptor(::open(path.c_str(), O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666));
}

// A file system without locks has one writer by the care of its users.
bool is_locked_by_another(const Descriptor& file) {
  return ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

std::uint64_t checksum(std::uint64_t sum, const void* bytes, std::size_t count) {
  const char* from = static_cast<const char*>(bytes);
  for (std::size_t done = 0; done < count; done += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + done, std::min<std::size_t>(8, count - done));
    sum = (sum ^ word) * 0x100000001b3;
    sum ^= sum >> 29;
  }
  return sum;
}

RecordLog::RecordLog(const std::filesystem::path& path, std::uint64_t fingerprint, bool resume, const TakeRecord& take)
    : path_(path) {
  Descriptor old = open_itself(path, O_RDWR);
  if (old.number() >= 0 && is_regular(old)) {
    if (is_locked_by_another(old)) refuse(path, "another run is writing there");
    if (resume) end_ = read_file(old, path, fingerprint, take);
  }
  if (end_ > 0) {
    file_.emplace(std::move(old));
    return;
  }
  // Whatever has this name goes, and a new file takes its place: what links led to stays as it was.
  ::unlink(path.c_str());
  file_.emplace(open_itself(path, O_RDWR | O_CREAT | O_EXCL));
  if (file_->number() < 0) refuse(path, std::strerror(errno));
  is_locked_by_another(*file_);  // nobody can have it yet; it is ours from now on
  const RecordStart start{magic, fingerprint};
  write_all(*file_, &start, sizeof start, 0, path_);
  end_ = sizeof start;
}

std::int64_t RecordLog::append(std::string_view record) {
  const Header header{record.size(), checksum(empty_checksum, record.data(), record.size())};
  const std::lock_guard lock(mutex_);
  const std::int64_t place = end_, from = place + static_cast<std::int64_t>(sizeof header);
  write_all(*file_, record.data(), record.size(), from, path_);
  write_all(*file_, &header, sizeof header, place, path_);
  end_ = from + static_cast<std::int64_t>(record.size());
  return place;
}

std::optional<std::string> RecordLog::read(std::int64_t place) const {
  return read_record(*file_, place, size_of(*file_));
}

void read_records(const std::filesystem::path& path, std::uint64_t fingerprint, const TakeRecord& take) {
  const Descriptor file = open_itself(path, O_RDONLY);
  if (file.number() >= 0 && is_regular(file)) read_file(file, path, fingerprint, take);
}

bool remove_records(const std::filesystem::path& path) {
  const Descriptor file = open_itself(path, O_RDONLY);
  return file.number() >= 0 && !is_locked_by_another(file) && ::unlink(path.c_str()) == 0;
}

}  // namespace copse
