// A matrix that lies in a file and is read block by block: a block is a run of neighbouring items. Code that reads
// more than the memory holds is written against this, whatever the format of the file.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/base/index.h"
#include "copse/matrix/sparse.h"

namespace copse {

// One block in memory; reading the next one into it takes the same memory again.
template <class T>
struct ItemBlock {
  Index features = 0;
  Index first_item = 0;
  Index items = 0;
  Buffer<Index> offsets;  // items + 1, from 0
  Buffer<RowIndex> indices;
  Buffer<T> values;

  SparseView<T> view() const { return {features, items, offsets, indices, values}; }
};

class ItemBlocks {
 public:
  virtual ~ItemBlocks() = default;

  const std::string& name() const { return name_; }  // of the file, for sentences
  Index features() const { return features_; }
  Index items() const { return first_items_.back(); }
  Index entries() const { return first_entries_.back(); }
  Index blocks() const { return static_cast<Index>(first_items_.size()) - 1; }
  // Of block 0 ... blocks(); the last is what all blocks have together.
  Index first_item(Index block) const { return first_items_[static_cast<std::size_t>(block)]; }
  Index first_entry(Index block) const { return first_entries_[static_cast<std::size_t>(block)]; }
  Index items_in(Index block) const { return first_item(block + 1) - first_item(block); }
  Index entries_in(Index block) const { return first_entry(block + 1) - first_entry(block); }
  // Of the largest block.
  Index most_items() const { return most(first_items_); }
  Index most_entries() const { return most(first_entries_); }
  bool is_dense() const { return is_dense_; }  // every item has all features
  // The bytes of the file that a pass over all blocks reads.
  double bytes_read() const { return bytes_read_; }

  // Fills offsets (items_in(block) + 1, from 0), indices and values (room for entries_in(block); a file whose items
  // repeat features has fewer). Row numbers ascend, each at most once; values are finite and not negative. Several
  // threads may read at once. Throws InputError that names the block.
  virtual void read(Index block, Index* offsets, RowIndex* indices, float* values) const = 0;
  virtual void read(Index block, Index* offsets, RowIndex* indices, double* values) const = 0;
  template <class T>
  void read(Index block, ItemBlock<T>& out) const {
    out.features = features_;
    out.first_item = first_item(block);
    out.items = items_in(block);
    out.offsets.resize(static_cast<std::size_t>(out.items) + 1);
    out.indices.resize(static_cast<std::size_t>(entries_in(block)));
    out.values.resize(out.indices.size());
    read(block, out.offsets.data(), out.indices.data(), out.values.data());
    out.indices.resize(static_cast<std::size_t>(out.offsets.back()));
    out.values.resize(out.indices.size());
  }

  // The block is read soon: the system may fetch its bytes meanwhile.
  virtual void expect(Index /*block*/) const {}

  // Empty where the file has none.
  virtual std::vector<std::string> feature_names() const { return {}; }
  virtual std::vector<std::string> item_names(Index /*block*/) const { return {}; }
  virtual std::vector<std::string> labels(Index /*block*/) const { return {}; }

 protected:
  std::string name_;
  Index features_ = 0;
  std::vector<Index> first_items_ = {0};
  std::vector<Index> first_entries_ = {0};
  bool is_dense_ = false;
  double bytes_read_ = 0;

 private:
  static Index most(const std::vector<Index>& firsts) {
    Index largest = 0;
    for (std::size_t b = 1; b < firsts.size(); ++b) largest = std::max(largest, firsts[b] - firsts[b - 1]);
    return largest;
  }
};

}  // namespace copse
