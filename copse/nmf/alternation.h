// One run of the alternation, from one start.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "copse/nmf/options.h"
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

// options.rank columns in both factors, one more when affine. It ignores options.start. Not converging, running out of
// time and being cancelled after the first iteration are stop reasons; before that Cancelled passes through.
template <class T>
Run<T> alternate(const Data<T>& x, const NmfOptions& options, Factors<T> start,
                 std::chrono::steady_clock::time_point began, const Course& course = {});

// The same for several starts, each with its options, of which every product with X is made for all at once: with few
// columns, reading X costs more than multiplying. X must multiply by column, so that no bit of a run depends on the
// others. Cancelled passes through.
template <class T>
std::vector<Run<T>> alternate_together(const Data<T>& x, std::span<const NmfOptions> options,
                                       std::vector<Factors<T>> starts, std::chrono::steady_clock::time_point began);
template <class T>
bool can_alternate_together(const Data<T>& x);

}  // namespace copse
