// A file that appears under its name only when it is complete: written under a temporary name beside it, brought to
// the disk, then renamed. "-" is the standard output; it, devices and pipes are written directly.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace copse {

// What becomes of a link of the file's name: the file behind it is the one that is replaced, or the link itself is. The
// latter is for names that a user did not choose: a link in a folder from elsewhere may lead anywhere.
enum class OutputLinks { follow, replace };

class OutputFile {
 public:
  // Opens the temporary file. Throws OutputError, as every member does, with the name and the system's reason.
  explicit OutputFile(const std::filesystem::path& path, OutputLinks links = OutputLinks::follow);
  // A new file at `place`, which will be known as `path`; somebody else gives it that name and calls release().
  OutputFile(const std::filesystem::path& path, const std::filesystem::path& place);
  // Without commit() nothing stays behind.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void write(const void* bytes, std::size_t count);

  // All bytes to the disk, still under the temporary name.
  void finish();
  // finish(), then the final name. Replaces a file of that name.
  void commit();
  // The file belongs to somebody else now.
  void release() { temporary_.clear(); }

  const std::filesystem::path& path() const { return path_; }
  // Where the bytes are: from finish() on they can be read there, until commit() gives them their name.
  const std::filesystem::path& place() const { return temporary_.empty() ? path_ : temporary_; }

 private:
  void open_temporary();
  void write_through(const char* bytes, std::size_t count);
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty when written directly
  int descriptor_ = -1;
  bool finished_ = false;
  std::string buffer_;
};

// Marks the temporary names: ".NAME.partial-PROCESS". The next file of that name takes those of killed runs away.
inline constexpr std::string_view partial_mark = ".partial-";

// Makes the names in a folder last through a power cut. Does nothing where a system cannot.
void sync_folder(const std::filesystem::path& folder);

// Throws OutputError if `output` is one of the files that are read. Empty names and "-" are none.
void refuse_inputs(const std::filesystem::path& output, std::span<const std::string> inputs);

}  // namespace copse
