// The reads of a rank-2 factorization on a device: X'W, the closed-form step, and X H', of which only W and X H' cross
// the bus.
#pragma once

#include <memory>

#include "copse/engines/opencl/opencl.h"
#include "copse/matrix/sparse.h"
#include "copse/nnls/two_columns.h"

namespace copse {

// A device that was made ready once, for many matrices. Throws as OpenClData does.
template <class T>
class OpenClWorkshop {
 public:
  explicit OpenClWorkshop(const OpenClOptions& options);
  ~OpenClWorkshop();
  OpenClTimes times_so_far() const;

  struct State;
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// H H' = [a b; b c], and <X, W H>.
struct OpenClSums {
  double a = 0, b = 0, c = 0, fitted = 0;
};

// A sparse matrix and its transpose for products with two columns. The workshop must outlive it. H' (items x 2) of the
// last call stays on the device until coefficients() fetches it.
template <class T>
class OpenClPairs {
 public:
  OpenClPairs(const OpenClWorkshop<T>& workshop, SparseMatrix<T> x);
  ~OpenClPairs();

  // For every item h = argmin |W h - x|, h >= 0; xh = X H'.
  OpenClSums sweep(const Matrix<T>& w, const TwoColumns<T>& solve, Matrix<T>& xh);
  // H = V'X; with groups, of every item the coefficient of its group alone, and zero.
  OpenClSums project(const Matrix<T>& v, const char* in_first, Matrix<T>& xh);
  // For a given H'.
  OpenClSums spread(const Matrix<T>& h, Matrix<T>& xh);
  void coefficients(Matrix<T>& h) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse
