// Nodes that hold a copy of their items.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "copse/tree/node_data.h"

namespace copse {

// Column j of the sparse matrix, or row j of the dense one, is item j; feature i is feature terms[i] of the whole.
template <class T>
std::unique_ptr<NodeData<T>> node_of(SparseMatrix<T> items, std::vector<RowIndex> terms);
template <class T>
std::unique_ptr<NodeData<T>> node_of(Matrix<T> items, std::vector<RowIndex> terms);

// The first column of each of `blocks` blocks with about as many entries each, and the number of columns.
inline std::vector<Index> entry_blocks(std::span<const Index> offsets, Index blocks) {
  std::vector<Index> starts;
  for (Index b = 0; b < blocks; ++b)
    starts.push_back(std::lower_bound(offsets.begin(), offsets.end(), offsets.back() * b / blocks) - offsets.begin());
  starts[0] = 0;
  starts.push_back(static_cast<Index>(offsets.size()) - 1);
  return starts;
}

}  // namespace copse
