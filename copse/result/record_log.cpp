#include "copse/result/record_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "copse/base/error.h"

namespace copse {
namespace {

constexpr std::uint64_t magic = 0x3167'6f6c'6573'706fULL;
constexpr std::uint64_t longest_record = std::uint64_t(1) << 32;

// FNV-1a.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return sum;
}

struct Read {
  std::vector<std::string> records;
  std::int64_t end = 0;  // behind the last whole record; 0: the file does not even begin
};

Read read_file(const std::filesystem::path& path, std::uint64_t fingerprint) {
  Read read;
  std::ifstream file(path, std::ios::binary);
  std::uint64_t start[2] = {};
  if (!file || !file.read(reinterpret_cast<char*>(start), sizeof start)) return read;
  if (start[0] != magic || start[1] != fingerprint) {
    throw InputError(
        fmt::format("{} belongs to a run with other data or other options; it cannot be continued.", path.string()));
  }
  read.end = sizeof start;
  std::uint64_t header[2] = {};  // length, checksum
  while (file.read(reinterpret_cast<char*>(header), sizeof header)) {
    if (header[0] > longest_record) break;
    // In pieces, so that a damaged length does not take memory that the file does not have.
    std::string record;
    constexpr std::uint64_t piece = 1 << 20;
    while (record.size() < header[0]) {
      const std::size_t before = record.size();
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece, header[0] - before));
      record.resize(before + wanted);
      if (!file.read(record.data() + before, static_cast<std::streamsize>(wanted))) break;
    }
    if (!file || checksum(record) != header[1]) break;
    read.end += static_cast<std::int64_t>(sizeof header + record.size());
    read.records.push_back(std::move(record));
  }
  return read;
}

void write_all(int descriptor, std::string_view bytes, std::int64_t offset, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw OutputError(fmt::format("{} cannot be written: {}.", path.string(), std::strerror(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(put));
    offset += put;
  }
}

template <std::size_t count>
std::string_view bytes_of(const std::uint64_t (&words)[count]) {
  return {reinterpret_cast<const char*>(words), sizeof words};
}

}  // namespace

RecordLog::RecordLog(const std::filesystem::path& path, std::uint64_t fingerprint, bool resume) : path_(path) {
  if (resume) {
    Read read = read_file(path, fingerprint);
    records_ = std::move(read.records);
    end_ = read.end;
  }
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | (resume ? 0 : O_TRUNC), 0666);
  if (descriptor_ < 0) throw OutputError(fmt::format("{} cannot be written: {}.", path.string(), std::strerror(errno)));
  if (end_ == 0) {
    const std::uint64_t start[2] = {magic, fingerprint};
    write_all(descriptor_, bytes_of(start), 0, path_);
    end_ = sizeof start;
  }
}

RecordLog::~RecordLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RecordLog::append(std::string_view record) {
  const std::uint64_t header[2] = {record.size(), checksum(record)};
  const std::lock_guard lock(mutex_);
  write_all(descriptor_, bytes_of(header), end_, path_);
  write_all(descriptor_, record, end_ + static_cast<std::int64_t>(sizeof header), path_);
  end_ += static_cast<std::int64_t>(sizeof header + record.size());
}

std::vector<std::string> read_records(const std::filesystem::path& path, std::uint64_t fingerprint) {
  return read_file(path, fingerprint).records;
}

}  // namespace copse
