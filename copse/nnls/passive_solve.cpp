#include "copse/nnls/passive_solve.h"

#include <algorithm>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/nnls/passive_solve.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace copse::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, passive_padding>;

constexpr Index tile = 4;  // sums in flight

// Element e of the system in lane l stands at e * lanes + l, so that one instruction serves all systems.
struct Systems {
  Index size;     // of the largest, rounded up to a multiple of tile
  Index* column;  // size x lanes; k, the zero column, beyond the end of a set
  double* u;      // size x size
  double* inverse;
  double* x;
};

// gram(set, set) = U'U row by row, u(b, c) = (gram(b, c) - sum_(a < b) u(a, b) u(a, c)) / u(b, b), with a row of zeros
// for a column that depends on those before it.
HWY_INLINE void factor(const PassiveRows& block, const Systems& s) {
  const Lanes d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index b = 0; b < s.size; ++b) {
    for (Index c = b / tile * tile; c < s.size; ++c) {
      double* to = s.u + (b * s.size + c) * lanes;
      const Index* from = s.column + b * lanes;
      const Index* across = s.column + c * lanes;
      for (Index l = 0; l < lanes; ++l) to[l] = block.gram[from[l] * block.stride + across[l]];
    }
  }
  for (Index b = 0; b < s.size; ++b) {
    double* row = s.u + b * s.size * lanes;
    for (Index c = b / tile * tile; c < s.size; c += tile) {
      double* to = row + c * lanes;
      auto sum0 = hn::Load(d, to);
      auto sum1 = hn::Load(d, to + lanes);
      auto sum2 = hn::Load(d, to + 2 * lanes);
      auto sum3 = hn::Load(d, to + 3 * lanes);
      const double* above = s.u + c * lanes;
      const double* left = s.u + b * lanes;
      for (Index a = 0; a < b; ++a, above += s.size * lanes, left += s.size * lanes) {
        const auto factor = hn::Load(d, left);
        sum0 = hn::NegMulAdd(factor, hn::Load(d, above), sum0);
        sum1 = hn::NegMulAdd(factor, hn::Load(d, above + lanes), sum1);
        sum2 = hn::NegMulAdd(factor, hn::Load(d, above + 2 * lanes), sum2);
        sum3 = hn::NegMulAdd(factor, hn::Load(d, above + 3 * lanes), sum3);
      }
      hn::Store(sum0, d, to);
      hn::Store(sum1, d, to + lanes);
      hn::Store(sum2, d, to + 2 * lanes);
      hn::Store(sum3, d, to + 3 * lanes);
    }
    const auto pivot = hn::Load(d, row + b * lanes);
    const auto independent = hn::Gt(pivot, hn::Set(d, block.dependence));
    const auto inverse = hn::IfThenElseZero(independent, hn::Div(hn::Set(d, 1.0), hn::Sqrt(pivot)));
    hn::Store(inverse, d, s.inverse + b * lanes);
    for (Index c = b; c < s.size; ++c) hn::Store(hn::Mul(inverse, hn::Load(d, row + c * lanes)), d, row + c * lanes);
  }
}

// U'U x = rhs; the coordinates of dependent columns become zero.
HWY_INLINE void substitute(const Systems& s) {
  const Lanes d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index a = 0; a < s.size; ++a) {
    const auto value = hn::Mul(hn::Load(d, s.x + a * lanes), hn::Load(d, s.inverse + a * lanes));
    hn::Store(value, d, s.x + a * lanes);
    const double* u = s.u + a * s.size * lanes;
    for (Index c = a + 1; c < s.size; ++c)
      hn::Store(hn::NegMulAdd(value, hn::Load(d, u + c * lanes), hn::Load(d, s.x + c * lanes)), d, s.x + c * lanes);
  }
  for (Index a = s.size - 1; a >= 0; --a) {
    const auto value = hn::Mul(hn::Load(d, s.x + a * lanes), hn::Load(d, s.inverse + a * lanes));
    hn::Store(value, d, s.x + a * lanes);
    for (Index b = 0; b < a; ++b)
      hn::Store(hn::NegMulAdd(value, hn::Load(d, s.u + (b * s.size + a) * lanes), hn::Load(d, s.x + b * lanes)), d,
                s.x + b * lanes);
  }
}

// Bit l: whether lane l of the mask is set.
template <class Mask>
HWY_INLINE std::uint64_t bits(Lanes d, Mask mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0];
}

// gradient = gram solution - rhs of one row.
HWY_INLINE void find_gradient(const PassiveRows& block, std::span<const Index> columns, Index row) {
  const Lanes d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const double* rhs = block.rhs + row * block.stride;
  const double* solution = block.solution + row * block.stride;
  double* gradient = block.gradient + row * block.stride;
  Index c = 0;
  for (; c + tile * lanes <= block.stride; c += tile * lanes) {
    auto sum0 = hn::Neg(hn::Load(d, rhs + c));
    auto sum1 = hn::Neg(hn::Load(d, rhs + c + lanes));
    auto sum2 = hn::Neg(hn::Load(d, rhs + c + 2 * lanes));
    auto sum3 = hn::Neg(hn::Load(d, rhs + c + 3 * lanes));
    for (Index column : columns) {
      const auto value = hn::Set(d, solution[column]);
      const double* gram = block.gram + column * block.stride + c;
      sum0 = hn::MulAdd(value, hn::Load(d, gram), sum0);
      sum1 = hn::MulAdd(value, hn::Load(d, gram + lanes), sum1);
      sum2 = hn::MulAdd(value, hn::Load(d, gram + 2 * lanes), sum2);
      sum3 = hn::MulAdd(value, hn::Load(d, gram + 3 * lanes), sum3);
    }
    hn::Store(sum0, d, gradient + c);
    hn::Store(sum1, d, gradient + c + lanes);
    hn::Store(sum2, d, gradient + c + 2 * lanes);
    hn::Store(sum3, d, gradient + c + 3 * lanes);
  }
  for (; c < block.stride; c += lanes) {
    auto sum = hn::Neg(hn::Load(d, rhs + c));
    for (Index column : columns)
      sum = hn::MulAdd(hn::Set(d, solution[column]), hn::Load(d, block.gram + column * block.stride + c), sum);
    hn::Store(sum, d, gradient + c);
  }
}

// What counts as zero in the gradient of a row, and its infeasible coordinates: passive ? solution < 0 : gradient < 0.
HWY_INLINE void judge(const PassiveRows& block, Index row) {
  const Lanes d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const double* rhs = block.rhs + row * block.stride;
  const double* solution = block.solution + row * block.stride;
  const double* gradient = block.gradient + row * block.stride;
  auto largest = hn::Zero(d);
  for (Index c = 0; c < block.stride; c += lanes)
    largest = hn::Max(largest, hn::Max(hn::Abs(hn::Load(d, rhs + c)), hn::Abs(hn::Load(d, solution + c))));
  const double tolerance = block.gradient_noise * hn::GetLane(hn::MaxOfLanes(d, largest));
  block.tolerance[row] = tolerance;
  const auto zero = hn::Zero(d);
  const auto least = hn::Set(d, -tolerance);
  for (Index word = 0; word < block.words_per_row; ++word) {
    std::uint64_t negative = 0;
    std::uint64_t descending = 0;
    const Index end = std::min(block.stride, 64 * (word + 1));
    for (Index c = 64 * word; c < end; c += lanes) {
      negative |= bits(d, hn::Lt(hn::Load(d, solution + c), zero)) << (c % 64);
      descending |= bits(d, hn::Lt(hn::Load(d, gradient + c), least)) << (c % 64);
    }
    const std::uint64_t passive = block.passive[row * block.words_per_row + word];
    block.infeasible[row * block.words_per_row + word] = (passive & negative) | (~passive & descending);
  }
}

void solve_groups(const PassiveRows& block, std::span<const PassiveGroup> groups, PassiveScratch& scratch) {
  const Lanes d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  assert(static_cast<Index>(groups.size()) <= lanes);
  std::size_t most_columns = 1, most_rows = 0;
  for (const PassiveGroup& group : groups) {
    most_columns = std::max(most_columns, group.columns.size());
    most_rows = std::max(most_rows, group.rows.size());
  }
  const Index size = (static_cast<Index>(most_columns) + tile - 1) / tile * tile;
  auto& columns = scratch.columns;
  scratch.numbers.resize(static_cast<std::size_t>(size * (size + 2) * lanes));
  columns.assign(static_cast<std::size_t>(size * lanes), block.k);
  double* numbers = scratch.numbers.data();
  const Systems systems{size, columns.data(), numbers, numbers + size * size * lanes,
                        numbers + size * (size + 1) * lanes};
  for (std::size_t l = 0; l < groups.size(); ++l) {
    for (std::size_t a = 0; a < groups[l].columns.size(); ++a)
      columns[a * static_cast<std::size_t>(lanes) + l] = groups[l].columns[a];
  }
  factor(block, systems);
  for (std::size_t l = 0; l < groups.size(); ++l) {
    for (std::size_t a = 0; a < groups[l].columns.size(); ++a) {
      if (systems.inverse[a * static_cast<std::size_t>(lanes) + l] != 0) continue;
      const Index c = groups[l].columns[a];
      for (Index row : groups[l].rows)
        block.passive[row * block.words_per_row + c / 64] &= ~(std::uint64_t{1} << (c % 64));
    }
  }
  for (std::size_t r = 0; r < most_rows; ++r) {
    // A group that has no more rows goes along with its last.
    const auto row_of = [&](std::size_t l) { return groups[l].rows[std::min(r, groups[l].rows.size() - 1)]; };
    for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) {
      const double* rhs = block.rhs + row_of(std::min(l, groups.size() - 1)) * block.stride;
      for (Index a = 0; a < size; ++a) {
        const Index place = a * lanes + static_cast<Index>(l);
        systems.x[place] = rhs[systems.column[place]];
      }
    }
    substitute(systems);
    for (std::size_t l = 0; l < groups.size(); ++l) {
      if (r >= groups[l].rows.size()) continue;
      const Index row = groups[l].rows[r];
      double* solution = block.solution + row * block.stride;
      std::fill_n(solution, block.stride, 0.0);
      for (std::size_t a = 0; a < groups[l].columns.size(); ++a)
        solution[groups[l].columns[a]] = systems.x[a * static_cast<std::size_t>(lanes) + l];
      find_gradient(block, groups[l].columns, row);
      judge(block, row);
    }
  }
}

Index groups_at_once() { return static_cast<Index>(hn::Lanes(Lanes())); }

}  // namespace copse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
namespace {

HWY_EXPORT(solve_groups);
HWY_EXPORT(groups_at_once);

}  // namespace

Index groups_at_once() { return HWY_DYNAMIC_DISPATCH(groups_at_once)(); }

void solve_groups(const PassiveRows& block, std::span<const PassiveGroup> groups, PassiveScratch& scratch) {
  if (!groups.empty()) HWY_DYNAMIC_DISPATCH(solve_groups)(block, groups, scratch);
}

}  // namespace copse
#endif
