#include "copse/model/run_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "copse/base/error.h"

namespace copse {
namespace {

// Numbers one after the other.
class Writer {
 public:
  template <class Number>
  void add(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  template <class Number>
  void add_all(std::span<const Number> numbers) {
    add(static_cast<std::uint64_t>(numbers.size()));
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class Number>
  Number get() {
    Number number;
    std::memcpy(&number, part(sizeof number).data(), sizeof number);
    return number;
  }
  template <class Number>
  std::vector<Number> get_all() {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / sizeof(Number)) refuse();
    std::vector<Number> numbers(static_cast<std::size_t>(count));
    const std::string_view from = part(numbers.size() * sizeof(Number));
    if (!numbers.empty()) std::memcpy(numbers.data(), from.data(), from.size());
    return numbers;
  }
  bool at_end() const { return bytes_.empty(); }
  [[noreturn]] static void refuse() { throw InputError("A run of the survey is damaged."); }

 private:
  std::string_view part(std::size_t size) {
    if (size > bytes_.size()) refuse();
    const std::string_view result = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return result;
  }
  std::string_view bytes_;
};

}  // namespace

std::string packed(const RunRecord& record) {
  Writer writer;
  writer.add(static_cast<std::int32_t>(record.key.kind));
  writer.add(record.key.k);
  writer.add(static_cast<std::int32_t>(record.key.number));
  writer.add(record.seconds);
  writer.add_all(std::span<const double>(record.values));
  writer.add_all(std::span<const std::int32_t>(record.labels));
  writer.add(record.components.rows());
  writer.add_all(record.components.values());
  return writer.take();
}

RunRecord unpacked(std::string_view bytes) {
  Reader reader(bytes);
  RunRecord record;
  const auto kind = reader.get<std::int32_t>();
  if (kind < 0 || kind > static_cast<std::int32_t>(last_run_kind)) Reader::refuse();
  record.key.kind = static_cast<RunKind>(kind);
  record.key.k = reader.get<Index>();
  record.key.number = reader.get<std::int32_t>();
  record.seconds = reader.get<double>();
  record.values = reader.get_all<double>();
  record.labels = reader.get_all<std::int32_t>();
  const auto rows = reader.get<Index>();
  const auto values = reader.get_all<float>();
  if (record.key.k < 1 || record.key.number < 0 || rows < 0 || !reader.at_end()) Reader::refuse();
  if (rows > 0) {
    if (rows != record.key.k || static_cast<Index>(values.size()) % rows != 0) Reader::refuse();
    record.components = Matrix<float>(rows, static_cast<Index>(values.size()) / rows);
    std::ranges::copy(values, record.components.data());
  }
  for (const std::int32_t label : record.labels) {
    if (label < -1 || label >= record.key.k) Reader::refuse();
  }
  // As many values as this kind of run has.
  const RunKind own = record.key.kind;
  const std::size_t count = is_split(own) ? values_of_split : own == RunKind::hold_out ? 2 : 1;
  const bool one_or_two = own == RunKind::start && (record.values.size() == 1 || record.values.size() == 2);
  if (!one_or_two && record.values.size() != count) Reader::refuse();
  return record;
}

}  // namespace copse
