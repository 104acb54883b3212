// One open HDF5 file, read with distrust and with sentences for what is not there.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/io/hdf5_heap.h"
#include "copse/io/input.h"

namespace copse {

// The library of HDF5 does one thing at a time.
std::recursive_mutex& hdf5_library();

class Hdf5 {
 public:
  explicit Hdf5(const Input& input);
  Hdf5(const Hdf5&) = delete;
  Hdf5& operator=(const Hdf5&) = delete;

  [[noreturn]] void wrong(const std::string& sentence) const;
  const std::string& name() const { return name_; }

  bool has(const std::string& path) const;
  bool is_group(const std::string& path) const;
  // The names of what lies in a group.
  std::vector<std::string> members(const std::string& path) const;

  bool is_text(const std::string& path) const;
  bool is_compound(const std::string& path) const;
  bool is_whole(const std::string& path) const;
  std::vector<Index> shape(const std::string& path) const;
  // Elements [begin, end) of an array with one axis.
  template <class T>
  void read(const std::string& path, Index begin, Index end, T* out) const {
    read_rows<T>(path, 1, begin, end, out);
  }
  std::vector<std::int64_t> read_all(const std::string& path, std::size_t limit) const;
  // Rows [begin, end) of an array with so many axes, row after row.
  template <class T>
  void read_rows(const std::string& path, std::size_t axes, Index begin, Index end, T* out) const;
  // An array of text with one axis.
  std::vector<std::string> texts(const std::string& path, std::size_t limit) const;

  // An attribute of text with one value; empty where there is none.
  std::string attribute(const std::string& path, const char* attribute_name) const;
  // An attribute of two whole numbers.
  std::optional<std::pair<Index, Index>> pair(const std::string& path, const char* attribute_name) const;

 private:
  // What the library has open, by its number; closed at the end. The headers of HDF5 stay out of this one.
  class Handle {
   public:
    using Close = int (*)(std::int64_t);
    Handle() = default;
    Handle(std::int64_t number, Close close) : number_(number), close_(close) {}
    Handle(Handle&& other) noexcept : number_(std::exchange(other.number_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept {
      std::swap(number_, other.number_);
      std::swap(close_, other.close_);
      return *this;
    }
    ~Handle();
    explicit operator bool() const { return number_ >= 0; }
    std::int64_t get() const { return number_; }

   private:
    std::int64_t number_ = -1;
    Close close_ = nullptr;
  };

  static std::int64_t reference_type();
  Handle object(const std::string& path) const;
  Handle dataset(const std::string& path) const;
  std::vector<Index> shape(const Handle& array, const std::string& path) const;
  int class_of(const std::string& path) const;
  void check_links(const std::string& path) const;
  void check_storage(const Handle& array, const Handle& how, const std::string& path) const;
  std::string_view text_of(const char* reference) const;
  [[noreturn]] void unreadable(const Handle& array, const std::string& path) const;

  Input input_;  // keeps the bytes
  std::string name_;
  Handle file_, links_, arrays_;  // the file, and how its links and its arrays are opened
  mutable bool refused_ = false;  // a link to another file was met
  double bytes_ = 0;
  mutable std::optional<Hdf5Heap> heap_;
};

}  // namespace copse
