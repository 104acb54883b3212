// The iterate of an alternation that runs ahead of it: each new point is accepted, or the one before is restored.
#pragma once

#include <initializer_list>
#include <limits>
#include <utility>

#include "copse/matrix/dense.h"
#include "copse/nmf/momentum.h"

namespace copse {

// `Point` holds the factors, `h` among them. Steps change ahead(), and nothing else, until the point is accepted or
// restored: whoever wants back, goes back to kept().
template <class T, class Point>
class Iterate {
 public:
  Iterate(Point start, bool extrapolates) : kept_(start), ahead_(std::move(start)), momentum_(extrapolates) {}

  const Point& kept() const {
    return kept_;
  }  // accepted; it changes by exchange only, so that it is whole at any moment
  Point take() { return std::move(kept_); }
  double objective() const { return objective_; }  // of the kept point
  Point& ahead() { return ahead_; }                // where the next one is being made
  const Point& ahead() const { return ahead_; }
  const Momentum& momentum() const { return momentum_; }
  // H of the step before, from which the next one runs ahead.
  const Matrix<T>& swept_h() const { return swept_h_; }

  // What ahead() is, between a judgement and the next step: the kept point, or one with other factors than H further
  // on. Or the kept point has just been restored: products with H, if any are at hand, belong to the rejected one.
  enum class Standing { kept, further, restored };
  Standing standing() const { return standing_; }
  void go_back() {
    ahead_ = kept_;
    standing_ = Standing::kept;
  }
  // To where make(kept point) leads, without the momentum of the way so far. What it does not need makes room.
  template <class Make>
  void jump(const Make& make) {
    ahead_ = {};
    swept_h_ = {};
    ahead_ = make(kept_);
    momentum_.rest();
  }

  // A step left its H in ahead(): it runs ahead.
  void run_h_ahead() { run_ahead(momentum_, swept_h_, ahead_.h); }

  // The start counts as accepted.
  void begin(double objective) { objective_ = objective; }
  // ahead() is the new iterate, from which H goes on and the `others` run ahead, unless it is the last.
  void accept(double objective, bool is_last, std::initializer_list<Matrix<T> Point::*> others) {
    objective_ = objective;
    std::swap(kept_, ahead_);
    ahead_.h = kept_.h;
    standing_ = momentum_.length() > 0 && !is_last ? Standing::further : Standing::kept;
    const double length = standing_ == Standing::further ? momentum_.length() : 0;
    for (const auto factor : others) run_ahead(kept_.*factor, ahead_.*factor, length);
    momentum_.fell();
  }
  // The objective rose for what was tried: the kept point is taken up again. Its objective needs nothing new.
  void restore() {
    ahead_ = kept_;
    standing_ = Standing::restored;
    momentum_.rose();
  }

 private:
  Point kept_, ahead_;
  Matrix<T> swept_h_;
  Momentum momentum_;
  Standing standing_ = Standing::kept;
  double objective_ = std::numeric_limits<double>::infinity();
};

}  // namespace copse
