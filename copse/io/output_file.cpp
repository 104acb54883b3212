#include "copse/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "copse/base/error.h"

namespace copse {
namespace {

constexpr std::size_t buffer_size = std::size_t(1) << 20;

// A link keeps pointing where it did: the file behind it is the one that is replaced.
std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
  if (path == "-") {
    descriptor_ = ::dup(STDOUT_FILENO);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  if (path.filename().empty() || std::filesystem::is_directory(path)) fail(EISDIR);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    path_ = behind_links(path);
    temporary_ = path_;
    temporary_.replace_filename("." + path_.filename().string() + std::string(partial_mark) +
                                std::to_string(::getpid()));
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) {
    const int error = errno;
    temporary_.clear();
    fail(error);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(int error) const {
  const std::string name = path_ == "-" ? "the standard output" : path_.string();
  throw OutputError("cannot write " + name + ": " + std::strerror(error) + ".");
}

void OutputFile::write(std::string_view bytes) { write(bytes.data(), bytes.size()); }

void OutputFile::write(const void* bytes, std::size_t count) {
  const char* begin = static_cast<const char*>(bytes);
  if (buffer_.size() + count > buffer_size) {
    write_through(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  if (count > buffer_size) {
    write_through(begin, count);
  } else {
    buffer_.append(begin, count);
  }
}

void OutputFile::write_through(const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(descriptor_, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

void OutputFile::finish() {
  if (descriptor_ < 0) return;
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
  // Pipes and devices cannot be synced; that is no failure.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) fail(errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0 && errno != EINTR) fail(errno);
}

void OutputFile::commit() {
  finish();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
  sync_folder(path_.parent_path());
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace copse
