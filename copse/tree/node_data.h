// The items of one node of a tree, cut out of the whole data, and the one operation that splitting asks of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "copse/matrix/blocked_items.h"
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

// e such that the largest norm is from 2^e to 2^(e + 1), or 0 if all are zero.
inline int norm_exponent(std::span<const double> squared_norms) {
  double largest = 0;
  for (const double norm : squared_norms) largest = std::max(largest, norm);
  return largest > 0 ? std::ilogb(largest) >> 1 : 0;
}

struct Rank2Options;
template <class T>
struct Rank2Result;

template <class T>
class NodeData {
 public:
  virtual ~NodeData() = default;

  // The factorization that splits the node: rank2_nmf(), unless this kind of data has one of its own.
  virtual Rank2Result<T> factorize(const Rank2Options& options) const;
  // What Score::error makes of a split into two groups of items, where the data has a rule of its own; else NaN.
  virtual double gain_of_split(std::span<const char> /*in_first*/) const {
    return std::numeric_limits<double>::quiet_NaN();
  }

  virtual Index items() const = 0;
  virtual Index entries() const = 0;  // what one read costs
  // The features that occur here: local feature i is feature terms()[i] of the whole.
  std::span<const RowIndex> terms() const { return terms_; }

  // The values here are those of the data divided by 2^exponent, so that the largest item has a norm from 1 to 2:
  // nothing that is computed from them leaves the range of T, however small or large the data is.
  int exponent() const { return exponent_; }
  // |x_j|^2 of every item, of the values here.
  std::span<const double> squared_norms() const { return squared_norms_; }
  // The number of each item in the whole, or none: 0, 1, 2, ... Random draws for an item depend on it, so
  // that an item more or less changes nothing for the others.
  std::span<const RowIndex> numbers() const { return numbers_; }
  void number_items(std::vector<RowIndex> numbers) { numbers_ = std::move(numbers); }

  // Where several hold a part of the items each, the rows of H' that a read gives are one's own; this adds the others'.
  virtual void share_rows(Matrix<T>& /*h*/) const {}
  // Whether any of them wishes it: all must do the same at the same time.
  virtual bool any(bool wish) const { return wish; }

  // Some of the items, in ascending order, as a node of its own, whose terms() number the features of this one. The
  // items are multiplied by the factors.
  virtual std::unique_ptr<NodeData<T>> part(const SampledItems& chosen) const = 0;
  std::unique_ptr<NodeData<T>> sample(Index stride) const {
    expect_samples();
    const SampledItems chosen = sample_items(squared_norms_, stride, numbers_);
    auto node = part(chosen);
    std::vector<RowIndex> numbers = chosen.items;
    if (!numbers_.empty()) std::ranges::transform(numbers, numbers.begin(), [&](RowIndex j) { return numbers_[j]; });
    node->number_items(std::move(numbers));
    return node;
  }

  // Drops the items that are not `kept`, in place. Features keep their numbers, also those that no longer occur; items
  // lose theirs.
  void keep(std::span<const char> kept) {
    numbers_.clear();
    std::size_t count = 0;
    for (std::size_t j = 0; j < kept.size(); ++j) {
      if (kept[j]) squared_norms_[count++] = squared_norms_[j];
    }
    squared_norms_.resize(count);
    const int shift = norm_exponent(squared_norms_);
    for (double& norm : squared_norms_) norm = std::ldexp(norm, -2 * shift);
    exponent_ += shift;
    drop_items(kept, shift);
  }
  // Whether so much would be left that this is better than to cut the items out anew, with less memory. Where only
  // items are left that are very small beside the others, what is left of their smallest entries may be little.
  bool worth_keeping(std::span<const char> kept) const {
    double largest = 0;
    for (std::size_t j = 0; j < kept.size(); ++j) {
      if (kept[j]) largest = std::max(largest, squared_norms_[j]);
    }
    return (largest == 0 || largest >= 0x1p-40) && 3 * entries_of(kept) >= 2 * cut_entries_;
  }

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
  NodeData(std::vector<RowIndex> terms, std::vector<double> squared_norms, int exponent, Index entries)
      : terms_(std::move(terms)),
        squared_norms_(std::move(squared_norms)),
        exponent_(exponent),
        cut_entries_(entries) {}

 private:
  // Samples are asked for soon, those of sample_strides() probably.
  virtual void expect_samples() const {}
  // Divides the values of the kept items by 2^shift.
  virtual void drop_items(std::span<const char> kept, int shift) = 0;
  virtual Index entries_of(std::span<const char> kept) const = 0;

  std::vector<RowIndex> terms_;
  std::vector<double> squared_norms_;
  std::vector<RowIndex> numbers_;
  int exponent_;
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
  // |x_j|^2 of every item, for the data divided by 2^exponent: the largest entry is then from 1 to 2. An item that is
  // smaller than the largest by a factor of about 1e154 counts as empty.
  virtual std::span<const double> squared_norms() const = 0;
  virtual int exponent() const = 0;
  // Whether nodes may be factored side by side; not where several who hold a part of the items each must agree.
  virtual bool nodes_at_once() const { return true; }
  virtual bool any(bool wish) const { return wish; }
};

// Throws InvalidArgument for entries that are not finite. The arrays behind the view, or the matrix (row j is item j),
// must outlive it.
template <class T>
std::unique_ptr<TreeData<T>> tree_data(SparseView<T> x);
template <class T>
std::unique_ptr<TreeData<T>> tree_data(const Matrix<T>& items);
template <class T>
std::unique_ptr<TreeData<T>> tree_data(const Dataset<T>& dataset);
// Items that are read in blocks, and must outlive it. A node whose entries fit into what is left of `memory` bytes
// stands in memory, others are read from the blocks again and again: the tree is the same to the bit.
template <class T>
std::unique_ptr<TreeData<T>> tree_data(const BlockedItems<T>& items, double memory);

}  // namespace copse
