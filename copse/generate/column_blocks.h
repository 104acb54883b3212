// A sparse matrix built in parallel from columns whose lengths are not known beforehand.
#pragma once

#include <algorithm>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/matrix/sparse.h"

namespace copse {

// Some consecutive columns.
template <class T>
struct ColumnBlock {
  std::vector<Index> ends;  // of each column, in the two arrays
  Buffer<RowIndex> indices;
  Buffer<T> values;
};

inline constexpr Index columns_per_block = 512;

// Column j is what append(j, block) adds to the block's indices (ascending) and values.
template <class T, class Append>
std::vector<ColumnBlock<T>> build_blocks(Index cols, const Append& append) {
  std::vector<ColumnBlock<T>> blocks(static_cast<std::size_t>((cols + columns_per_block - 1) / columns_per_block));
  parallel_blocks(cols, columns_per_block, [&](Index begin, Index end) {
    auto& block = blocks[begin / columns_per_block];
    for (Index j = begin; j < end; ++j) {
      append(j, block);
      block.ends.push_back(static_cast<Index>(block.values.size()));
    }
    block.indices.shrink_to_fit();
    block.values.shrink_to_fit();
  });
  return blocks;
}

template <class T>
SparseMatrix<T> join_blocks(Index rows, Index cols, std::vector<ColumnBlock<T>> blocks) {
  SparseMatrix<T> result{.rows = rows, .cols = cols};
  result.offsets.reserve(static_cast<std::size_t>(cols) + 1);
  for (const auto& block : blocks) {
    const Index begin = result.offsets.back();
    for (const Index end : block.ends) result.offsets.push_back(begin + end);
  }
  result.indices.resize(static_cast<std::size_t>(result.offsets.back()));
  result.values.resize(static_cast<std::size_t>(result.offsets.back()));
  parallel_for(static_cast<Index>(blocks.size()), [&](Index b) {
    const auto block = std::move(blocks[b]);  // freed as soon as it is copied
    const Index begin = result.offsets[b * columns_per_block];
    std::copy(block.indices.begin(), block.indices.end(), result.indices.begin() + begin);
    std::copy(block.values.begin(), block.values.end(), result.values.begin() + begin);
  });
  return result;
}

}  // namespace copse
