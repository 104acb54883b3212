// Random numbers that depend on (seed, stream, position) only: any thread can draw any part of a sequence.
#pragma once

#include <array>
#include <cstdint>

#include "copse/base/index.h"

namespace copse {

// One stream of Philox4x32-10 [Salmon et al. 2011]. Streams with different numbers are independent; give each row or
// item its own.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint32_t bits();
  double uniform();            // [0, 1), 53 random bits
  double normal();             // mean 0, variance 1
  double gamma(double shape);  // scale 1
  Index below(Index bound);    // 0 ... bound - 1, without bias

 private:
  void refill();

  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace copse
