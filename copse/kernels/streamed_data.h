// Data that is read in blocks of items, and never stands in memory as a whole.
#pragma once

#include <memory>

#include "copse/matrix/blocked_items.h"
#include "copse/matrix/data.h"

namespace copse {

// `items` must outlive it. Threads hold a block each; X H' has a few partial sums, as many as streamed_parts() says.
// The blocks of read_once() begin where a block of rows begins in memory, so that solvers whose rows share a step find
// the same neighbours.
template <class T>
class StreamedData : public Data<T> {
 public:
  explicit StreamedData(const BlockedItems<T>& items);
  ~StreamedData() override;

  Index rows() const override { return items_.rows(); }
  Index cols() const override { return items_.cols(); }
  Index nonzeros() const override { return items_.nonzeros(); }
  void times(const Matrix<T>& h, Matrix<T>& out) const override;
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override;
  void read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const override;
  Index item_blocks() const override { return static_cast<Index>(starts_.size()) - 1; }
  bool prefers_one_read() const override { return true; }
  double squared_norm() const override;
  double squared_norm_over(int exponent) const override;
  void visit_blocks(const std::function<void(Index, const SparseView<T>&)>& visit) const override;
  Sample<T> select(std::span<const Index> items) const override;

 private:
  struct Known;
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
