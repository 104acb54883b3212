#include "copse/base/random.h"

#include <Random123/philox.h>

#include <cassert>
#include <cmath>
#include <numbers>

namespace copse {

Random::Random(std::uint64_t seed, std::uint64_t stream)
    : counter_{0, 0, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
      key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {}

void Random::refill() {
  const r123::Philox4x32 philox;
  const auto block = philox({{counter_[0], counter_[1], counter_[2], counter_[3]}}, {{key_[0], key_[1]}});
  for (std::size_t i = 0; i < 4; ++i) block_[i] = block[i];
  if (++counter_[0] == 0) ++counter_[1];
  used_ = 0;
}

std::uint32_t Random::bits() {
  if (used_ == 4) refill();
  return block_[static_cast<std::size_t>(used_++)];
}

double Random::uniform() {
  const std::uint64_t high = bits();
  const std::uint64_t low = bits();
  return static_cast<double>((high << 32 | low) >> 11) * 0x1p-53;
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  // [Box & Muller 1958]; 1 - uniform() is never zero.
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

double Random::gamma(double shape) {
  assert(shape > 0);
  if (shape < 1) {
    const double boost = std::pow(1 - uniform(), 1 / shape);
    return boost * gamma(shape + 1);
  }
  // [Marsaglia & Tsang 2000].
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal();
    const double t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t;
    if (std::log(1 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

Index Random::below(Index bound) {
  assert(bound > 0);
  const auto range = static_cast<std::uint64_t>(bound);
  for (;;) {
    const std::uint64_t high = bits();
    const std::uint64_t value = high << 32 | bits();
    // Rejected are values below 2^64 mod range, which is below range: it need hardly ever be calculated.
    if (value >= range || value >= (0 - range) % range) return static_cast<Index>(value % range);
  }
}

}  // namespace copse
