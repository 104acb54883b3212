// All that a solver may ask of the data X (m features x n items): a few operations, each one pass over X.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "copse/base/index.h"
#include "copse/matrix/dense.h"

namespace copse {

// What is done with a block of neighbouring items while they are at hand: `product` has their rows of X'W, `h` as many
// rows, to be filled with those of H'. `first` is the first of the items. Called for several blocks at once.
template <class T>
using UpdateItems = std::function<void(Index first, const Matrix<T>& product, Matrix<T>& h)>;

// The data as a whole, of which a Data<T> may hold a part: the sizes of all, and where its own rows and columns begin.
struct Whole {
  Index rows = 0, cols = 0, nonzeros = 0;
  Index first_row = 0, first_col = 0;
};

struct Sizes {
  Index rows = 0, cols = 0;
  Index nonzeros = 0;               // stored entries: what one pass costs
  bool is_fetched = false;          // the items are not in memory: read_once() is better than the two products
  std::optional<Whole> whole = {};  // where others hold parts of X, too; rows of W are spread over them like items
};

// A start or a loss may want more than this and ask for it: see matrix/more_of_data.h.
template <class T>
class Data {
 public:
  explicit Data(const Sizes& sizes) : sizes_(sizes) {}
  virtual ~Data() = default;

  const Sizes& sizes() const { return sizes_; }  // those of one's own part
  Index rows() const { return sizes_.rows; }
  Index cols() const { return sizes_.cols; }
  Index nonzeros() const { return sizes_.nonzeros; }
  bool is_fetched() const { return sizes_.is_fetched; }
  Whole whole() const { return sizes_.whole.value_or(Whole{rows(), cols(), nonzeros()}); }

  // out = X H' (rows x k), where h holds H' as cols x k.
  virtual void times(const Matrix<T>& h, Matrix<T>& out) const = 0;
  // out = X' W (cols x k), where w is rows x k.
  virtual void transpose_times(const Matrix<T>& w, Matrix<T>& out) const = 0;
  // Both with a solver's step between them, in one read of the items: for each block X'W, update(), and out = X H' for
  // the H' that was filled in. The blocks depend on the data only. Here it is made of the two products and has one
  // block of all items.
  virtual void read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const {
    Matrix<T> product, h(cols(), w.cols());
    transpose_times(w, product);
    update(0, product, h);
    times(h, out);
  }
  // |X / 2^exponent|^2, Frobenius; for entries whose squares no number holds.
  virtual double squared_norm_over(int exponent) const = 0;
  double squared_norm() const { return squared_norm_over(0); }
  // Adds up a small array over all who hold a part of X.
  virtual void sum(std::span<double> /*values*/) const {}

 protected:
  void set_sizes(const Sizes& sizes) { sizes_ = sizes; }

 private:
  Sizes sizes_;
};

}  // namespace copse
