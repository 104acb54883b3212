// The items of a file, read in its blocks.
#pragma once

#include <memory>
#include <vector>

#include "copse/io/item_blocks.h"
#include "copse/matrix/blocked_items.h"

namespace copse {

template <class T>
class FileItems : public BlockedItems<T> {
 public:
  explicit FileItems(std::shared_ptr<const ItemBlocks> file);

  Index rows() const override { return file_->features(); }
  std::span<const Index> first_items() const override { return first_items_; }
  std::span<const Index> first_entries() const override { return first_entries_; }
  void read(Index block, SparseMatrix<T>& into) const override;
  void expect(Index block) const override { file_->expect(block); }

  const ItemBlocks& file() const { return *file_; }
  // What one block takes in memory, at most.
  double block_bytes() const;

 private:
  std::shared_ptr<const ItemBlocks> file_;
  std::vector<Index> first_items_, first_entries_;
};

}  // namespace copse
