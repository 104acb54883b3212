// The items of one node of a tree, cut out of the whole data, and the one operation that splitting asks of them.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "copse/matrix/dataset.h"
#include "copse/tree/sample_items.h"

namespace copse {

// The Gram matrix [a b; b c] of two columns.
struct PairGram {
  double a = 0, b = 0, c = 0;
};

// What one read of the data X gives for a W with two columns.
template <class T>
struct Sweep {
  Matrix<T> h;                        // items x 2 (H'): the exact minimiser of |X - W H|, H >= 0
  Matrix<T> xh;                       // terms x 2: X H'
  PairGram hh;                        // H H'
  double fitted = 0;                  // <X, W H> = |W H|^2, so that |X - W H|^2 = |X|^2 - fitted
  std::vector<Buffer<T>> parts = {};  // workspace: X H' of the blocks of items
};

template <class T>
class NodeData {
 public:
  virtual ~NodeData() = default;

  virtual Index items() const = 0;
  virtual Index entries() const = 0;  // what one read costs
  // The features that occur here: local feature i is feature terms()[i] of the whole.
  std::span<const RowIndex> terms() const { return terms_; }

  // |x_j|^2 of every item.
  std::span<const double> squared_norms() const { return squared_norms_; }

  // Some of the items, in ascending order, as a node of its own, whose terms() number the features of this one. The
  // items are multiplied by the factors.
  virtual std::unique_ptr<NodeData<T>> part(const SampledItems& chosen) const = 0;
  std::unique_ptr<NodeData<T>> sample(Index stride) const { return part(sample_items(squared_norms_, stride)); }

  // Drops the items that are not `kept`, in place. Features keep their numbers, also those that no longer occur.
  void keep(std::span<const char> kept) {
    drop_items(kept);
    std::size_t count = 0;
    for (std::size_t j = 0; j < kept.size(); ++j) {
      if (kept[j]) squared_norms_[count++] = squared_norms_[j];
    }
    squared_norms_.resize(count);
  }
  // Whether so much would be left that this is better than to cut the items out anew, with less memory.
  bool worth_keeping(std::span<const char> kept) const { return 3 * entries_of(kept) >= 2 * cut_entries_; }

  // The reads; w, v are terms x 2, ww is W'W. For every item h = argmin |W h - x|, h >= 0, and with it X H' and the
  // sums.
  virtual void sweep(const Matrix<T>& w, const PairGram& ww, Sweep<T>& out) const = 0;
  // H' = X'V and X X'V.
  virtual void project(const Matrix<T>& v, Sweep<T>& out) const = 0;
  // X H' and H H' for the given out.h.
  virtual void spread(Sweep<T>& out) const = 0;
  // A step of power iteration on two groups of items: [X1 X1'v1, X2 X2'v2], where in_first tells the groups apart.
  virtual void power_step(const Matrix<T>& v, std::span<const char> in_first, Sweep<T>& out) const = 0;

 protected:
  NodeData(std::vector<RowIndex> terms, std::vector<double> squared_norms, Index entries)
      : terms_(std::move(terms)), squared_norms_(std::move(squared_norms)), cut_entries_(entries) {}

 private:
  virtual void drop_items(std::span<const char> kept) = 0;
  virtual Index entries_of(std::span<const char> kept) const = 0;

  std::vector<RowIndex> terms_;
  std::vector<double> squared_norms_;
  Index cut_entries_;  // when it was cut out
};

// The whole data, from which nodes are cut.
template <class T>
class TreeData {
 public:
  virtual ~TreeData() = default;
  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  virtual Index entries() const = 0;
  // The given items with the features that occur in none of them dropped.
  virtual std::unique_ptr<NodeData<T>> cut(std::span<const RowIndex> items) const = 0;
  // |x_j|^2 of every item.
  virtual std::span<const double> squared_norms() const = 0;
};

// The arrays behind the view, or the matrix (row j is item j), must outlive it.
template <class T>
std::unique_ptr<TreeData<T>> tree_data(SparseView<T> x);
template <class T>
std::unique_ptr<TreeData<T>> tree_data(const Matrix<T>& items);
template <class T>
std::unique_ptr<TreeData<T>> tree_data(const Dataset<T>& dataset);

}  // namespace copse
