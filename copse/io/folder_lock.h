// One writer per folder. The system lets go of the lock whichever way the run ends.
#pragma once

#include <filesystem>
#include <string>

namespace copse {

class FolderLock {
 public:
  // Throws OutputError if the folder cannot be opened or another run holds it.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  int descriptor_ = -1;
};

// Throws OutputError("cannot write into the folder FOLDER: REASON.").
[[noreturn]] void refuse_folder(const std::filesystem::path& folder, const std::string& reason);

}  // namespace copse
