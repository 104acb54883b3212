// The bytes of a file, mapped into memory; those of a pipe, a device or the standard input are read into it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "copse/base/index.h"
#include "copse/io/read_error.h"

namespace copse {

class Input {
 public:
  // Looks at the beginning of what is read, and throws where the rest is not worth reading.
  using Look = std::function<void(const Input& beginning)>;
  // "-" is the standard input. Throws InputError for a file that is missing, a folder, empty or not readable; and for a
  // stream with which this process would take more than `limit` bytes (0: the memory of the machine), as soon as it
  // would. `look` sees the first bytes of a stream.
  static Input open(const std::filesystem::path& path, std::size_t limit = 0, const Look& look = {});
  // Bytes that somebody else keeps.
  Input(std::span<const char> bytes, std::string name) : name_(std::move(name)), bytes_(bytes) {}

  const std::string& name() const { return name_; }
  std::span<const char> bytes() const { return bytes_; }
  bool is_mapped() const { return is_mapped_; }
  // Lets go of the memory behind a part of bytes() that will hardly be read again; it may be. Bytes that are not mapped
  // from a file stay where they are.
  void forget(std::span<const char> part) const;

 private:
  std::string name_;
  std::span<const char> bytes_;
  std::shared_ptr<const void> owner_;
  bool is_mapped_ = false;
};

// Refuses a matrix without entries, or with more features or items than 32-bit row numbers can count.
void check_shape(Index features, Index items, const std::string& name);

// Refuses what would take more than `limit` bytes (0: the memory of the machine). Sizes are given as a double so that
// no product overflows; `what` is the subject of the sentence.
void check_memory(double bytes, std::size_t limit, const std::string& name, const std::string& what);

// The limit in bytes, with the memory of the machine in place of 0.
std::size_t effective_limit(std::size_t limit);

}  // namespace copse
