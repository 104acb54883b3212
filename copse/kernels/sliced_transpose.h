// X', kept for products X H' over many items.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/kernels/sparse_product.h"
#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

// How X' is cut. Measured at k = 1 to 40 with 7 and 60 million entries.
struct SliceOptions {
  Index least_entries = Index(1) << 22;  // with fewer, X' is not cut at all
  Index items_per_slice = 131072;        // at most, unless rows have too few entries
  Index entries_per_slice = 8;           // of a row, on average and at least: each costs an offset and a start
  Index bands = 64;                      // about: what the threads share in a slice
  Index items_per_piece = 4096;          // at least
  Index entries_per_piece = 32;          // of a row, on average and at least
};

// The rows of X, in slices of items. A product goes through one slice after the other, so that the part of H that it
// reads stays in the caches that the threads share. The rows are sorted by the number of their entries and cut into
// bands. Where its rows have many entries, the slice of a band is cut into pieces, so that the part of H that a thread
// reads at random stays in the nearest caches.
template <class T>
class SlicedTranspose {
 public:
  SlicedTranspose() = default;
  explicit SlicedTranspose(SparseView<T> x, const SliceOptions& options = {});

  // out = X H' (rows x k), where h holds H' as cols x k. Sums over slices and pieces are added in their order.
  void times(const Matrix<T>& h, Matrix<T>& out, Sums sums = Sums::quickest) const;

  // The rows of X, those with most entries first; none if X' is not cut.
  const std::vector<RowIndex>& order() const { return order_; }

 private:
  struct Run;
  struct Band {
    Index first_row;  // in order_
    Index rows;
    int shift;  // item j of a slice is in piece j >> shift
  };
  // The entries of one slice and one band: a cell for each piece and row, pieces outermost.
  struct Region {
    Index first_entry, entries;
    Index first_cell, pieces;
  };

  std::vector<Run> count_rows(SparseView<T> x) const;
  void cut_rows(SparseView<T> x, const SliceOptions& options, const std::vector<Run>& runs);
  void cut_slices(std::vector<Run>& runs);
  void fill_regions(SparseView<T> x, std::vector<Run>& runs, Buffer<std::uint16_t>& rows);
  void sort_regions(const Buffer<std::uint16_t>& rows);

  std::vector<Index> first_items_;  // of each slice, and the end
  std::vector<RowIndex> order_;     // the rows of X, those with most entries first
  std::vector<Band> bands_;         // none if X' is not cut
  std::vector<Region> regions_;     // slices outermost
  SparseMatrix<T> cells_;           // a column for each cell; X' itself if it is not cut
};

}  // namespace copse
