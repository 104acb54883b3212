// From entries in any order to compressed columns.
#pragma once

#include <vector>

#include "copse/base/buffer.h"
#include "copse/matrix/sparse.h"

namespace copse {

template <class T>
struct Triplets {
  Buffer<RowIndex> features;
  Buffer<RowIndex> items;
  Buffer<T> values;
};

// Compressed columns of all entries. Those of one place are added up in the order of the blocks, and
// `duplicates` becomes the number of entries that went into others. Empties the blocks.
template <class T>
SparseMatrix<T> compress(Index features, Index items, std::vector<Triplets<T>>& blocks, Index& duplicates);

// Sorts each column and adds up entries of the same row. Returns how many entries went into others.
template <class T>
Index merge_duplicates(SparseMatrix<T>& x);

}  // namespace copse
