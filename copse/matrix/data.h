// All that a solver may ask of the data X (m features x n items): a few operations, each one pass over X.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/index.h"
#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

template <class T>
class Data;

// Some of the items, with the features that occur in them.
template <class T>
struct Sample {
  std::unique_ptr<Data<T>> data;  // null where a copy is not cheap
  std::vector<Index> features;    // of each row of `data`, ascending
};

// A step on a block of neighbouring items while they are at hand: `product` has their rows of X'W, `h` as many
// rows, to be filled with those of H'. `first` is the first of the items. Called for several blocks at once.
template <class T>
using UpdateItems = std::function<void(Index block, Index first, const Matrix<T>& product, Matrix<T>& h)>;

// The data as a whole, of which a Data<T> may hold a part: the sizes of all, and where its own rows and columns begin.
struct Whole {
  Index rows = 0, cols = 0, nonzeros = 0;
  Index first_row = 0, first_col = 0;
};

template <class T>
class Data {
 public:
  virtual ~Data() = default;

  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  virtual Index nonzeros() const = 0;  // stored entries: what one pass costs

  // out = X H' (rows x k), where h holds H' as cols x k.
  virtual void times(const Matrix<T>& h, Matrix<T>& out) const = 0;
  // out = X' W (cols x k), where w is rows x k.
  virtual void transpose_times(const Matrix<T>& w, Matrix<T>& out) const = 0;
  // Both with a solver's step between them, in one read of the items: for each block X'W, update(), and out = X H' for
  // the H' that was filled in. Here it is made of the two products and has one block of all items.
  virtual void read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const {
    Matrix<T> product, h(cols(), w.cols());
    transpose_times(w, product);
    update(0, 0, product, h);
    times(h, out);
  }
  // The number of these blocks. They depend on the data only.
  virtual Index item_blocks() const { return 1; }
  // Whether that is better than the two products: where the items must be fetched, it is.
  virtual bool prefers_one_read() const { return false; }

  // |X|^2, Frobenius.
  virtual double squared_norm() const = 0;
  // |X / 2^exponent|^2, for entries whose squares no number holds.
  virtual double squared_norm_over(int exponent) const { return std::ldexp(squared_norm(), -2 * exponent); }
  // Others may hold parts of X, too. Rows of W are spread over them like items: rows() and cols() count one's own.
  virtual Whole whole() const { return {rows(), cols(), nonzeros(), 0, 0}; }
  // Adds up a small array over all who hold a part of X.
  virtual void sum(std::span<double> /*values*/) const {}

  // Calls visit(first, block) for blocks of neighbouring items, several at once: X(:, first ...) in compressed columns.
  // For losses that the products do not serve; data that can't is refused with a sentence.
  virtual void visit_blocks(const std::function<void(Index first, const SparseView<T>& block)>& /*visit*/) const {
    throw InvalidArgument("This data gives products only; the Kullback-Leibler loss needs its entries.");
  }

  // A copy of the given items of the whole, ascending, where a copy is cheap. A solver must also work without it.
  virtual Sample<T> select(std::span<const Index> /*items*/) const { return {}; }

  // Whether it has the same products with sums whose order depends on X only: for factors side by side each column of
  // the product then has the bits that it has alone.
  virtual bool multiplies_by_column() const { return false; }
  virtual void times_by_column(const Matrix<T>& h, Matrix<T>& out) const { times(h, out); }
  virtual void transpose_times_by_column(const Matrix<T>& w, Matrix<T>& out) const { transpose_times(w, out); }
};

}  // namespace copse
