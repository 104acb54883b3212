// [Kuang 2014, algorithm 1]: a step along a scaled gradient that is bent at zero, with Armijo's rule. Solvers differ in
// the scaling.
#pragma once

#include "copse/graph/sym_step.h"

namespace copse {

// Whether a variable is in the set E of [Kuang 2014, eq. 19]: at zero, and held there by its gradient.
template <class T>
bool is_held(T value, T gradient) {
  constexpr double zero_bound = 1e-16;  // [Kuang 2014, section 3.7.3]
  return static_cast<double>(value) <= zero_bound && gradient > T(0);
}

template <class T>
class SearchStep : public SymStep<T> {
 public:
  explicit SearchStep(const SymProblem<T>& problem) : problem_(problem) {}

  bool advance(SymPoint<T>& now) override;

 protected:
  // S gradient, where S is positive definite and the identity on E.
  virtual Matrix<T> scaled(const SymPoint<T>& now, const Matrix<T>& gradient) = 0;
  // The first length tried.
  virtual double first_length() { return 1; }
  virtual void accepted(double /*length*/) {}

  const SymProblem<T>& problem_;

 private:
  bool search(SymPoint<T>& now, const Matrix<T>& gradient, const Matrix<T>& direction, double length);
};

extern template class SearchStep<float>;
extern template class SearchStep<double>;

}  // namespace copse
