// Records that are appended to a file one by one, each with a checksum: a kill loses the last one at most.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "copse/io/descriptor.h"

namespace copse {

// Gets a record, and its place for RecordLog::read().
using TakeRecord = std::function<void(std::int64_t place, std::string record)>;

class RecordLog {
 public:
  // `fingerprint` stands for what the records are of. With `resume` those of an earlier run are kept, up to the first
  // that is not whole, and `take` gets them in their order; throws InputError if they are of something else. A missing
  // file is an empty one. Links, pipes and devices of this name are replaced, never followed. Throws OutputError where
  // it cannot be written, or while another process writes it.
  RecordLog(const std::filesystem::path& path, std::uint64_t fingerprint, bool resume, const TakeRecord& take = {});
  RecordLog(const RecordLog&) = delete;
  RecordLog& operator=(const RecordLog&) = delete;

  // The place of the new record. Throws OutputError; then the records before are there, and the next may be tried.
  std::int64_t append(std::string_view record);
  // Nothing if the record is no longer whole.
  std::optional<std::string> read(std::int64_t place) const;

 private:
  std::filesystem::path path_;
  std::optional<Descriptor> file_;
  std::int64_t end_ = 0;
  std::mutex mutex_;
};

// The records of a file that somebody else may be writing, as RecordLog takes them; none where there is no such file.
void read_records(const std::filesystem::path& path, std::uint64_t fingerprint, const TakeRecord& take);

// Removes the file, unless somebody writes it. False if there is none, or it stays.
bool remove_records(const std::filesystem::path& path);

// FNV-1a over 64-bit words, mixed downwards; the last word may be short. `sum` is that of the bytes before.
inline constexpr std::uint64_t empty_checksum = 0xcbf29ce484222325;
std::uint64_t checksum(std::uint64_t sum, const void* bytes, std::size_t count);

}  // namespace copse
