// All that a solver may ask of the data X (m features x n items): four operations, each one pass over X.
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
  // |X|^2, Frobenius.
  virtual double squared_norm() const = 0;
  // |X / 2^exponent|^2, for entries whose squares no number holds.
  virtual double squared_norm_over(int exponent) const { return std::ldexp(squared_norm(), -2 * exponent); }
  // Adds up a small array over all who hold a part of X.
  virtual void sum(std::span<double> /*values*/) const {}

  // Calls visit(first, block) for blocks of neighbouring items, several at once: X(:, first ...) in compressed columns.
  // For losses that the products do not serve; data that can't is refused with a sentence.
  virtual void visit_blocks(const std::function<void(Index first, const SparseView<T>& block)>& /*visit*/) const {
    throw InvalidArgument("This data gives products only; the Kullback-Leibler loss needs its entries.");
  }

  // A copy of the given items, ascending, where one is cheap to make. Solvers must do without.
  virtual Sample<T> select(std::span<const Index> /*items*/) const { return {}; }
};

}  // namespace copse
