// The blocks of a file, and how often they were read.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "copse/io/item_blocks.h"

namespace copse {

class CountedBlocks final : public ItemBlocks {
 public:
  explicit CountedBlocks(std::shared_ptr<const ItemBlocks> file) : ItemBlocks(*file), file_(std::move(file)) {}

  using ItemBlocks::read;
  void read(Index block, Index* offsets, RowIndex* indices, float* values) const override {
    entries_read_ += entries_in(block);
    file_->read(block, offsets, indices, values);
  }
  void read(Index block, Index* offsets, RowIndex* indices, double* values) const override {
    entries_read_ += entries_in(block);
    file_->read(block, offsets, indices, values);
  }
  void expect(Index block) const override { file_->expect(block); }
  std::vector<std::string> feature_names() const override { return file_->feature_names(); }
  std::vector<std::string> item_names(Index block) const override { return file_->item_names(block); }
  std::vector<std::string> labels(Index block) const override { return file_->labels(block); }

  // How often all entries were read so far; a pass takes bytes_read().
  double times_read() const {
    return static_cast<double>(entries_read_) / static_cast<double>(std::max<Index>(1, entries()));
  }

 private:
  std::shared_ptr<const ItemBlocks> file_;
  mutable std::atomic<Index> entries_read_ = 0;
};

}  // namespace copse
