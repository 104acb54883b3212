// The steps of an alternation, and what they know of X: two products in each iteration, or one read that makes both.
#pragma once

#include <map>
#include <vector>

#include "copse/nmf/factors.h"
#include "copse/nmf/iterate.h"
#include "copse/nmf/step.h"

namespace copse {

// An iteration is pass_w(), take_w(), step_h(), pass_h(), take_h(), step_w(). Whoever makes the products for several at
// once puts them into h_product() and w_product() instead of the two passes.
template <class T>
class Steps {
 public:
  using At = Iterate<T, Factors<T>>;

  Steps(const Data<T>& x, const NmfOptions& options, bool with_gradient);

  // X'W. Where one read serves all, it makes the next H as well if the iteration `goes_on`: what comes between after
  // all begins with leave().
  void pass_w(At& at, bool goes_on);
  void take_w(const At& at);
  void step_h(At& at);
  void pass_h(const At& at);
  void take_h(const At& at);
  void step_w(At& at);
  Matrix<T>& h_product() { return h_product_; }  // X'W
  Matrix<T>& w_product() { return w_product_; }  // X H'

  // at.ahead() has become another point than the one that the products belong to.
  void leave(At& at);
  // The same, for the gradient at the kept point.
  void go_back_to_measure(At& at);
  void make_room();

  // |X - W H|^2, and with the penalties, of the point ahead, after step_w().
  struct Value {
    double squared = 0, objective = 0;
    Matrix<double> w_gram;
  };
  Value value(const At& at) const;
  const Matrix<double>& h_gram() const { return h_gram_; }
  double squared_norm() const { return squared_norm_; }  // of X

  // |projected gradient| at (ahead.w, ahead.h) in coordinates that have no scale (dcnmf 5.3): X / |X|, columns of W of
  // unit norm, and sqrt(n) w0. With d = |w_c|, the gradient of w_c is multiplied by d and that of h_c divided by it.
  double projected_gradient_ratio(const At& at) const;

 private:
  enum class Read { measure, update };
  void read_once(At& at, Read what);
  void take_read();
  std::vector<double> projected_gradient(const Matrix<double>& gram, const Matrix<T>& product,
                                         const Matrix<T>& g) const;
  Matrix<double> penalized_by_beta(Matrix<double> gram) const;
  Matrix<double> penalized_by_alpha(Matrix<double> gram) const;
  double penalties(const Matrix<double>& w_gram, const Matrix<double>& h_gram) const;

  const Data<T>& x_;
  const NmfOptions& options_;
  const bool with_gradient_;
  const double squared_norm_;
  const bool one_read_;  // the products and the step of H between them are one read of X
  const StepOptions h_step_;
  const StepOptions w_step_;
  Matrix<T> h_product_;  // X'W and
  Matrix<T> w_product_;  // X H', each with a place of its own: one for both would be given back and cleared every time
  Matrix<double> w_gram_;  // W'W and
  Matrix<double> h_gram_;  // H H'
  // Of a read that is not taken up yet: X H', H H', and the squares of the projected gradient of H.
  Matrix<T> read_product_;
  Matrix<double> read_gram_;
  std::vector<double> h_squares_;
  bool has_read_next_ = false;  // that read is the step from ahead()
};

}  // namespace copse
