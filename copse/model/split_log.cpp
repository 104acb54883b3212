#include "copse/model/split_log.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "copse/base/error.h"
#include "copse/methods/options.h"

namespace copse {
namespace {

struct SplitHeader {
  std::uint64_t key;
  std::int64_t terms, items;
  double inner, fitted, entries_read, ratio;
  std::int64_t iterations, stop_reason;
};

bool usable(const SplitHeader& header) {
  return std::isfinite(header.inner) && std::isfinite(header.fitted) && std::isfinite(header.entries_read) &&
         std::in_range<int>(header.iterations) && header.iterations >= 0 && header.stop_reason >= 0 &&
         header.stop_reason <= static_cast<std::int64_t>(StopReason::interrupted);
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
    : features_(features), items_(items) {
  const std::uint64_t width = sizeof(T);
  try {
    log_.emplace(path, checksum(fingerprint, &width, sizeof width), resume,
                 [this](std::int64_t place, const std::string& record) {
                   std::uint64_t key = 0;
                   Rank2Result<T> result;
                   if (unpack(record, key, result)) places_[key] = place;
                 });
  } catch (const OutputError& error) {
    failure_ = error.what();
  }
}

template <class T>
bool SplitLog<T>::unpack(std::string_view record, std::uint64_t& key, Rank2Result<T>& result) const {
  SplitHeader header{};
  if (record.size() < sizeof header) return false;
  std::memcpy(&header, record.data(), sizeof header);
  record.remove_prefix(sizeof header);
  if (!usable(header) || header.terms < 0 || header.items < 0 || header.terms > features_ || header.items > items_ ||
      record.size() != 2 * sizeof(T) * static_cast<std::size_t>(header.terms + header.items))
    return false;
  key = header.key;
  result.w.reshape(header.terms, 2);
  result.h.reshape(header.items, 2);
  const std::size_t w_bytes = result.w.values().size_bytes();
  if (w_bytes > 0) std::memcpy(result.w.data(), record.data(), w_bytes);
  if (record.size() > w_bytes) std::memcpy(result.h.data(), record.data() + w_bytes, record.size() - w_bytes);
  if (!usable(result.w) || !usable(result.h)) return false;
  result.inner = header.inner, result.fitted = header.fitted, result.entries_read = header.entries_read;
  result.projected_gradient_ratio = header.ratio;
  result.iterations = static_cast<int>(header.iterations);
  result.stop_reason = static_cast<StopReason>(header.stop_reason);
  return true;
}

template <class T>
bool SplitLog<T>::recall(std::uint64_t key, Rank2Result<T>& result) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return false;
  const auto record = log_->read(found->second);
  std::uint64_t found_key = 0;
  if (!record || !unpack(*record, found_key, result) || found_key != key) return false;
  ++recalled_;
  return true;
}

template <class T>
void SplitLog<T>::record(std::uint64_t key, const Rank2Result<T>& result) {
  const SplitHeader header{key,
                           result.w.rows(),
                           result.h.rows(),
                           result.inner,
                           result.fitted,
                           result.entries_read,
                           result.projected_gradient_ratio,
                           result.iterations,
                           static_cast<std::int64_t>(result.stop_reason)};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  for (const Matrix<T>* factor : {&result.w, &result.h})
    bytes.append(reinterpret_cast<const char*>(factor->data()), factor->values().size_bytes());
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) return;
  try {
    places_[key] = log_->append(bytes);
  } catch (const OutputError& error) {
    failure_ = error.what();
  }
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
    Settings settings;
    add_settings(options, settings);
    for (const auto& [name, value] : settings) {
      // More leaves, or more time, have the same splits first.
      if (name != "leaves" && name != "time_limit") add_all(name + "=" + shown(value));
    }
    add(options.seed);
    add(options.smallest_split);
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = empty_checksum;
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
std::uint64_t fingerprint(const SparseView<T>& items) {
  Fingerprint print;
  print.add_all(items.offsets);
  print.add_all(items.indices);
  print.add_all(items.values);
  return print.sum();
}

std::uint64_t fingerprint(Index features, std::span<const std::uint64_t> blocks, const TreeOptions& options) {
  Fingerprint print;
  print.add(features);
  print.add_all(blocks);
  print.add(options);
  return print.sum();
}

#define COPSE_INSTANTIATE(T)                                                 \
  template class SplitLog<T>;                                                \
  template std::uint64_t fingerprint(const Dataset<T>&, const TreeOptions&); \
  template std::uint64_t fingerprint(const SparseView<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
