// How long a step takes.
#pragma once

#include <chrono>

namespace copse {

// Runs from where it is made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// What the steps of a run took; 0 for a step that did not take place.
struct Seconds {
  double read = 0;
  double prepare = 0;
  double solve = 0;
  double write = 0;
  double total = 0;
};

}  // namespace copse
