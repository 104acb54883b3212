// What a symmetric factorization is asked for, and what it tells on the way.
#pragma once

#include <functional>
#include <limits>

#include "copse/base/index.h"

namespace copse {

enum class SymSolver {
  coordinate,    // exact coordinate descent: every entry minimises a quartic (Vandaele et al. 2016); sparse A only
  hals,          // sweeps of C over min |A - C B'|^2 + alpha |C - B|^2, extrapolated
  anls,          // exact alternating NNLS of the same with fixed alpha [Kuang 2014, algorithm 2]
  anls_growing,  // and with alpha that grows by 1 % until |C - B| / |B| < 1e-8 [Kuang 2014, section 3.6.3]
  newton,        // Newton-like with a block-diagonal Hessian [Kuang 2014, algorithm 1, both improvements]; n < 3000
  projected_gradient,  // algorithm 1 with the identity in place of the Hessian
  gauss_newton         // a few steps of conjugate gradients on the Gauss-Newton model (Eswar et al. 2020)
};

struct SymIteration {
  int number = 0;                       // 1, 2, ...
  double relative_error = 0;            // |A - B B'| / |A|
  double projected_gradient_ratio = 0;  // |projected gradient| / first_gradient of the options or of the start
  double seconds = 0;                   // since the run began
};

struct SymNmfOptions {
  Index rank = 0;  // required: 1 <= rank <= n
  SymSolver solver = SymSolver::coordinate;
  int max_iterations = 10000;  // [Kuang 2014, section 3.7.3]
  double tolerance = 1e-4;     // stop when |projected gradient| <= tolerance * first_gradient
  double first_gradient = 0;   // 0: that of the start
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  double alpha = 0;         // anls, hals: weight of |C - B|^2; 0: the largest entry of A
  double beta = 0;          // anls, hals: weight of sum_i |b_i|_1^2, which makes rows sparse
  bool extrapolate = true;  // hals: run ahead of the iterates
  std::function<bool(const SymIteration&)> progress = {};  // once per iteration; false asks to stop
};

}  // namespace copse
