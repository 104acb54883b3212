#include "copse/generate/planted.h"

#include <utility>

#include "copse/base/random.h"

namespace copse {

std::vector<Index> balanced_labels(Index items, Index k, std::uint64_t seed) {
  std::vector<Index> labels(static_cast<std::size_t>(items));
  for (Index j = 0; j < items; ++j) labels[j] = j % k;
  Random random(seed, shared_streams);
  for (Index j = items - 1; j > 0; --j) std::swap(labels[j], labels[random.below(j + 1)]);
  return labels;
}

}  // namespace copse
