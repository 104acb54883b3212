#include "copse/tree/mndcg.h"

#include <algorithm>
#include <cmath>

#include "copse/tree/radix_sort.h"

namespace copse {
namespace {

// 0-based positions of all terms in a ranking that continues with the terms of weight zero.
void place_terms(std::span<const RowIndex> ranked, std::vector<RowIndex>& positions) {
  std::ranges::fill(positions, RowIndex(-1));
  for (std::size_t r = 0; r < ranked.size(); ++r) positions[ranked[r]] = static_cast<RowIndex>(r);
  RowIndex next = static_cast<RowIndex>(ranked.size());
  for (RowIndex& position : positions) {
    if (position < 0) position = next++;
  }
}

}  // namespace

Mndcg::Mndcg(Index vocabulary)
    : vocabulary_(vocabulary),
      logarithm_(static_cast<std::size_t>(vocabulary) + 1),
      discount_(static_cast<std::size_t>(vocabulary)) {
  for (Index i = 1; i <= vocabulary; ++i) logarithm_[i] = std::log(static_cast<double>(i));
  for (Index i = 0; i < vocabulary; ++i) discount_[i] = i < 2 ? 1 : std::log(2.0) / logarithm_[i + 1];
}

double Mndcg::operator()(std::span<const RowIndex> parent, std::span<const RowIndex> first,
                         std::span<const RowIndex> second) const {
  if (parent.size() < 2 || first.empty() || second.empty()) return -1;
  const auto m = static_cast<std::size_t>(vocabulary_);
  std::vector<RowIndex> in_parent(m), in_first(m), in_second(m);
  place_terms(parent, in_parent);
  place_terms(first, in_first);
  place_terms(second, in_second);

  const Index ranked = static_cast<Index>(parent.size());
  std::vector<float> gains(m);
  double dcg1 = 0, dcg2 = 0;
  for (std::size_t term = 0; term < m; ++term) {
    const Index i = in_parent[term], i1 = in_first[term], i2 = in_second[term];
    const double p = logarithm_[std::max<Index>(2, vocabulary_ - std::max(i1, i2))];
    if (i < ranked) {
      const double gain = logarithm_[ranked - i] / p;
      dcg1 += gain * discount_[i1];
      dcg2 += gain * discount_[i2];
    }
    gains[term] = static_cast<float>((i < ranked ? logarithm_[vocabulary_ - i] : 1) / p);
  }
  radix_sort(gains, 32, [](float gain) { return ~order_bits(gain); });
  double ideal = 0;
  for (std::size_t i = 0; i < m; ++i) ideal += static_cast<double>(gains[i]) * discount_[i];
  return (dcg1 / ideal) * (dcg2 / ideal);
}

}  // namespace copse
