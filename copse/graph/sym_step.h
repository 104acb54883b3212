// What a solver of symnmf.h does in one iteration: from one B to the next.
#pragma once

#include <memory>

#include "copse/graph/symnmf_options.h"
#include "copse/matrix/data.h"
#include "copse/matrix/sparse.h"

namespace copse {

// A point and what is known of it. The objective is |A|^2 - 2 <A B, B> + |B'B|^2.
template <class T>
struct SymPoint {
  Matrix<T> b = {};          // n x k
  Matrix<T> product = {};    // A B
  Matrix<double> gram = {};  // B'B
  double objective = 0;
};

template <class T>
struct SymProblem {
  const Data<T>& a;
  const SparseView<T>* entries;  // null where A is not in memory
  double squared_norm;           // |A|^2
  double largest;                // entry of A, or an upper bound for its scale

  // Completes a point whose b is given.
  void evaluate(SymPoint<T>& point) const;
};

template <class T>
class SymStep {
 public:
  virtual ~SymStep() = default;
  // `now` is complete and becomes the next point, complete as well. Returns false where nothing can be gained any more.
  virtual bool advance(SymPoint<T>& now) = 0;
};

// 4 (B B'B - A B): the gradient of |A - B B'|^2, [Kuang 2014, eq. 18].
template <class T>
Matrix<T> sym_gradient(const SymPoint<T>& point);

template <class T>
std::unique_ptr<SymStep<T>> coordinate_step(const SymProblem<T>& problem);
template <class T>
std::unique_ptr<SymStep<T>> alternating_step(const SymProblem<T>& problem, const SymNmfOptions& options);
template <class T>
std::unique_ptr<SymStep<T>> gradient_step(const SymProblem<T>& problem);
template <class T>
std::unique_ptr<SymStep<T>> newton_step(const SymProblem<T>& problem);
template <class T>
std::unique_ptr<SymStep<T>> gauss_newton_step(const SymProblem<T>& problem);

// The minimiser over x >= 0 of x^4 / 4 + a x^2 / 2 + b x; quicker with a guess `near` it.
double least_quartic(double a, double b, double near = 0);

}  // namespace copse
