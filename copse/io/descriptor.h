// An open file of the operating system.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace copse {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// "-" is the standard input. Throws InputError for a file that is missing, a folder or not readable.
Descriptor open_to_read(const std::filesystem::path& path);

// How many of the next bytes were read; 0 at the end. Throws InputError if they cannot be read.
std::size_t read_some(const Descriptor& file, std::span<char> out, const std::string& name);

}  // namespace copse
