#include "copse/io/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
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

bool is_same(int descriptor, const std::filesystem::path& path) {
  struct stat open {
  }, there{};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &there) == 0 && open.st_dev == there.st_dev &&
         open.st_ino == there.st_ino;
}

// Temporary files of the same name. Who writes one holds its lock, so one that can be locked is what a killed run left.
void remove_dead_files(const std::filesystem::path& path) {
  const std::string begin = "." + path.filename().string() + std::string(partial_mark);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(begin) || name.find_first_not_of("0123456789-", begin.size()) != std::string::npos) continue;
    const int descriptor = ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_same(descriptor, entry->path()))
      ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path, OutputLinks links) : path_(path) {
  if (path == "-") {
    descriptor_ = ::dup(STDOUT_FILENO);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  struct stat status {};
  const bool there =
      (links == OutputLinks::follow ? ::stat(path.c_str(), &status) : ::lstat(path.c_str(), &status)) == 0;
  if (path.filename().empty() || (there && S_ISDIR(status.st_mode))) fail(EISDIR);
  if (links == OutputLinks::follow && there && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  if (links == OutputLinks::follow) path_ = behind_links(path);
  open_temporary();
}

OutputFile::OutputFile(const std::filesystem::path& path, const std::filesystem::path& place)
    : path_(path), temporary_(place) {
  descriptor_ = ::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) return;
  const int error = errno;
  temporary_.clear();
  fail(error);
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::open_temporary() {
  remove_dead_files(path_);
  const std::string name = "." + path_.filename().string() + std::string(partial_mark) + std::to_string(::getpid());
  for (int number = 0;; ++number) {  // one process may write a file twice at a time
    temporary_ = path_;
    temporary_.replace_filename(number == 0 ? name : name + "-" + std::to_string(number));
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      ::flock(descriptor_, LOCK_EX | LOCK_NB);
      if (is_same(descriptor_, temporary_)) return;
      ::close(descriptor_);  // somebody took it for a leftover before it was locked
      descriptor_ = -1;
    } else if (errno != EEXIST || number > 1000) {
      const int error = errno;
      temporary_.clear();
      fail(error);
    }
  }
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
  if (finished_) return;
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
  // Pipes and devices cannot be synced; that is no failure.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) fail(errno);
  finished_ = true;
  if (!temporary_.empty()) return;  // stays open, and with that locked, until it has its name
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

void refuse_inputs(const std::filesystem::path& output, std::span<const std::string> inputs) {
  std::error_code missing;
  for (const std::string& input : inputs) {
    if (!input.empty() && input != "-" && std::filesystem::equivalent(output, input, missing))
      throw OutputError("cannot write " + output.string() + ": it is read from there; name another file.");
  }
}

}  // namespace copse
