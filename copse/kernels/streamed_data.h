// Data that is read in blocks of items, and never stands in memory as a whole.
#pragma once

#include <memory>

#include "copse/matrix/blocked_items.h"
#include "copse/matrix/more_of_data.h"

namespace copse {

// `items` must outlive it. Threads hold a block each; X H' has a few partial sums, as many as streamed_parts() says.
// The blocks of read_once() begin where a block of rows begins in memory, so that solvers whose rows share a step find
// the same neighbours.
template <class T>
class StreamedData : public Data<T>, public SelectsItems<T>, public ShowsItems<T> {
 public:
  explicit StreamedData(const BlockedItems<T>& items);
  ~StreamedData() override;

  void times(const Matrix<T>& h, Matrix<T>& out) const override;
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override;
  void read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const override;
  double squared_norm_over(int exponent) const override;
  void visit_blocks(const VisitBlock<T>& visit) const override;
  Sample<T> select(std::span<const Index> items) const override;

 private:
  struct Known;
  double read_squared_norm_over(int exponent) const;
  const BlockedItems<T>& items_;
  std::vector<Index> starts_;  // the first item of each block of read_once(), and their number
  std::unique_ptr<Known> known_;
};

// The given items, ascending.
template <class T>
SparseMatrix<T> select_items(const BlockedItems<T>& from, std::span<const Index> items);

// The partial sums of X H' (rows x k) that reads add up. It depends on the sizes only.
template <class T>
Index streamed_parts(Index rows, Index k, Index blocks);

// Runs use(block, its items) for all blocks, several at once: each of `parts` stretches of neighbouring blocks from its
// first to its last, use() being told which stretch it is.
template <class T>
void visit_stretches(const BlockedItems<T>& items, Index parts,
                     const std::function<void(Index part, Index block, const SparseView<T>& view)>& use);

}  // namespace copse
