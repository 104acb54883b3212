#include "copse/io/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "copse/io/read_error.h"

namespace copse {

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor open_to_read(const std::filesystem::path& path) {
  Descriptor file(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0)
    fail(path.string(), std::string("the file cannot be opened: ") + std::strerror(errno) + ".");
  if (S_ISDIR(status.st_mode)) fail(path.string(), "this is a folder, and a file was expected.");
  return file;
}

std::size_t read_some(const Descriptor& file, std::span<char> out, const std::string& name) {
  for (;;) {
    const ssize_t count = ::read(file.number(), out.data(), out.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail(name, std::string("the file cannot be read: ") + std::strerror(errno) + ".");
  }
}

}  // namespace copse
