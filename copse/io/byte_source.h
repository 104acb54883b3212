// The bytes of a file, a pipe or the standard input as they come, in pieces that are gone when the next one comes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace copse {

class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::string& name() const { return name_; }
  // The next bytes, valid until the next call; none at the end. Throws InputError if they cannot be read.
  virtual std::span<const char> more() = 0;

 private:
  std::string name_;
};

// "-" is the standard input. Throws InputError for a file that is missing, a folder or not readable.
std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path);

}  // namespace copse
