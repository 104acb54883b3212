#include "copse/tree/ranked_terms.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "copse/tree/radix_sort.h"

namespace copse {

template <class T>
RankedTerms rank_terms(const Matrix<T>& w, Index column, std::span<const RowIndex> terms) {
  using Bits = decltype(order_bits(T(0)));
  struct Entry {
    Bits key;  // the smaller, the heavier
    std::uint32_t term;
  };
  // Weights are between no_weight and 1, or a rounding error above it. Of the bits in which they can differ, the
  // highest are sorted by, and these tell nearly all weights apart.
  const Bits heaviest = order_bits(T(2)), lightest = order_bits(static_cast<T>(no_weight));
  constexpr int sorted_bits = 22;
  const int low = static_cast<int>(std::bit_width(heaviest - lightest)) - sorted_bits;
  std::vector<Entry> entries(terms.size() + 1);
  std::size_t count = 0;
  for (Index i = 0; i < w.rows(); ++i) {
    const T weight = w(i, column);
    assert(weight <= T(2));
    entries[count] = {heaviest - order_bits(weight), static_cast<std::uint32_t>(terms[i])};
    count += weight > static_cast<T>(no_weight);
  }
  entries.resize(count);
  radix_sort(entries, sorted_bits, [&](const Entry& e) { return e.key >> low; });
  // Weights that these bits do not tell apart follow each other now.
  for (auto first = entries.begin(); first != entries.end();) {
    auto next = first + 1;
    while (next != entries.end() && next->key >> low == first->key >> low) ++next;
    if (next - first > 1)
      std::sort(first, next,
                [](const Entry& a, const Entry& b) { return std::tie(a.key, a.term) < std::tie(b.key, b.term); });
    first = next;
  }
  std::vector<RowIndex> ranked(count);
  std::vector<T> weights(count);
  for (std::size_t r = 0; r < count; ++r) {
    ranked[r] = static_cast<RowIndex>(entries[r].term);
    weights[r] = std::bit_cast<T>(heaviest - entries[r].key);
  }
  return {std::move(ranked), std::move(weights)};
}

template RankedTerms rank_terms(const Matrix<float>&, Index, std::span<const RowIndex>);
template RankedTerms rank_terms(const Matrix<double>&, Index, std::span<const RowIndex>);

}  // namespace copse
