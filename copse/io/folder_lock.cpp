#include "copse/io/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "copse/base/error.h"

namespace copse {

void refuse_folder(const std::filesystem::path& folder, const std::string& reason) {
  throw OutputError("cannot write into the folder " + folder.string() + ": " + reason + ".");
}

FolderLock::FolderLock(const std::filesystem::path& folder) {
  for (;;) {
    descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) refuse_folder(folder, std::strerror(errno));
    // A file system without locks has one writer by the care of its users.
    const bool taken = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat locked {
    }, there{};
    // A commit may have put another folder in its place before the lock was ours.
    const bool same = ::fstat(descriptor_, &locked) == 0 && ::stat(folder.c_str(), &there) == 0 &&
                      locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
    if (same && !taken) return;
    ::close(descriptor_);
    descriptor_ = -1;
    if (taken) refuse_folder(folder, "another run is writing there");
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace copse
