#include "copse/io/npz.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "copse/base/parallel.h"
#include "copse/io/check_entries.h"
#include "copse/io/expansion.h"
#include "copse/io/file_order.h"
#include "copse/io/names.h"
#include "copse/io/npy.h"
#include "copse/io/triplets.h"
#include "copse/io/zip.h"

namespace copse {
namespace {

constexpr Index element_block = 1 << 16;
constexpr std::size_t header_size = 1 << 12;  // more than NumPy writes for any array of numbers

// The arrays of an archive by name.
class Archive {
 public:
  explicit Archive(const Input& input) : input_(input) {
    for (ZipMember& member : zip_members(input)) {
      std::string name = member.name;
      if (name.ends_with(".txt")) texts_.emplace(name, member);
      if (!name.ends_with(".npy")) continue;
      name.resize(name.size() - 4);
      members_.emplace(std::move(name), std::move(member));
    }
    if (members_.empty()) fail(input.name(), "the archive holds no NumPy array.");
    double unpacked = 0;
    for (const auto& [name, member] : members_) unpacked += static_cast<double>(member.size);
    check_expansion(unpacked, static_cast<double>(input.bytes().size()), largest_expansion, input.name());
  }

  bool has(const std::string& name) const { return members_.contains(name); }
  std::size_t size() const { return members_.size(); }
  const std::string& only() const { return members_.begin()->first; }
  std::string name_of(const std::string& array) const { return input_.name() + ", array " + excerpt(array); }

  // Our own addition: names of features or items, one per line.
  std::vector<std::string> names(const std::string& name, Index count, const ReadOptions& options,
                                 std::vector<std::string>& notes) {
    const auto found = texts_.find(name);
    if (found == texts_.end()) return {};
    const auto text = unpack(found->second, input_, options.memory_limit, unpacked_[name]);
    if (text.empty()) return {};
    auto names = parse_names(Input(text, input_.name() + ", " + name), &notes);
    if (static_cast<Index>(names.size()) != count)
      fail(input_.name(), name + " has " + std::to_string(names.size()) + " names for " + std::to_string(count) + ".");
    return names;
  }

  NpyArray header(const std::string& name) {
    const ZipMember& member = find(name);
    Buffer<char>& bytes = unpacked_[name + " header"];
    bytes = beginning(member, header_size, input_.name());
    return parse_npy(bytes, name_of(name), false);
  }

  // An array where it lies, verified; nothing if it is compressed.
  std::optional<NpyArray> stored(const std::string& name) const {
    const ZipMember& member = find(name);
    if (member.deflated) return {};
    if (!is_intact(member, input_)) fail(name_of(name), "it is damaged: its checksum is wrong.");
    return parse_npy(member.packed, name_of(name));
  }

  // Several arrays, unpacked at the same time.
  std::vector<NpyArray> arrays(const std::vector<std::string>& names, std::size_t limit) {
    double total = 0;
    for (const std::string& name : names) total += static_cast<double>(find(name).size);
    check_memory(total, limit, input_.name(), "the matrix");
    std::vector<Buffer<char>*> storages;
    storages.reserve(names.size());
    for (const std::string& name : names) storages.push_back(&unpacked_[name]);
    std::vector<NpyArray> result(names.size());
    parallel_for(static_cast<Index>(names.size()), [&](Index number) {
      const auto i = static_cast<std::size_t>(number);
      const ZipMember& member = find(names[i]);
      result[i] = parse_npy(unpack(member, input_, limit, *storages[i]), name_of(names[i]));
    });
    return result;
  }

  // What arrays() takes for these arrays: stored ones are read where they lie.
  double unpacked_bytes(const std::vector<std::string>& names) const {
    double bytes = 0;
    for (const std::string& name : names) bytes += find(name).deflated ? static_cast<double>(find(name).size) : 0;
    return bytes;
  }

  // What the names in the archive take: they are read from their text, which may be unpacked.
  double name_bytes(Index count) const {
    double bytes = 0;
    for (const auto& [name, member] : texts_)
      bytes += static_cast<double>(2 * member.size) + static_cast<double>(count) * bytes_of_name(0);
    return bytes;
  }

  // Elements begin ... end - 1 of one of these arrays are not needed again.
  void forget(const NpyArray& array, Index begin, Index end) const {
    const std::size_t size = array.type.size;
    input_.forget(
        array.data.subspan(static_cast<std::size_t>(begin) * size, static_cast<std::size_t>(end - begin) * size));
  }

 private:
  const ZipMember& find(const std::string& name) const {
    const auto found = members_.find(name);
    if (found == members_.end()) fail(input_.name(), "the array " + excerpt(name) + " is missing.");
    return found->second;
  }

  const Input& input_;
  std::map<std::string, ZipMember> members_;
  std::map<std::string, ZipMember> texts_;
  std::map<std::string, Buffer<char>> unpacked_;
};

struct SparseKind {
  std::string format;  // csc, csr or coo
  Index rows = 0;
  Index cols = 0;

  Index features(Items items) const { return items == Items::columns ? rows : cols; }
  Index items(Items items) const { return items == Items::columns ? cols : rows; }
};

SparseKind parse_kind(Archive& archive, const std::string& name) {
  const auto arrays = archive.arrays({"format", "shape"}, 1 << 20);
  SparseKind kind;
  // Bytes, or characters of four bytes each.
  if (arrays[0].type.kind == 'S' || arrays[0].type.kind == 'U') {
    for (char c : arrays[0].data) {
      if (c != 0) kind.format += c;
    }
  }
  if (kind.format != "csc" && kind.format != "csr" && kind.format != "coo")
    fail(name, "a sparse matrix in the format " + excerpt(kind.format) +
                   " was found; csc, csr and coo can be read, and SciPy's tocsc() makes one of them.");
  if (!arrays[1].type.is_whole_number() || arrays[1].count() != 2) fail(name, "the shape is not that of a matrix.");
  std::int64_t sizes[2];
  convert(arrays[1], 0, 2, sizes);
  if (sizes[0] < 0 || sizes[1] < 0) fail(name, "the shape has negative sizes.");
  kind.rows = sizes[0];
  kind.cols = sizes[1];
  check_shape(kind.rows, kind.cols, name);
  return kind;
}

// A vector of `size` numbers (any size if negative).
void check_vector(const NpyArray& array, const std::string& name, bool whole_numbers, Index size) {
  if (array.shape.size() != 1) fail(name, "an array with one axis was expected.");
  if (array.type.kind == 'S' || array.type.kind == 'U' || (whole_numbers && !array.type.is_whole_number()))
    fail(name, whole_numbers ? "whole numbers were expected." : "numbers were expected.");
  if (size >= 0 && array.count() != size)
    fail(name, std::to_string(size) + " elements were expected, and " + std::to_string(array.count()) + " were found.");
}

// Converts positions in 0 ... bound - 1.
Buffer<RowIndex> positions(const Archive& archive, const NpyArray& array, Index first, Index count, Index bound,
                           const std::string& name) {
  Buffer<RowIndex> result;
  result.resize(static_cast<std::size_t>(count));
  std::atomic<Index> bad{-1};
  parallel_blocks(count, element_block, [&](Index begin, Index end) {
    std::int64_t piece[1024];
    for (Index from = begin; from < end; from += 1024) {
      const Index to = std::min<Index>(end, from + 1024);
      convert(array, first + from, first + to, piece);
      bool inside = true;
      for (Index i = from; i < to; ++i) {
        inside = inside && 0 <= piece[i - from] && piece[i - from] < bound;
        result[static_cast<std::size_t>(i)] = static_cast<RowIndex>(piece[i - from]);
      }
      if (!inside) bad = from;
    }
    archive.forget(array, first + begin, first + end);
  });
  if (bad >= 0) fail(name, "an index is outside of 0 to " + std::to_string(bound - 1) + ".");
  return result;
}

template <class T>
Buffer<T> numbers(const Archive& archive, const NpyArray& array) {
  Buffer<T> result;
  result.resize(static_cast<std::size_t>(array.count()));
  parallel_blocks(array.count(), element_block, [&](Index begin, Index end) {
    convert(array, begin, end, result.data() + begin);
    archive.forget(array, begin, end);
  });
  return result;
}

// The offsets of csc or csr.
void check_offsets(std::span<const Index> offsets, Index entries, const std::string& name) {
  if (offsets.front() != 0 || offsets.back() != entries || !std::is_sorted(offsets.begin(), offsets.end()))
    fail(name, "the offsets must ascend from 0 to the number of entries, " + std::to_string(entries) + ".");
}

// csc or csr: compressed along `cols` of the result, which has the file's orientation.
template <class T>
SparseMatrix<T> compressed(Archive& archive, const SparseKind& kind, const ReadOptions& options) {
  const bool by_column = kind.format == "csc";
  SparseMatrix<T> x{.rows = by_column ? kind.rows : kind.cols, .cols = by_column ? kind.cols : kind.rows};
  const auto arrays = archive.arrays({"data", "indices", "indptr"}, options.memory_limit);
  check_vector(arrays[0], archive.name_of("data"), false, -1);
  check_vector(arrays[1], archive.name_of("indices"), true, arrays[0].count());
  check_vector(arrays[2], archive.name_of("indptr"), true, x.cols + 1);
  x.offsets.resize(static_cast<std::size_t>(x.cols) + 1);
  convert(arrays[2], 0, x.cols + 1, x.offsets.data());
  check_offsets(x.offsets, arrays[0].count(), archive.name_of("indptr"));
  x.indices = positions(archive, arrays[1], 0, arrays[1].count(), x.rows, archive.name_of("indices"));
  x.values = numbers<T>(archive, arrays[0]);
  return x;
}

template <class T>
SparseMatrix<T> coordinates(Archive& archive, const SparseKind& kind, const ReadOptions& options, Index& duplicates) {
  const bool joined = archive.has("coords");
  const auto arrays = joined ? archive.arrays({"data", "coords"}, options.memory_limit)
                             : archive.arrays({"data", "row", "col"}, options.memory_limit);
  check_vector(arrays[0], archive.name_of("data"), false, -1);
  const Index count = arrays[0].count();
  const NpyArray& row = arrays[1];
  const NpyArray& col = arrays.back();
  if (joined) {
    if (!row.type.is_whole_number() || row.fortran || row.shape != std::vector<Index>{2, count})
      fail(archive.name_of("coords"), "2 x " + std::to_string(count) + " whole numbers were expected.");
  } else {
    check_vector(row, archive.name_of("row"), true, count);
    check_vector(col, archive.name_of("col"), true, count);
  }
  std::vector<Triplets<T>> blocks(1);
  const Buffer<T> values = numbers<T>(archive, arrays[0]);
  Buffer<RowIndex> features = positions(archive, row, 0, count, kind.rows, archive.name_of(joined ? "coords" : "row"));
  Buffer<RowIndex> items =
      positions(archive, col, joined ? count : 0, count, kind.cols, archive.name_of(joined ? "coords" : "col"));
  if (options.items == Items::rows) features.swap(items);
  constexpr Index block = 1 << 18;
  blocks.resize(static_cast<std::size_t>((count + block - 1) / block));
  parallel_blocks(count, block, [&](Index begin, Index end) {
    blocks[static_cast<std::size_t>(begin / block)] = {.features = {features.begin() + begin, features.begin() + end},
                                                       .items = {items.begin() + begin, items.begin() + end},
                                                       .values = {values.begin() + begin, values.begin() + end}};
  });
  return compress(kind.features(options.items), kind.items(options.items), blocks, duplicates);
}

class NpzBlocks final : public ItemBlocks {
 public:
  NpzBlocks(Input input, const ReadOptions& options) : input_(std::move(input)), archive_(input_) {
    name_ = input_.name();
    if (!archive_.has("format")) return;
    const SparseKind kind = parse_kind(archive_, name_);
    const Items items = (options.items == Items::rows) != options.transposed ? Items::rows : Items::columns;
    if (kind.format == "coo" || (kind.format == "csc") != (items == Items::columns)) return;
    const std::optional<NpyArray> data = archive_.stored("data"), indices = archive_.stored("indices"),
                                  offsets = archive_.stored("indptr");
    if (!data || !indices || !offsets) return;
    data_ = *data;
    indices_ = *indices;
    features_ = kind.features(items);
    const Index count = kind.items(items);
    check_vector(data_, archive_.name_of("data"), false, -1);
    check_vector(indices_, archive_.name_of("indices"), true, data_.count());
    check_vector(*offsets, archive_.name_of("indptr"), true, count + 1);
    offsets_.resize(static_cast<std::size_t>(count) + 1);
    convert(*offsets, 0, count + 1, offsets_.data());
    archive_.forget(*offsets, 0, count + 1);
    check_offsets(offsets_, data_.count(), archive_.name_of("indptr"));
    constexpr Index most_entries = 1 << 18, most_items = 1 << 16;
    for (Index j = 0, from = 0; j < count; ++j) {
      if (offsets_[j + 1] - offsets_[from] < most_entries && j + 1 - from < most_items && j + 1 < count) continue;
      first_items_.push_back(j + 1);
      first_entries_.push_back(offsets_[j + 1]);
      from = j + 1;
    }
    bytes_read_ = static_cast<double>(data_.data.size() + indices_.data.size());
    const bool turned = items == Items::rows;
    std::vector<std::string> notes;
    feature_names_ = archive_.names(turned ? "items.txt" : "features.txt", features_, options, notes);
    item_names_ = archive_.names(turned ? "features.txt" : "items.txt", count, options, notes);
    is_usable_ = true;
  }

  bool is_usable() const { return is_usable_; }

  using ItemBlocks::read;
  void read(Index block, Index* offsets, RowIndex* indices, float* values) const override {
    read_items(block, offsets, indices, values);
  }
  void read(Index block, Index* offsets, RowIndex* indices, double* values) const override {
    read_items(block, offsets, indices, values);
  }

  std::vector<std::string> feature_names() const override { return feature_names_; }
  std::vector<std::string> item_names(Index block) const override {
    if (item_names_.empty()) return {};
    return {item_names_.begin() + first_item(block), item_names_.begin() + first_item(block + 1)};
  }

 private:
  template <class T>
  void read_items(Index block, Index* offsets, RowIndex* indices, T* values) const {
    const Index first = first_item(block), items = items_in(block), begin = first_entry(block),
                end = first_entry(block + 1);
    for (Index j = 0; j <= items; ++j) offsets[j] = offsets_[first + j] - begin;
    std::int64_t piece[1024];
    for (Index from = begin; from < end; from += 1024) {
      const Index to = std::min<Index>(end, from + 1024);
      convert(indices_, from, to, piece);
      // What is no row number of 32 bits is no feature.
      for (Index i = from; i < to; ++i)
        indices[i - begin] =
            piece[i - from] < features_ ? static_cast<RowIndex>(std::max<Index>(piece[i - from], -1)) : -1;
    }
    convert(data_, begin, end, values);
    archive_.forget(indices_, begin, end);
    archive_.forget(data_, begin, end);
    order_items(name_, "item", features_, first, items, offsets, indices, values);
  }

  Input input_;
  Archive archive_;
  NpyArray data_, indices_;
  std::vector<Index> offsets_;
  std::vector<std::string> feature_names_, item_names_;
  bool is_usable_ = false;
};

}  // namespace

std::unique_ptr<ItemBlocks> open_npz_blocks(const std::filesystem::path& path, const ReadOptions& options) {
  auto blocks = std::make_unique<NpzBlocks>(Input::open(path), options);
  if (!blocks->is_usable()) return nullptr;
  return blocks;
}

MatrixSummary peek_npz(const Input& input, const ReadOptions& options) {
  Archive archive(input);
  if (!archive.has("format")) {
    if (archive.size() > 1) fail(input.name(), "the archive holds several arrays and no sparse matrix.");
    MatrixSummary summary = summary_of(archive.header(archive.only()), archive.name_of(archive.only()), options);
    summary.reading_bytes = archive.unpacked_bytes({archive.only()});
    summary.name_bytes = archive.name_bytes(std::max(summary.features, summary.items));
    return summary;
  }
  const SparseKind kind = parse_kind(archive, input.name());
  const Index entries = archive.header("data").count();
  MatrixSummary summary{.features = kind.features(options.items),
                        .items = kind.items(options.items),
                        .nonzeros = entries,
                        .sparse = true};
  summary.name_bytes = archive.name_bytes(std::max(summary.features, summary.items));
  const double places = sizeof(RowIndex) * static_cast<double>(entries);
  if (kind.format == "coo") {
    const bool joined = archive.has("coords");
    summary.reading_bytes = archive.unpacked_bytes(joined ? std::vector<std::string>{"data", "coords"}
                                                          : std::vector<std::string>{"data", "row", "col"});
    // Both numbers and the value of each entry, as arrays and in pieces.
    summary.reading_bytes += 4 * places;
    summary.reading_copies = 2;
  } else {
    summary.reading_bytes = archive.unpacked_bytes({"data", "indices", "indptr"});
    if ((kind.format == "csc") != (options.items == Items::columns)) {
      summary.reading_bytes += places;
      summary.reading_copies = 1;
    }
  }
  return summary;
}

template <class T>
ReadResult<T> read_npz(const Input& input, const ReadOptions& options) {
  Archive archive(input);
  ReadResult<T> result;
  if (!archive.has("format")) {
    if (archive.size() > 1) fail(input.name(), "the archive holds several arrays and no sparse matrix.");
    const auto array = archive.arrays({archive.only()}, options.memory_limit).front();
    std::span<const char> rest = array.data, last;
    result.dataset.values = matrix_of<T>(array, archive.name_of(archive.only()), options, [&](std::size_t count) {
      input.forget(last);
      last = rest.first(count);
      rest = rest.subspan(count);
      return last;
    });
  } else {
    const SparseKind kind = parse_kind(archive, input.name());
    check_memory(8.0 * static_cast<double>(kind.items(options.items)), options.memory_limit, input.name(),
                 "the matrix");
    Index duplicates = 0;
    SparseMatrix<T> x;
    if (kind.format == "coo") {
      x = coordinates<T>(archive, kind, options, duplicates);
    } else {
      x = compressed<T>(archive, kind, options);
      if ((kind.format == "csc") != (options.items == Items::columns)) x = transpose<T>(x);
      duplicates = merge_duplicates(x);
    }
    if (duplicates > 0)
      result.notes.push_back(input.name() + ": " + std::to_string(duplicates) + " duplicate " +
                             (duplicates == 1 ? "entry was" : "entries were") + " added up.");
    result.dataset.values = std::move(x);
  }
  Dataset<T>& dataset = result.dataset;
  // The names belong to the matrix as it was written, with items in columns.
  const bool turned = options.items == Items::rows;
  const char *features = turned ? "items.txt" : "features.txt", *items = turned ? "features.txt" : "items.txt";
  dataset.feature_names = archive.names(features, dataset.features(), options, result.notes);
  dataset.item_names = archive.names(items, dataset.items(), options, result.notes);
  check_nonnegative(dataset, input.name());
  return result;
}

template ReadResult<float> read_npz(const Input&, const ReadOptions&);
template ReadResult<double> read_npz(const Input&, const ReadOptions&);

}  // namespace copse
