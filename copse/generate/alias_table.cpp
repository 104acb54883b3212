#include "copse/generate/alias_table.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace copse {

AliasTable::AliasTable(std::span<const double> weights) : slots_(weights.size()) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  assert(sum > 0);
  std::vector<double> share(weights.size());  // in units of one slot
  std::vector<std::uint32_t> small, large;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    share[i] = weights[i] / sum * static_cast<double>(weights.size());
    (share[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t poor = small.back(), rich = large.back();
    small.pop_back();
    slots_[poor] = {static_cast<std::uint32_t>(share[poor] * 0x1p32), rich};
    share[rich] -= 1 - share[poor];
    if (share[rich] < 1) {
      large.pop_back();
      small.push_back(rich);
    }
  }
  // What is left has share 1 up to rounding.
  for (const auto* rest : {&small, &large}) {
    for (const std::uint32_t i : *rest) slots_[i] = {0, i};
  }
}

}  // namespace copse
