// Bytes that do not fit into memory for a while. The file has no name: nothing is left behind, whatever happens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "copse/io/descriptor.h"

namespace copse {

// $TMPDIR, or else /var/tmp where there is one: /tmp may be memory.
std::filesystem::path scratch_folder();
// A path there that nobody else has.
std::filesystem::path scratch_path(const std::string& name);

// Throws OutputError where the disk is full, InputError where it cannot be read.
class ScratchFile {
 public:
  ScratchFile();

  // Where the bytes begin. One thread writes.
  std::uint64_t append(std::span<const char> bytes);
  // Several threads may read.
  void read(std::uint64_t place, std::span<char> into) const;

 private:
  std::filesystem::path folder_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace copse
