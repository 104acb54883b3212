// How far an alternation runs ahead of its iterates: y = max(0, now + length (now - before)).
#pragma once

#include <algorithm>
#include <utility>

#include "copse/matrix/dense.h"

namespace copse {

// The length grows while the objective falls and is cut when it rises (Ang & Gillis 2019, algorithm 2). The iteration
// after a rise takes no momentum, so that a descent method is sure to make progress.
class Momentum {
 public:
  explicit Momentum(bool active) : planned_(active ? first : 0.0), limit_(active ? 1.0 : 0.0) {}

  bool idle() const { return limit_ == 0; }

  // For the coming iteration; 0 in the first, which has nothing to extrapolate from.
  double length() const { return resting_ ? 0.0 : planned_; }

  // For an iterate that does not continue the one before.
  void rest() { resting_ = true; }

  void fell() {
    if (!resting_) {
      before_ = planned_;
      planned_ = std::min(limit_, growth * planned_);
      limit_ = std::min(1.0, limit_growth * limit_);
    }
    resting_ = false;
  }

  void rose() {
    limit_ = before_;
    planned_ /= cut;
    resting_ = true;
  }

 private:
  static constexpr double first = 0.5;
  static constexpr double growth = 1.01;
  static constexpr double limit_growth = 1.005;
  static constexpr double cut = 1.5;

  double planned_;
  double limit_;
  double before_ = 0;
  bool resting_ = true;
};

// ahead = max(0, now + length (now - before)), where `ahead` holds `before` on entry.
template <class T>
void run_ahead(const Matrix<T>& now, Matrix<T>& ahead, double length);

// The same with the length of `momentum`. On entry `ahead` holds now and `swept` holds before; then `swept` holds now.
template <class T>
void run_ahead(const Momentum& momentum, Matrix<T>& swept, Matrix<T>& ahead) {
  if (momentum.idle()) return;
  std::swap(ahead, swept);
  if (momentum.length() > 0) {
    run_ahead(swept, ahead, momentum.length());
  } else {
    ahead = swept;
  }
}

}  // namespace copse
