#include "copse/tree/ranked_terms.h"

#include <algorithm>

#include "copse/tree/radix_sort.h"

namespace copse {

template <class T>
RankedTerms<T> rank_terms(const Matrix<T>& w, Index column, std::span<const RowIndex> terms) {
  using Bits = decltype(order_bits(T(0)));
  struct Entry {
    Bits key;
    std::uint32_t term;
  };
  std::vector<Entry> entries;
  entries.reserve(terms.size());
  for (Index i = 0; i < w.rows(); ++i) {
    if (w(i, column) > static_cast<T>(no_weight))
      entries.push_back({order_bits(w(i, column)), static_cast<std::uint32_t>(terms[i])});
  }
  radix_sort(entries, 8 * static_cast<int>(sizeof(Bits)), [](const Entry& e) { return ~e.key; });
  // Equal weights are few, as a rule, and follow each other now.
  for (auto first = entries.begin(); first != entries.end();) {
    const auto next = std::find_if(first, entries.end(), [&](const Entry& e) { return e.key != first->key; });
    std::ranges::sort(first, next, {}, &Entry::term);
    first = next;
  }
  RankedTerms<T> topic;
  topic.terms.reserve(entries.size());
  topic.weights.reserve(entries.size());
  for (const Entry& entry : entries) {
    topic.terms.push_back(static_cast<RowIndex>(entry.term));
    topic.weights.push_back(std::bit_cast<T>(entry.key));
  }
  return topic;
}

template RankedTerms<float> rank_terms(const Matrix<float>&, Index, std::span<const RowIndex>);
template RankedTerms<double> rank_terms(const Matrix<double>&, Index, std::span<const RowIndex>);

}  // namespace copse
