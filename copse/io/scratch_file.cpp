#include "copse/io/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "copse/base/error.h"

namespace copse {
namespace {

std::string reason() { return std::generic_category().message(errno); }

int open_nameless(const std::filesystem::path& folder) {
  const std::filesystem::path path = scratch_path("scratch");
  const int number = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (number < 0) throw OutputError(folder.string() + ": no scratch file can be made there: " + reason() + ".");
  ::unlink(path.c_str());
  return number;
}

}  // namespace

std::filesystem::path scratch_folder() {
  if (const char* named = std::getenv("TMPDIR"); named != nullptr && *named != '\0') return named;
  std::error_code none;
  if (std::filesystem::is_directory("/var/tmp", none)) return "/var/tmp";
  return std::filesystem::temp_directory_path();
}

std::filesystem::path scratch_path(const std::string& name) {
  static std::atomic<int> number = 0;
  return scratch_folder() / (".copse-" + name + "-" + std::to_string(::getpid()) + "-" + std::to_string(++number));
}

ScratchFile::ScratchFile() : folder_(scratch_folder()), file_(open_nameless(folder_)) {}

std::uint64_t ScratchFile::append(std::span<const char> bytes) {
  const std::uint64_t place = size_;
  for (std::size_t done = 0; done < bytes.size();) {
    const ::ssize_t count =
        ::pwrite(file_.number(), bytes.data() + done, bytes.size() - done, static_cast<::off_t>(place + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw OutputError(folder_.string() + ": a scratch file cannot be written there: " + reason() + ".");
    done += static_cast<std::size_t>(count);
  }
  size_ += bytes.size();
  return place;
}

void ScratchFile::read(std::uint64_t place, std::span<char> into) const {
  for (std::size_t done = 0; done < into.size();) {
    const ::ssize_t count =
        ::pread(file_.number(), into.data() + done, into.size() - done, static_cast<::off_t>(place + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw InputError(folder_.string() + ": a scratch file cannot be read again: " + reason() + ".");
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace copse
