#include "copse/io/copse_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <system_error>
#include <type_traits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/bit_packing.h"
#include "copse/io/compression.h"
#include "copse/io/expansion.h"
#include "copse/io/names.h"
#include "copse/io/triplets.h"

namespace copse {
namespace {

constexpr std::uint32_t version = 1;
constexpr std::size_t beginning_bytes = 16, block_header_bytes = 32, text_header_bytes = 16, index_record_bytes = 40,
                      trailer_bytes = 72;
constexpr std::uint64_t dense_flag = 1, item_names_flag = 2, labels_flag = 4;
enum class Values : std::uint32_t { packed = 0, single_precision = 1, double_precision = 2 };

template <class Number>
Number number_at(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

template <class Number>
void append(std::string& bytes, Number number) {
  char plain[sizeof number];
  std::memcpy(plain, &number, sizeof number);
  bytes.append(plain, sizeof number);
}

std::uint64_t checksum(std::span<const char> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

// Room for the bytes of one block; every thread that reads has its own.
std::span<char> scratch(std::size_t size) {
  static thread_local Buffer<char> bytes;
  if (bytes.size() < size) bytes.resize(size);
  return {bytes.data(), size};
}

// Numbers in 0 ... bound are those for which neither `number` nor `bound - number` has its sign bit set.
using Lanes = std::uint32_t __attribute__((vector_size(16)));
using WideLanes = std::uint64_t __attribute__((vector_size(16)));

bool has_sign(Lanes lanes) { return ((lanes[0] | lanes[1] | lanes[2] | lanes[3]) >> 31) != 0; }

template <class Vector>
Vector load(const void* from) {
  Vector lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <class T>
bool is_good(T value) {
  return value >= 0 && value <= std::numeric_limits<T>::max();
}

// Are all finite and not negative? The bits of such numbers ascend with them.
template <class T>
bool all_good(const T* values, std::size_t count) {
  using Vector = std::conditional_t<sizeof(T) == 4, Lanes, WideLanes>;
  constexpr std::size_t width = sizeof(Vector) / sizeof(T);
  const auto largest =
      std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(std::numeric_limits<T>::max());
  Vector wrong{};
  std::size_t p = 0;
  for (; p + width <= count; p += width) {
    const auto bits = load<Vector>(values + p);
    wrong |= bits | (largest - bits);
  }
  bool good = true;
  for (std::size_t i = 0; i < width; ++i) good = good && wrong[i] >> (8 * sizeof(T) - 1) == 0;
  for (; p < count; ++p) good = good && is_good(values[p]);
  return good || std::all_of(values, values + count, is_good<T>);  // -0 has a sign, and is no less than 0
}

// Row numbers from the sums of their steps. `row` is that of the entry before.
bool add_up(const std::uint32_t* steps, std::uint32_t largest, Lanes& row, RowIndex* rows) {
  Lanes wrong{};
  const Lanes none{};
  for (std::size_t i = 0; i < packing_group; i += 4) {
    Lanes sums = load<Lanes>(steps + i) + 1;
    sums += __builtin_shufflevector(none, sums, 0, 4, 5, 6);
    sums += __builtin_shufflevector(none, sums, 0, 1, 4, 5);
    sums += row;
    row = __builtin_shufflevector(sums, sums, 3, 3, 3, 3);
    wrong |= sums | (largest - sums);
    std::memcpy(rows + i, &sums, sizeof sums);
  }
  return !has_sign(wrong);
}

template <class T>
bool convert_group(const std::uint32_t* steps, std::uint32_t base, T* values) {
  std::uint32_t wrong = 0;
  for (std::size_t i = 0; i < packing_group; ++i) {
    const std::uint32_t number = steps[i] + base;
    wrong |= number;
    values[i] = static_cast<T>(static_cast<std::int32_t>(number));
  }
  return wrong >> 31 == 0;
}

template <class From, class T>
void convert_raw(const char* from, std::size_t count, T* values) {
  if constexpr (std::is_same_v<From, T>) {
    if (count > 0) std::memcpy(values, from, count * sizeof(T));
  } else {
    for (std::size_t p = 0; p < count; ++p) values[p] = static_cast<T>(number_at<From>(from + p * sizeof(From)));
  }
}

std::string packed_texts(std::span<const std::string> texts) {
  std::string plain;
  for (const std::string& text : texts) append(plain, static_cast<std::uint32_t>(text.size()));
  for (const std::string& text : texts) plain += text;
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3);
  if (ZSTD_isError(size)) throw OutputError(std::string("names cannot be compressed: ") + ZSTD_getErrorName(size));
  std::string rest;
  append(rest, static_cast<std::uint64_t>(plain.size()));
  rest.append(packed, 0, size);
  std::string bytes;
  append(bytes, checksum(rest));
  return bytes + rest;
}

void check_machine(const std::string& name) {
  if constexpr (std::endian::native != std::endian::little)
    fail(name, ".copse files are little-endian, and this machine is not.");
}

}  // namespace

CopseFile::CopseFile(const std::filesystem::path& path) {
  name_ = path.string();
  file_.emplace(open_to_read(path));
  struct stat status {};
  if (::fstat(file_->number(), &status) != 0 || !S_ISREG(status.st_mode))
    fail(name_, "only a file can be read block by block; a stream is read whole.");
  size_ = static_cast<std::uint64_t>(status.st_size);
  open();
}

CopseFile::CopseFile(const Input& input) : input_(input) {
  name_ = input.name();
  size_ = input.bytes().size();
  open();
}

std::span<const char> CopseFile::bytes(std::uint64_t place, std::uint64_t size) const {
  if (input_) return input_->bytes().subspan(place, size);
  const std::span<char> out = scratch(size);
  for (std::size_t done = 0; done < size;) {
    const ::ssize_t count =
        ::pread(file_->number(), out.data() + done, size - done, static_cast<::off_t>(place + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(name_, "it cannot be read: " + std::generic_category().message(errno) + ".");
    if (count == 0) fail(name_, "the file has become shorter while it was read.");
    done += static_cast<std::size_t>(count);
  }
  return out;
}

void CopseFile::open() {
  check_machine(name_);
  if (size_ < beginning_bytes + trailer_bytes) fail(name_, "the file is too short to be a .copse file.");
  const std::span<const char> start = bytes(0, beginning_bytes);
  if (std::string_view(start.data(), copse_magic.size()) != copse_magic)
    fail(name_, "this is not a .copse file; it starts with " +
                    excerpt(std::string_view(start.data(), copse_magic.size())) + ".");
  const auto found_version = number_at<std::uint32_t>(start.data() + 8);
  if (found_version != version)
    fail(name_, "this is version " + std::to_string(found_version) + " of the .copse format, and version " +
                    std::to_string(version) + " can be read; a newer copse may read it.");

  const auto trailer = bytes(size_ - trailer_bytes, trailer_bytes);
  const char* const t = trailer.data();
  if (std::string_view(t + trailer_bytes - 8, 8) != copse_magic)
    fail(name_, "the end of the file is missing: it was cut short.");
  if (checksum(trailer.first(56)) != number_at<std::uint64_t>(t + 56))
    fail(name_, "the end of the file is damaged: its checksum is wrong.");
  const auto features = number_at<std::uint64_t>(t), items = number_at<std::uint64_t>(t + 8),
             entries = number_at<std::uint64_t>(t + 16), blocks = number_at<std::uint64_t>(t + 24),
             feature_name_bytes = number_at<std::uint64_t>(t + 32), flags = number_at<std::uint64_t>(t + 40),
             index_checksum = number_at<std::uint64_t>(t + 48);
  if (flags >= 2 * labels_flag) fail(name_, "it has marks that this version does not know.");
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<RowIndex>::max());
  if (features > most || items > most || entries > std::numeric_limits<Index>::max() / 16)
    fail(name_, "the sizes in it are larger than any matrix.");
  check_shape(static_cast<Index>(features), static_cast<Index>(items), name_);
  const std::uint64_t between = size_ - beginning_bytes - trailer_bytes;
  if (blocks > between / index_record_bytes) fail(name_, "it has more blocks than bytes.");
  features_ = static_cast<Index>(features);
  is_dense_ = (flags & dense_flag) != 0;
  has_item_names_ = (flags & item_names_flag) != 0;
  has_labels_ = (flags & labels_flag) != 0;

  const std::uint64_t index_place = size_ - trailer_bytes - blocks * index_record_bytes;
  const auto index = bytes(index_place, blocks * index_record_bytes);
  if (checksum(index) != index_checksum) fail(name_, "the index of its blocks is damaged: its checksum is wrong.");
  std::uint64_t place = beginning_bytes, left = index_place - beginning_bytes;
  places_.reserve(blocks);
  first_items_.reserve(blocks + 1);
  first_entries_.reserve(blocks + 1);
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const char* const record = index.data() + b * index_record_bytes;
    std::uint64_t sizes[3];
    for (std::size_t i = 0; i < 3; ++i) {
      sizes[i] = number_at<std::uint64_t>(record + 8 * i);
      if (sizes[i] > left) fail(name_, "block " + std::to_string(b + 1) + " reaches past the end of the file.");
      left -= sizes[i];
    }
    const auto block_items = number_at<std::uint64_t>(record + 24),
               block_entries = number_at<std::uint64_t>(record + 32);
    // A group of 128 numbers takes two bytes at least.
    if (sizes[0] < block_header_bytes || block_items == 0 || block_items > 64 * sizes[0] ||
        block_entries > 64 * sizes[0] || (is_dense_ && block_entries != block_items * features))
      fail(name_, "the sizes of block " + std::to_string(b + 1) + " contradict each other.");
    places_.push_back({place, place + sizes[0], place + sizes[0] + sizes[1], place + sizes[0] + sizes[1] + sizes[2]});
    place = places_.back().end;
    bytes_read_ += static_cast<double>(sizes[0]);
    first_items_.push_back(first_items_.back() + static_cast<Index>(block_items));
    first_entries_.push_back(first_entries_.back() + static_cast<Index>(block_entries));
  }
  if (left != feature_name_bytes || this->items() != static_cast<Index>(items) ||
      this->entries() != static_cast<Index>(entries))
    fail(name_, "its blocks do not add up to the matrix.");
  feature_names_ = place;
  feature_names_end_ = index_place;
}

void CopseFile::damaged(Index block, const std::string& sentence) const {
  fail(name_, "block " + std::to_string(block + 1) + " of " + std::to_string(blocks()) + " (items " +
                  std::to_string(first_item(block) + 1) + " to " + std::to_string(first_item(block + 1)) + ") " +
                  sentence);
}

template <class T>
void CopseFile::decode(Index block, Index* offsets, RowIndex* indices, T* values) const {
  const Place& place = places_[static_cast<std::size_t>(block)];
  const auto part = bytes(place.data, place.names - place.data);
  const char* const header = part.data();
  if (checksum(part.subspan(8)) != number_at<std::uint64_t>(header))
    damaged(block, "is damaged: its checksum is wrong.");
  const Index items = items_in(block), entries = entries_in(block);
  const auto contradiction = [&] { damaged(block, "holds numbers that contradict each other."); };
  if (number_at<std::uint64_t>(header + 8) != static_cast<std::uint64_t>(entries) ||
      number_at<std::uint32_t>(header + 16) != static_cast<std::uint32_t>(items))
    contradiction();
  const auto kind = static_cast<Values>(number_at<std::uint32_t>(header + 20));
  const auto base = number_at<std::uint32_t>(header + 24);
  alignas(64) std::uint32_t group[packing_group];

  // Entries per item.
  Unpacker counts(part.subspan(block_header_bytes));
  offsets[0] = 0;
  for (Index j = 0; j < items; j += packing_group) {
    if (!counts.next(group)) contradiction();
    for (Index i = j; i < std::min<Index>(items, j + packing_group); ++i) {
      if (group[i - j] > static_cast<std::uint64_t>(features_)) contradiction();
      offsets[i + 1] = offsets[i] + group[i - j];
    }
  }
  if (offsets[items] != entries) contradiction();

  // Row numbers: each entry has the step from the one before it, less 1; the first of an item has the number of
  // features on top, since its row may be the smaller one. Steps that could pass 2^32 are checked afterwards.
  const auto features = static_cast<std::uint32_t>(features_);
  Unpacker steps(counts.rest(), features_ > (1 << 29) ? 32 : std::bit_width(2 * features - 1));
  Lanes row = Lanes{} - 1;
  RowIndex last[packing_group];
  Index item = 0;
  for (Index p = 0; p < entries; p += packing_group) {
    if (!steps.next(group)) contradiction();
    for (; item < items && offsets[item] < p + static_cast<Index>(packing_group); ++item) {
      if (offsets[item + 1] > offsets[item]) group[offsets[item] - p] -= features;
    }
    if (entries - p >= static_cast<Index>(packing_group)) {
      if (!add_up(group, features - 1, row, indices + p)) contradiction();
      continue;
    }
    // What fills the last group up has no rows: it repeats the last one.
    std::fill(group + (entries - p), group + packing_group, ~0U);
    if (!add_up(group, features - 1, row, last)) contradiction();
    std::copy_n(last, entries - p, indices + p);
  }
  if (features_ > (1 << 29)) {
    for (Index j = 0; j < items; ++j) {
      if (!std::is_sorted(indices + offsets[j], indices + offsets[j + 1], std::less_equal<>())) contradiction();
    }
  }

  const auto rest = steps.rest();
  const auto count = static_cast<std::size_t>(entries);
  if (kind == Values::packed) {
    Unpacker numbers(rest, 31);
    T final_values[packing_group];
    for (std::size_t p = 0; p < count; p += packing_group) {
      if (!numbers.next(group)) contradiction();
      const bool whole = count - p >= packing_group;
      if (!convert_group(group, base, whole ? values + p : final_values)) contradiction();
      if (!whole) std::copy_n(final_values, count - p, values + p);
    }
    if (!numbers.rest().empty()) contradiction();
    return;
  }
  if (kind == Values::single_precision && rest.size() == 4 * count) {
    convert_raw<float>(rest.data(), count, values);
  } else if (kind == Values::double_precision && rest.size() == 8 * count) {
    convert_raw<double>(rest.data(), count, values);
  } else {
    contradiction();
  }
  if (all_good(values, count)) return;
  const Index bad = std::find_if_not(values, values + count, is_good<T>) - values;
  const Index j = std::upper_bound(offsets, offsets + items + 1, bad) - offsets - 1;
  fail(name_, "the entry of feature " + std::to_string(indices[bad] + 1) + " and item " +
                  std::to_string(first_item(block) + j + 1) +
                  (std::isnan(values[bad])   ? " is not a number (NaN)."
                   : std::isinf(values[bad]) ? " is infinite or too large for this precision."
                                             : " is negative, " + std::to_string(values[bad]) + "."));
}

void CopseFile::read(Index block, Index* offsets, RowIndex* indices, float* values) const {
  decode(block, offsets, indices, values);
}

void CopseFile::read(Index block, Index* offsets, RowIndex* indices, double* values) const {
  decode(block, offsets, indices, values);
}

std::vector<std::string> CopseFile::texts(std::uint64_t place, std::uint64_t end, Index count,
                                          const std::string& what) const {
  const auto wrong = [&](const char* how) { fail(name_, what + " are damaged: " + how); };
  if (end - place < text_header_bytes) wrong("they are cut short.");
  const auto part = bytes(place, end - place);
  if (checksum(part.subspan(8)) != number_at<std::uint64_t>(part.data())) wrong("their checksum is wrong.");
  const auto size = number_at<std::uint64_t>(part.data() + 8);
  const auto packed = part.subspan(text_header_bytes);
  check_expansion(static_cast<double>(size), static_cast<double>(packed.size()), largest_expansion, name_);
  const std::uint64_t lengths = 4 * static_cast<std::uint64_t>(count);
  if (size < lengths) wrong("there are too few.");
  Buffer<char> plain;
  plain.resize(size);
  if (ZSTD_decompress(plain.data(), size, packed.data(), packed.size()) != size) wrong("they cannot be decompressed.");
  std::vector<std::string> result;
  result.reserve(static_cast<std::size_t>(count));
  std::uint64_t from = lengths;
  for (Index i = 0; i < count; ++i) {
    const auto length = number_at<std::uint32_t>(plain.data() + 4 * i);
    if (length > size - from) wrong("their lengths are wrong.");
    result.emplace_back(plain.data() + from, length);
    from += length;
  }
  if (from != size) wrong("their lengths are wrong.");
  repair_names(result);
  return result;
}

std::vector<std::string> CopseFile::feature_names() const {
  if (feature_names_ == feature_names_end_) return {};
  return texts(feature_names_, feature_names_end_, features_, "the names of the features");
}

std::vector<std::string> CopseFile::item_names(Index block) const {
  if (!has_item_names_) return {};
  const Place& place = places_[static_cast<std::size_t>(block)];
  return texts(place.names, place.labels, items_in(block),
               "the names of the items of block " + std::to_string(block + 1));
}

std::vector<std::string> CopseFile::labels(Index block) const {
  if (!has_labels_) return {};
  const Place& place = places_[static_cast<std::size_t>(block)];
  return texts(place.labels, place.end, items_in(block),
               "the labels of the items of block " + std::to_string(block + 1));
}

double CopseFile::name_bytes() const {
  double packed = static_cast<double>(feature_names_end_ - feature_names_);
  for (const Place& place : places_) packed += static_cast<double>(place.end - place.names);
  const double names =
      static_cast<double>(feature_names_end_ > feature_names_ ? features_ : 0) +
      static_cast<double>(items()) * (static_cast<int>(has_item_names_) + static_cast<int>(has_labels_));
  return 4 * packed + names * bytes_of_name(0);
}

void CopseFile::forget(Index block) const {
  const Place& place = places_[static_cast<std::size_t>(block)];
  if (input_) input_->forget(input_->bytes().subspan(place.data, place.names - place.data));
}

void CopseFile::expect(Index block) const {
  const Place& place = places_[static_cast<std::size_t>(block)];
  if (file_)
    ::posix_fadvise(file_->number(), static_cast<off_t>(place.data), static_cast<off_t>(place.names - place.data),
                    POSIX_FADV_WILLNEED);
}

CopseWriter::CopseWriter(const std::filesystem::path& path, const CopseWriterOptions& options)
    : file_(path), options_(options) {
  check_machine(path.string());
  if (options.features < 1 || options.features > std::numeric_limits<RowIndex>::max())
    throw InvalidArgument("a .copse file has 1 to 2147483647 features.");
  if (options.block_entries < 1 || options.block_items < 1)
    throw InvalidArgument("a block has at least one entry and one item.");
  std::string start(copse_magic);
  append(start, version);
  append(start, std::uint32_t{0});
  write(start);
}

void CopseWriter::write(std::string_view bytes) {
  file_.write(bytes);
  bytes_ += bytes.size();
}

template <class T>
void CopseWriter::add(const SparseView<T>& items, std::span<const std::string> names,
                      std::span<const std::string> labels) {
  const auto count = static_cast<std::size_t>(items.cols);
  if (items.rows != options_.features)
    throw InvalidArgument("the items have another number of features than the file.");
  if (names.size() != (options_.item_names ? count : 0) || labels.size() != (options_.labels ? count : 0))
    throw InvalidArgument("a .copse file has names and labels for all items or for none.");
  for (std::size_t j = 0; j < count; ++j) {
    const Index begin = items.offsets[j], end = items.offsets[j + 1];
    if (options_.is_dense && end - begin != options_.features)
      throw InvalidArgument("an item of a dense matrix has all features.");
    counts_.push_back(static_cast<std::uint32_t>(end - begin));
    for (Index p = begin; p < end; ++p) {
      const Index row = items.indices[static_cast<std::size_t>(p)];
      const T value = items.values[static_cast<std::size_t>(p)];
      if (row < 0 || row >= options_.features || (p > begin && row <= last_row_))
        throw InvalidArgument("the features of an item must ascend, below the number of features.");
      if (!is_good(value))
        throw InvalidArgument("an entry of item " + std::to_string(items_ + 1) +
                              " is negative, infinite or not a number.");
      rows_.push_back(static_cast<std::uint32_t>(row - last_row_ - 1 + (p == begin ? options_.features : 0)));
      values_.push_back(value);
      last_row_ = row;
    }
    if (options_.item_names) names_.push_back(names[j]);
    if (options_.labels) labels_.push_back(labels[j]);
    ++items_;
    entries_ += end - begin;
    if (items_ > std::numeric_limits<RowIndex>::max())
      throw InvalidArgument("a .copse file has 2147483647 items at most.");
    if (static_cast<Index>(rows_.size()) >= options_.block_entries ||
        static_cast<Index>(counts_.size()) >= options_.block_items)
      end_block();
  }
}

void CopseWriter::end_block() {
  if (counts_.empty()) return;
  // Whole numbers are packed, less the smallest of them; others keep their bits, as float where that holds them.
  bool whole = true, single = true;
  for (const double value : values_) {
    whole = whole && value < 0x1p31 && value == std::floor(value) && !std::signbit(value);
    single =
        single && value <= std::numeric_limits<float>::max() && static_cast<double>(static_cast<float>(value)) == value;
  }
  const double least = values_.empty() ? 0 : *std::min_element(values_.begin(), values_.end());
  const Values kind = whole ? Values::packed : single ? Values::single_precision : Values::double_precision;
  std::string rest;
  append(rest, static_cast<std::uint64_t>(rows_.size()));
  append(rest, static_cast<std::uint32_t>(counts_.size()));
  append(rest, static_cast<std::uint32_t>(kind));
  append(rest, static_cast<std::uint32_t>(whole ? least : 0));
  append(rest, std::uint32_t{0});
  pack_numbers(counts_, rest);
  pack_numbers(rows_, rest);
  if (whole) {
    std::vector<std::uint32_t>& numbers = rows_;  // whose numbers are packed already
    for (std::size_t p = 0; p < numbers.size(); ++p) numbers[p] = static_cast<std::uint32_t>(values_[p] - least);
    pack_numbers(numbers, rest);
  } else if (single) {
    for (const double value : values_) append(rest, static_cast<float>(value));
  } else {
    rest.append(reinterpret_cast<const char*>(values_.data()), values_.size() * sizeof(double));
  }
  std::string start;
  append(start, checksum(rest));
  write(start);
  write(rest);
  const std::string names = options_.item_names ? packed_texts(names_) : "";
  const std::string labels = options_.labels ? packed_texts(labels_) : "";
  write(names);
  write(labels);
  for (const std::size_t number : {8 + rest.size(), names.size(), labels.size(), counts_.size(), values_.size()})
    append(index_, static_cast<std::uint64_t>(number));
  ++blocks_;
  counts_.clear();
  rows_.clear();
  values_.clear();
  names_.clear();
  labels_.clear();
  last_row_ = -1;
}

void CopseWriter::commit(std::span<const std::string> feature_names) {
  if (!feature_names.empty() && static_cast<Index>(feature_names.size()) != options_.features)
    throw InvalidArgument("a .copse file has one name for every feature, or none.");
  if (items_ == 0) throw InvalidArgument("a .copse file has at least one item.");
  end_block();
  const std::string names = feature_names.empty() ? "" : packed_texts(feature_names);
  write(names);
  write(index_);
  std::string trailer;
  for (const Index number : {options_.features, items_, entries_, blocks_, static_cast<Index>(names.size())})
    append(trailer, static_cast<std::uint64_t>(number));
  append(trailer, (options_.is_dense ? dense_flag : 0) | (options_.item_names ? item_names_flag : 0) |
                      (options_.labels ? labels_flag : 0));
  append(trailer, checksum(index_));
  append(trailer, checksum(trailer));
  trailer += copse_magic;
  write(trailer);
  file_.commit();
}

MatrixSummary peek_copse(const Input& input, const ReadOptions& options) {
  const CopseFile file(input);
  MatrixSummary summary{.features = file.features(), .items = file.items(), .nonzeros = file.entries()};
  summary.sparse = !file.is_dense();
  summary.name_bytes = file.name_bytes();
  if (options.items == Items::rows) {
    std::swap(summary.features, summary.items);
    summary.reading_copies = 1;
    if (summary.sparse) summary.reading_bytes = sizeof(RowIndex) * static_cast<double>(file.entries());
  }
  return summary;
}

template <class T>
ReadResult<T> read_copse(const Input& input, const ReadOptions& options) {
  const CopseFile file(input);
  const double entries = static_cast<double>(file.entries()), items = static_cast<double>(file.items());
  check_memory(file.is_dense() ? entries * sizeof(T) : entries * (sizeof(T) + sizeof(RowIndex)) + items * sizeof(Index),
               options.memory_limit, input.name(), "the matrix");
  ReadResult<T> result;
  Dataset<T>& dataset = result.dataset;
  if (file.is_dense()) {
    Matrix<T> x(file.items(), file.features());
    parallel_for(file.blocks(), [&](Index block) {
      ItemBlock<T> part;
      file.read(block, part);
      std::copy(part.values.begin(), part.values.end(), x.row(file.first_item(block)).data());
      file.forget(block);
    });
    if (options.items == Items::rows) {
      Matrix<T> turned(x.cols(), x.rows());
      parallel_blocks(x.cols(), 64, [&](Index begin, Index end) {
        for (Index j = 0; j < x.rows(); ++j) {
          for (Index i = begin; i < end; ++i) turned(i, j) = x(j, i);
        }
      });
      x = std::move(turned);
    }
    dataset.values = std::move(x);
  } else {
    SparseMatrix<T> x{.rows = file.features(), .cols = file.items()};
    x.offsets.resize(static_cast<std::size_t>(x.cols) + 1);
    x.indices.resize(static_cast<std::size_t>(file.entries()));
    x.values.resize(static_cast<std::size_t>(file.entries()));
    x.offsets[0] = 0;
    parallel_for(file.blocks(), [&](Index block) {
      const Index first = file.first_item(block), begin = file.first_entry(block), count = file.items_in(block);
      Buffer<Index> offsets;
      offsets.resize(static_cast<std::size_t>(count) + 1);
      file.read(block, offsets.data(), x.indices.data() + begin, x.values.data() + begin);
      for (Index j = 1; j <= count; ++j)
        x.offsets[static_cast<std::size_t>(first + j)] = begin + offsets[static_cast<std::size_t>(j)];
      file.forget(block);
    });
    if (options.items == Items::rows) x = transpose<T>(x);
    dataset.values = std::move(x);
  }
  dataset.feature_names = file.feature_names();
  for (Index block = 0; block < file.blocks() && (file.has_item_names() || file.has_labels()); ++block) {
    std::ranges::move(file.item_names(block), std::back_inserter(dataset.item_names));
    if (options.items == Items::columns) std::ranges::move(file.labels(block), std::back_inserter(result.labels));
  }
  if (options.items == Items::rows) dataset.feature_names.swap(dataset.item_names);
  return result;
}

template <class T>
void write_copse(const std::filesystem::path& path, const Dataset<T>& dataset, std::span<const std::string> labels) {
  CopseWriter writer(path, {.features = dataset.features(),
                            .is_dense = !dataset.is_sparse(),
                            .item_names = !dataset.item_names.empty(),
                            .labels = !labels.empty()});
  const auto part = [](std::span<const std::string> names, Index begin, Index count) {
    return names.empty() ? names : names.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
  };
  if (const auto* sparse = std::get_if<SparseMatrix<T>>(&dataset.values)) {
    writer.add<T>(*sparse, dataset.item_names, labels);
  } else {
    const auto& x = std::get<Matrix<T>>(dataset.values);
    std::vector<RowIndex> rows(static_cast<std::size_t>(x.cols()));
    std::iota(rows.begin(), rows.end(), 0);
    const Index offsets[] = {0, x.cols()};
    for (Index j = 0; j < x.rows(); ++j)
      writer.add<T>({x.cols(), 1, offsets, rows, x.row(j)}, part(dataset.item_names, j, 1), part(labels, j, 1));
  }
  writer.commit(dataset.feature_names);
}

template <class T>
void write_copse(const std::filesystem::path& path, const ItemBlocks& blocks) {
  std::optional<CopseWriter> writer;
  ItemBlock<T> block;
  for (Index b = 0; b < blocks.blocks(); ++b) {
    check_cancelled();
    const std::vector<std::string> names = blocks.item_names(b), labels = blocks.labels(b);
    if (!writer)
      writer.emplace(path, CopseWriterOptions{.features = blocks.features(),
                                              .is_dense = blocks.is_dense(),
                                              .item_names = !names.empty(),
                                              .labels = !labels.empty()});
    blocks.read(b, block);
    writer->add<T>(block.view(), names, labels);
  }
  writer->commit(blocks.feature_names());
}

template void write_copse<float>(const std::filesystem::path&, const ItemBlocks&);
template void write_copse<double>(const std::filesystem::path&, const ItemBlocks&);
template void CopseWriter::add(const SparseView<float>&, std::span<const std::string>, std::span<const std::string>);
template void CopseWriter::add(const SparseView<double>&, std::span<const std::string>, std::span<const std::string>);
template ReadResult<float> read_copse(const Input&, const ReadOptions&);
template ReadResult<double> read_copse(const Input&, const ReadOptions&);
template void write_copse(const std::filesystem::path&, const Dataset<float>&, std::span<const std::string>);
template void write_copse(const std::filesystem::path&, const Dataset<double>&, std::span<const std::string>);

}  // namespace copse
