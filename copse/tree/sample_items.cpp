#include "copse/tree/sample_items.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/random.h"
#include "copse/tree/constants.h"

namespace copse {
namespace {

// The t of p_j = min(1, q_j / t): each round takes the items with q_j >= t out as certain and shares the rest of the
// sample among the others. t falls from round to round, so that the certain items stay certain.
double threshold(std::span<const double> squared_norms, Index size) {
  double t = std::numeric_limits<double>::infinity();
  for (;;) {
    double rest = 0;
    Index certain = 0;
    for (const double q : squared_norms) {
      if (q >= t)
        ++certain;
      else
        rest += q;
    }
    if (certain >= size || rest == 0) return t;
    const double next = rest / static_cast<double>(size - certain);
    if (!(next < t)) return t;
    t = next;
  }
}

}  // namespace

SampleStrides sample_strides(Index items) {
  const Index size = items < large_node ? items_in_sample : items_to_compare;
  const Index most = std::max(max_stride, items / items_of_large_sample);
  const Index first = std::clamp<Index>(items / size, 1, most);
  return {first, first < coarse_stride ? 1 : first / refinement};
}

SampledItems sample_items(std::span<const double> squared_norms, Index stride) {
  const Index count = static_cast<Index>(squared_norms.size());
  const double t = threshold(squared_norms, (count + stride - 1) / stride);
  SampledItems sample;
  Random random(0, static_cast<std::uint64_t>(stride));
  double way = 0, next = random.uniform();  // the length of the items so far, and where the next one is drawn
  Index unit = 0;
  for (Index j = 0; j < count; ++j) {
    const double q = squared_norms[j];
    if (q == 0) continue;
    double drawn = 1;  // how often, divided by p_j
    if (q < t) {
      way += q / t;
      int times = 0;
      for (; next < way; ++times) next = static_cast<double>(++unit) + random.uniform();
      drawn = times * (t / q);
    }
    if (drawn == 0) continue;
    sample.items.push_back(static_cast<RowIndex>(j));
    sample.factors.push_back(std::sqrt(drawn));
  }
  return sample;
}

std::vector<RowIndex> items_of_samples(std::span<const double> squared_norms) {
  const SampleStrides strides = sample_strides(static_cast<Index>(squared_norms.size()));
  std::vector<RowIndex> all, merged;
  for (const Index stride : {strides.first, strides.second}) {
    if (stride == 1) continue;
    const SampledItems sample = sample_items(squared_norms, stride);
    merged.clear();
    std::ranges::set_union(all, sample.items, std::back_inserter(merged));
    all.swap(merged);
  }
  return all;
}

}  // namespace copse
