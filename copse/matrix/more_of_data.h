// What some data offers beside its products. Whoever can use it asks, and knows what to do without.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "copse/base/error.h"
#include "copse/matrix/data.h"
#include "copse/matrix/sparse.h"

namespace copse {

// Some of the items, with the features that occur in them.
template <class T>
struct Sample {
  std::unique_ptr<Data<T>> data;  // null where a copy is not cheap
  std::vector<Index> features;    // of each row of `data`, ascending
};

template <class T>
class SelectsItems {
 public:
  virtual ~SelectsItems() = default;
  // A copy of the given items of the whole, ascending.
  virtual Sample<T> select(std::span<const Index> items) const = 0;
};

template <class T>
using VisitBlock = std::function<void(Index first, const SparseView<T>& block)>;

template <class T>
class ShowsItems {
 public:
  virtual ~ShowsItems() = default;
  // Calls visit(first, block) for blocks of neighbouring items, several at once: X(:, first ...) in compressed columns.
  virtual void visit_blocks(const VisitBlock<T>& visit) const = 0;
};

// The same products with sums whose order depends on X only: for factors side by side each column of the product then
// has the bits that it has alone.
template <class T>
class MultipliesByColumn {
 public:
  virtual ~MultipliesByColumn() = default;
  virtual void times_by_column(const Matrix<T>& h, Matrix<T>& out) const = 0;
  virtual void transpose_times_by_column(const Matrix<T>& w, Matrix<T>& out) const = 0;
};

// A copy of the given items; without data where that is not cheap.
template <class T>
Sample<T> select_items(const Data<T>& x, std::span<const Index> items) {
  const auto* selecting = dynamic_cast<const SelectsItems<T>*>(&x);
  return selecting != nullptr ? selecting->select(items) : Sample<T>{};
}

// Shows all blocks, for losses that the products do not serve; data that can't is refused with a sentence.
template <class T>
void visit_blocks(const Data<T>& x, const std::type_identity_t<VisitBlock<T>>& visit) {
  const auto* showing = dynamic_cast<const ShowsItems<T>*>(&x);
  if (showing == nullptr)
    throw InvalidArgument("This data gives products only; the Kullback-Leibler loss needs its entries.");
  showing->visit_blocks(visit);
}

}  // namespace copse
