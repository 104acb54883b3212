// .copse files: a matrix as blocks of items that are found, checked and decoded one by one.
// docs/design/021-copse-file.md has the format to the byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/io/descriptor.h"
#include "copse/io/input.h"
#include "copse/io/item_blocks.h"
#include "copse/io/output_file.h"
#include "copse/io/read_options.h"
#include "copse/matrix/dataset.h"

namespace copse {

inline constexpr std::string_view copse_magic = "COPSE\r\n\x1a";

class CopseFile final : public ItemBlocks {
 public:
  // Blocks are read from the file when they are asked for: no more of it is in memory.
  explicit CopseFile(const std::filesystem::path& path);
  // The same for bytes that somebody else keeps.
  explicit CopseFile(const Input& input);

  using ItemBlocks::read;
  void read(Index block, Index* offsets, RowIndex* indices, float* values) const override;
  void read(Index block, Index* offsets, RowIndex* indices, double* values) const override;

  bool has_item_names() const { return has_item_names_; }
  bool has_labels() const { return has_labels_; }
  std::vector<std::string> feature_names() const override;
  std::vector<std::string> item_names(Index block) const override;
  std::vector<std::string> labels(Index block) const override;
  // What all names and labels take in memory, about.
  double name_bytes() const;

  void expect(Index block) const override;

  // Lets go of the mapped bytes of a block that will hardly be read again.
  void forget(Index block) const;

 private:
  struct Place {
    std::uint64_t data = 0, names = 0, labels = 0, end = 0;
  };

  void open();
  // Some bytes of the file: where they lie, or until this thread reads others.
  std::span<const char> bytes(std::uint64_t place, std::uint64_t size) const;
  std::vector<std::string> texts(std::uint64_t place, std::uint64_t end, Index count, const std::string& what) const;
  [[noreturn]] void damaged(Index block, const std::string& sentence) const;
  template <class T>
  void decode(Index block, Index* offsets, RowIndex* indices, T* values) const;

  std::optional<Descriptor> file_;  // or the bytes:
  std::optional<Input> input_;
  std::uint64_t size_ = 0;
  std::vector<Place> places_;
  std::uint64_t feature_names_ = 0, feature_names_end_ = 0;
  bool has_item_names_ = false;
  bool has_labels_ = false;
};

struct CopseWriterOptions {
  Index features = 0;             // required
  bool is_dense = false;          // every item has all features, and is read back as a dense matrix
  bool item_names = false;        // every item comes with a name
  bool labels = false;            // every item comes with a label
  Index block_entries = 1 << 18;  // a block ends with the item that reaches so many; one item is never cut
  Index block_items = 1 << 16;    // or with so many items
};

// Takes items in their order, any number at a time, and holds one block of them. The blocks depend on the items only.
// Throws OutputError; InvalidArgument for items that are not as said.
class CopseWriter {
 public:
  CopseWriter(const std::filesystem::path& path, const CopseWriterOptions& options);

  template <class T>
  void add(const SparseView<T>& items, std::span<const std::string> names = {},
           std::span<const std::string> labels = {});
  // The rest of the file, and its name. Feature names: one each, or none.
  void commit(std::span<const std::string> feature_names = {});

  Index items() const { return items_; }
  Index entries() const { return entries_; }
  std::uint64_t bytes() const { return bytes_; }  // written so far

 private:
  void write(std::string_view bytes);
  void end_block();

  OutputFile file_;
  CopseWriterOptions options_;
  // The block at hand: row numbers as packed, values, counts.
  std::vector<std::uint32_t> counts_, rows_;
  std::vector<double> values_;
  std::vector<std::string> names_, labels_;
  Index last_row_ = -1;
  Index items_ = 0, entries_ = 0, blocks_ = 0;
  std::uint64_t bytes_ = 0;
  std::string index_;
};

// Block by block, whatever the precision of the blocks; the memory is that of one of them, and of the names where they
// are not stored by block.
template <class T>
void write_copse(const std::filesystem::path& path, const ItemBlocks& blocks);

MatrixSummary peek_copse(const Input& input, const ReadOptions& options);
template <class T>
ReadResult<T> read_copse(const Input& input, const ReadOptions& options);
template <class T>
void write_copse(const std::filesystem::path& path, const Dataset<T>& dataset,
                 std::span<const std::string> labels = {});

}  // namespace copse
