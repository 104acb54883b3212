// One run of the alternation, from one start.
#pragma once

#include <chrono>
#include <vector>

#include "copse/nmf/nmf.h"
#include "copse/nmf/start.h"

namespace copse {

template <class T>
struct Run {
  Factors<T> factors;  // as the solver left them; affine: w0 is the last column of w, ones that of h
  std::vector<Iteration> history;
  StopReason stop_reason = StopReason::max_iterations;
  double objective = 0;
};

// What a run may do beside alternating.
struct Course {
  bool with_gradient = true;  // without it a run does not stop by itself, and revives no component
  bool breathes = false;      // takes a breath (breathe.h) when the error falls slowly
};

// options.rank columns in both factors, one more when affine. options.start is not looked at. Not converging, running
// out of time and being cancelled after the first iteration are stop reasons; before that Cancelled passes through.
template <class T>
Run<T> alternate(const Data<T>& x, const NmfOptions& options, Factors<T> start,
                 std::chrono::steady_clock::time_point began, const Course& course = {});

}  // namespace copse
