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
  // In the order of their numbers first.
  std::vector<T> weights;
  for (Index i = 0; i < w.rows(); ++i) {
    if (!(w(i, column) > static_cast<T>(no_weight))) continue;
    const auto term = static_cast<std::size_t>(terms[i]);
    if (term >= weights.size()) weights.resize(std::max(term + 1, 2 * weights.size()));
    weights[term] = w(i, column);
  }
  std::vector<Entry> entries;
  entries.reserve(terms.size());
  for (std::size_t term = 0; term < weights.size(); ++term) {
    if (weights[term] > T(0)) entries.push_back({order_bits(weights[term]), static_cast<std::uint32_t>(term)});
  }
  radix_sort(entries, 8 * static_cast<int>(sizeof(Bits)), [](const Entry& e) { return ~e.key; });
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
