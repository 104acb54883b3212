// Records that are appended to a file one by one, each with a checksum: a kill loses the last one at most.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

class RecordLog {
 public:
  // `fingerprint` stands for what the records are of. With `resume` those of an earlier run are kept; throws InputError
  // if they are of something else. A missing file is an empty one. Throws OutputError where it cannot be written.
  RecordLog(const std::filesystem::path& path, std::uint64_t fingerprint, bool resume);
  ~RecordLog();
  RecordLog(const RecordLog&) = delete;
  RecordLog& operator=(const RecordLog&) = delete;

  // Those that were there when it was opened, in their order.
  std::vector<std::string> take_records() { return std::move(records_); }
  void append(std::string_view record);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t end_ = 0;
  std::mutex mutex_;
  std::vector<std::string> records_;
};

// The records of a file that somebody else may be writing, up to the first that is not whole; none where there is no
// such file. Throws InputError if they are of something else.
std::vector<std::string> read_records(const std::filesystem::path& path, std::uint64_t fingerprint);

}  // namespace copse
