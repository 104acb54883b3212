#include "copse/tree/sample_items.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/tree/constants.h"

namespace copse {
namespace {

// A number from (0, 1] for an item: multiples of the golden ratio, which fill an interval evenly wherever they begin,
// from another random place for every stretch of items. So neighbours in the whole, items of a class that lie together
// or come at intervals, have about their share of a sample, and no interval is in step for long.
double place_of(std::uint64_t number, Index stride) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;  // 2^64 / 1.618...
  Random random(static_cast<std::uint64_t>(stride), number / items_of_stretch);
  std::uint64_t place = random.bits();
  place = (place << 32 | random.bits()) + golden * (number % items_of_stretch);
  return static_cast<double>((place >> 11) + 1) * 0x1p-53;
}

}  // namespace

SampleStrides sample_strides(Index items) {
  const Index size = items < large_node ? items_in_sample : items_to_compare;
  const Index most = std::max(max_stride, items / items_of_large_sample);
  const Index first = std::clamp<Index>(items / size, 1, most);
  return {first, first < coarse_stride ? 1 : first / refinement};
}

SampledItems sample_items(std::span<const double> squared_norms, Index stride, std::span<const RowIndex> numbers) {
  const Index count = static_cast<Index>(squared_norms.size());
  const Index size = (count + stride - 1) / stride;
  std::vector<double> priorities(squared_norms.size());
  parallel_blocks(count, items_to_draw, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j)
      priorities[j] = squared_norms[j] / place_of(numbers.empty() ? static_cast<std::uint64_t>(j) : numbers[j], stride);
  });
  double t = 0;  // the largest priority of those that are not drawn
  if (size < count) {
    std::vector<double> order = priorities;
    std::ranges::nth_element(order, order.begin() + size, std::ranges::greater());
    t = order[size];
  }
  SampledItems sample;
  for (Index j = 0; j < count; ++j) {
    if (!(priorities[j] > t)) continue;
    sample.items.push_back(static_cast<RowIndex>(j));
    sample.factors.push_back(std::sqrt(std::max(1.0, t / squared_norms[j])));
  }
  return sample;
}

std::vector<RowIndex> items_of_samples(std::span<const double> squared_norms, std::span<const RowIndex> numbers) {
  const SampleStrides strides = sample_strides(static_cast<Index>(squared_norms.size()));
  std::vector<RowIndex> all, merged;
  for (const Index stride : {strides.first, strides.second}) {
    if (stride == 1) continue;
    const SampledItems sample = sample_items(squared_norms, stride, numbers);
    merged.clear();
    std::ranges::set_union(all, sample.items, std::back_inserter(merged));
    all.swap(merged);
  }
  return all;
}

}  // namespace copse
