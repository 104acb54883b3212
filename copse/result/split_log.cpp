#include "copse/result/split_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "copse/base/error.h"
#include "copse/kernels/streamed_data.h"
#include "copse/result/fields.h"

namespace copse {
namespace {

constexpr std::uint64_t magic = 0x31676f6c65657274;  // "treelog1"

struct Header {
  std::uint64_t key;
  std::int64_t terms, items;
  double inner, fitted, entries_read, ratio;
  std::int64_t iterations, stop_reason;
};

// FNV-1a over 64-bit words, mixed downwards; the last word may be short.
std::uint64_t checksum(std::uint64_t sum, const void* bytes, std::size_t count) {
  const char* from = static_cast<const char*>(bytes);
  for (std::size_t done = 0; done < count; done += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + done, std::min<std::size_t>(8, count - done));
    sum = (sum ^ word) * 0x100000001b3;
    sum ^= sum >> 29;
  }
  return sum;
}

template <class T>
std::uint64_t checksum(const Header& header, const Matrix<T>& w, const Matrix<T>& h) {
  std::uint64_t sum = checksum(0xcbf29ce484222325, &header, sizeof header);
  sum = checksum(sum, w.data(), w.values().size_bytes());
  return checksum(sum, h.data(), h.values().size_bytes());
}

bool read_all(int descriptor, void* to, std::size_t count, std::int64_t offset) {
  char* place = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t got = ::pread(descriptor, place, count, offset);
    if (got <= 0) return false;
    place += got, offset += got, count -= static_cast<std::size_t>(got);
  }
  return true;
}

void write_all(int descriptor, const void* from, std::size_t count, std::int64_t offset,
               const std::filesystem::path& path) {
  const char* place = static_cast<const char*>(from);
  while (count > 0) {
    const ssize_t put = ::pwrite(descriptor, place, count, offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw OutputError(fmt::format("{} cannot be written: {}.", path.string(), std::strerror(errno)));
    place += put, offset += put, count -= static_cast<std::size_t>(put);
  }
}

bool usable(const Header& header) {
  return std::isfinite(header.inner) && std::isfinite(header.fitted) && std::isfinite(header.entries_read) &&
         std::in_range<int>(header.iterations) && header.iterations >= 0;
}

template <class T>
bool usable(const Matrix<T>& matrix) {
  return std::ranges::all_of(matrix.values(),
                             [](T value) { return value >= T(0) && value <= std::numeric_limits<T>::max(); });
}

}  // namespace

template <class T>
SplitLog<T>::SplitLog(const std::filesystem::path& path, std::uint64_t fingerprint, Index features, Index items,
                      bool resume)
    : path_(path), features_(features), items_(items) {
  std::error_code ignored;
  if (!resume || !std::filesystem::is_regular_file(std::filesystem::symlink_status(path, ignored)))
    std::filesystem::remove(path, ignored);
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    failure_ = std::strerror(errno);
    return;
  }
  const std::uint64_t start[3] = {magic, sizeof(T), fingerprint};
  std::uint64_t found[3] = {};
  if (resume && read_all(descriptor_, found, sizeof found, 0)) {
    if (std::memcmp(found, start, sizeof start) != 0) {
      ::close(descriptor_);
      throw InputError(
          fmt::format("{} belongs to a run with other data or other options; it cannot be resumed.", path.string()));
    }
    end_ = sizeof start;
    read_records();
    return;
  }
  try {
    write_all(descriptor_, start, sizeof start, 0, path_);
    end_ = sizeof start;
  } catch (const OutputError& error) {
    failure_ = error.what();
  }
}

template <class T>
SplitLog<T>::~SplitLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

template <class T>
void SplitLog<T>::read_records() {
  Header header{};
  while (read_all(descriptor_, &header, sizeof header, end_)) {
    if (header.terms < 0 || header.items < 0 || header.terms > features_ || header.items > items_) break;
    const std::int64_t values = 2 * (header.terms + header.items) * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t after = end_ + static_cast<std::int64_t>(sizeof header) + values;
    std::uint64_t sum = 0;
    if (!read_all(descriptor_, &sum, sizeof sum, after)) break;
    places_[header.key] = {end_, header.terms, header.items};
    Rank2Result<T> result;
    if (!recall(header.key, result)) break;
    end_ = after + static_cast<std::int64_t>(sizeof sum);
  }
  recalled_ = 0;
}

template <class T>
bool SplitLog<T>::recall(std::uint64_t key, Rank2Result<T>& result) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return false;
  const Place place = found->second;
  Header header{};
  std::uint64_t sum = 0;
  result.w.reshape(place.terms, 2);
  result.h.reshape(place.items, 2);
  const auto w_bytes = result.w.values().size_bytes(), h_bytes = result.h.values().size_bytes();
  const std::int64_t w_at = place.offset + static_cast<std::int64_t>(sizeof header);
  const std::int64_t h_at = w_at + static_cast<std::int64_t>(w_bytes);
  const bool whole = read_all(descriptor_, &header, sizeof header, place.offset) &&
                     read_all(descriptor_, result.w.data(), w_bytes, w_at) &&
                     read_all(descriptor_, result.h.data(), h_bytes, h_at) &&
                     read_all(descriptor_, &sum, sizeof sum, h_at + static_cast<std::int64_t>(h_bytes));
  if (!whole || sum != checksum(header, result.w, result.h) || !usable(header) || !usable(result.w) ||
      !usable(result.h)) {
    places_.erase(found);
    return false;
  }
  result.inner = header.inner, result.fitted = header.fitted, result.entries_read = header.entries_read;
  result.projected_gradient_ratio = header.ratio;
  result.iterations = static_cast<int>(header.iterations);
  result.stop_reason = static_cast<StopReason>(header.stop_reason);
  ++recalled_;
  return true;
}

template <class T>
void SplitLog<T>::record(std::uint64_t key, const Rank2Result<T>& result) {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) return;
  try {
    append(key, result);
  } catch (const OutputError& error) {
    failure_ = error.what();
  }
}

template <class T>
void SplitLog<T>::append(std::uint64_t key, const Rank2Result<T>& result) {
  const Header header{key,
                      result.w.rows(),
                      result.h.rows(),
                      result.inner,
                      result.fitted,
                      result.entries_read,
                      result.projected_gradient_ratio,
                      result.iterations,
                      static_cast<std::int64_t>(result.stop_reason)};
  const std::uint64_t sum = checksum(header, result.w, result.h);
  std::int64_t at = end_;
  const auto write = [&](const void* bytes, std::size_t count) {
    write_all(descriptor_, bytes, count, at, path_);
    at += static_cast<std::int64_t>(count);
  };
  write(&header, sizeof header);
  write(result.w.data(), result.w.values().size_bytes());
  write(result.h.data(), result.h.values().size_bytes());
  write(&sum, sizeof sum);
  places_[key] = {end_, header.terms, header.items};
  end_ = at;
}

template <class T>
void SplitLog<T>::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

namespace {

// Adds values to a number that stands for them.
class Fingerprint {
 public:
  template <class Value>
  void add(const Value& value) {
    sum_ = checksum(sum_, &value, sizeof value);
  }
  template <class Values>
  void add_all(const Values& values) {
    add(values.size());
    sum_ = checksum(sum_, values.data(), values.size() * sizeof(*values.data()));
  }
  void add(const TreeOptions& options) {
    visit_fields(options, [&](const char* name, const auto& field) {
      // More leaves, or more time, have the same splits first.
      if (std::string_view(name) != "leaves" && std::string_view(name) != "time_limit") add(field);
    });
    add(options.seed);
    add(options.smallest_split);
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

}  // namespace

template <class T>
std::uint64_t fingerprint(const Dataset<T>& data, const TreeOptions& options) {
  Fingerprint print;
  print.add(data.features());
  print.add(data.items());
  if (const auto* sparse = std::get_if<SparseMatrix<T>>(&data.values)) {
    print.add_all(sparse->offsets);
    print.add_all(sparse->indices);
    print.add_all(sparse->values);
  } else {
    print.add_all(std::get<Matrix<T>>(data.values).values());
  }
  print.add(options);
  return print.sum();
}

template <class T>
std::uint64_t fingerprint(const BlockedItems<T>& items, const TreeOptions& options) {
  std::vector<std::uint64_t> parts(static_cast<std::size_t>(items.blocks()));
  constexpr Index at_once = 16;
  visit_stretches<T>(items, std::max<Index>(1, std::min(at_once, items.blocks())),
                     [&](Index, Index block, const SparseView<T>& view) {
                       Fingerprint part;
                       part.add_all(view.offsets);
                       part.add_all(view.indices);
                       part.add_all(view.values);
                       parts[static_cast<std::size_t>(block)] = part.sum();
                     });
  Fingerprint print;
  print.add(items.rows());
  print.add_all(parts);
  print.add(options);
  return print.sum();
}

#define COPSE_INSTANTIATE(T)                                                 \
  template class SplitLog<T>;                                                \
  template std::uint64_t fingerprint(const Dataset<T>&, const TreeOptions&); \
  template std::uint64_t fingerprint(const BlockedItems<T>&, const TreeOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
