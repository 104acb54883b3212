// What the fuzzers of whole results share: a folder of their own, small results to damage, and commands read from
// bytes.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "copse/io/safetensors.h"

namespace copse::fuzz {

// Gone when the fuzzer ends.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "copse_fuzz_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The bytes of the fuzzer as numbers, one after the other; zeros after the end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  std::size_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  std::size_t below(std::size_t end) {
    const std::size_t high = byte(), number = 256 * high + byte();
    return end == 0 ? 0 : number % end;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

// Numbers that index nothing, wrap round, are cut to 0 in 32 bits, or are next to something that exists.
template <class Value>
Value hostile(Bytes& bytes, std::size_t size) {
  constexpr double values[] = {-1, 0, 1, 2, 0.5, -0.5, 1e-40, 1e300};
  const std::int64_t numbers[] = {-1,
                                  0,
                                  1,
                                  2,
                                  static_cast<std::int64_t>(size),
                                  static_cast<std::int64_t>(size) - 1,
                                  std::int64_t(1) << 31,
                                  std::int64_t(1) << 32,
                                  std::int64_t(1) << 40,
                                  INT64_MAX,
                                  INT64_MIN,
                                  255};
  const std::size_t which = bytes.byte();
  if constexpr (std::is_integral_v<Value>) {
    return static_cast<Value>(numbers[which % std::size(numbers)]);
  } else {
    if (which % 10 == 8) return std::numeric_limits<Value>::quiet_NaN();
    if (which % 10 == 9) return std::numeric_limits<Value>::infinity();
    return static_cast<Value>(values[which % std::size(values)]);
  }
}

inline void write_tensors(const std::filesystem::path& path, const SafeTensors& model) {
  std::vector<TensorView> views;
  for (const auto& [name, tensor] : model.tensors) {
    TensorView& view = views.emplace_back();
    view.name = name;
    view.shape = tensor.shape;
    std::visit([&](const auto& values) { view.values = std::span(values); }, tensor.values);
  }
  std::filesystem::remove(path);
  OutputFile file(path, path);
  write_safetensors(file, views, model.metadata);
  file.finish();
  file.release();
}

}  // namespace copse::fuzz
