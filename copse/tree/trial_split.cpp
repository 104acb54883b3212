#include "copse/tree/trial_split.h"

#include <cmath>
#include <utility>

#include "copse/base/parallel.h"
#include "copse/tree/constants.h"

namespace copse {
namespace {

// The largest squared singular values of the two groups of items, by power iteration from the columns of w.
template <class T>
std::array<double, 2> leading_values(const NodeData<T>& x, Matrix<T> v, std::span<const char> first,
                                     const TrialOptions& options, TreeCost& cost) {
  std::array<double, 2> values{};
  Sweep<T> sweep;
  for (int iteration = 0; iteration < leading_iterations; ++iteration) {
    check_time(x, options.rank2.deadline);
    x.power_step(v, first, sweep);
    ++cost.iterations;
    cost.entries_read += static_cast<double>(x.entries());
    // |X'v|^2 for unit v is the Rayleigh quotient: it rises to the squared singular value.
    const std::array<double, 2> next{sweep.hh.a, sweep.hh.c};
    const bool settled = std::abs(next[0] - values[0]) <= leading_tolerance * next[0] &&
                         std::abs(next[1] - values[1]) <= leading_tolerance * next[1];
    values = next;
    if (settled) break;
    std::array<double, 2> squares{};
    for (Index i = 0; i < v.rows(); ++i) {
      for (Index c = 0; c < 2; ++c)
        squares[c] += static_cast<double>(sweep.xh(i, c)) * static_cast<double>(sweep.xh(i, c));
    }
    for (Index i = 0; i < v.rows(); ++i) {
      for (Index c = 0; c < 2; ++c)
        v(i, c) = squares[c] > 0 ? static_cast<T>(static_cast<double>(sweep.xh(i, c)) / std::sqrt(squares[c])) : T(0);
    }
  }
  return values;
}

// FNV-1a over the key, the items and the numbers of the features. One node may factor several sets of items under its
// key, where the test for outliers takes some away, and one set with other numbers for the rows of W, where it was cut
// out anew; what is remembered must be told apart.
std::uint64_t memory_key(std::uint64_t key, std::span<const RowIndex> items, std::span<const RowIndex> terms) {
  std::uint64_t hash = key ^ 0xcbf29ce484222325u;
  for (const auto numbers : {items, terms}) {
    for (const RowIndex number : numbers) hash = (hash ^ number) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace

template <class T>
TrialSplit<T> try_split(const TreeData<T>& x, std::span<const RowIndex> items, PartOfNode<T> data, std::uint64_t key,
                        const TrialOptions& options, SplitMemory<T>* memory, TreeCost& cost) {
  auto node = std::move(data.node);
  if (node)
    node->keep(data.kept);
  else
    node = x.cut(items);
  node->number_items({items.begin(), items.end()});
  Rank2Result<T> factors;
  const std::uint64_t remembered = memory == nullptr ? 0 : memory_key(key, items, node->terms());
  const auto fits = [&] {
    return factors.w.rows() == static_cast<Index>(node->terms().size()) &&
           factors.h.rows() == static_cast<Index>(items.size());
  };
  if (memory == nullptr || !memory->recall(remembered, factors) || !fits()) {
    Rank2Options rank2 = options.rank2;
    rank2.seed ^= key;
    factors = node->factorize(rank2);
    if (memory != nullptr) memory->record(remembered, factors);
  }
  cost.entries_read += factors.entries_read;
  TrialSplit<T> split;
  ++cost.factorizations;
  cost.iterations += factors.iterations;

  const Index count = static_cast<Index>(items.size());
  const double inner = factors.inner;
  const std::span<const double> squared_norms = node->squared_norms();
  // Back from the node's scale: coefficients to that of the data, squares to that of x.squared_norms().
  const int exponent = node->exponent(), square_exponent = 2 * (exponent - x.exponent());
  // The column of each item, or -1 if neither is its own.
  const auto column_of = [&](Index j) {
    const double h1 = static_cast<double>(factors.h(j, 0)), h2 = static_cast<double>(factors.h(j, 1));
    const double fitted = h1 * h1 + 2 * inner * h1 * h2 + h2 * h2;
    return h1 == h2 || fitted <= unexplained * squared_norms[j] ? -1 : h1 > h2 ? 0 : 1;
  };
  std::vector<signed char> columns(items.size());
  std::array<Index, 2> sizes{};
  int larger = -1;  // of two equal sides that of the first item
  for (Index j = 0; j < count; ++j) {
    columns[j] = static_cast<signed char>(column_of(j));
    if (columns[j] < 0) continue;
    ++sizes[columns[j]];
    if (larger < 0) larger = columns[j];
  }
  if (sizes[0] != sizes[1] || larger < 0) larger = sizes[1] > sizes[0];

  const std::size_t in_smaller = static_cast<std::size_t>(sizes[1 - larger]);
  for (const auto& [side, size] : {std::pair{0, items.size() - in_smaller}, {1, in_smaller}}) {
    split.sides[side].items.reserve(size);
    split.sides[side].weights.reserve(size);
    split.sides[side].shares.reserve(size);
  }
  std::vector<char> in_first(items.size());
  for (Index j = 0; j < count; ++j) {
    const int column = columns[j] < 0 ? larger : columns[j];
    in_first[j] = column == 0;
    Side<T>& side = split.sides[column != larger];
    const double own = static_cast<double>(factors.h(j, column)), other = static_cast<double>(factors.h(j, 1 - column));
    side.items.push_back(items[j]);
    side.weights.push_back(static_cast<T>(std::ldexp(own, exponent)));
    side.shares.push_back(static_cast<T>(columns[j] < 0 ? 0.5 : own / (own + other)));
    // W has unit columns and h meets the KKT conditions: w'x = own + inner * other where own > 0.
    const double product = own + inner * other;
    side.squared_norm += squared_norms[j];
    side.explained += product * product;
    side.rank2_error += squared_norms[j] - (own * own + 2 * inner * own * other + other * other);
  }
  for (Side<T>& side : split.sides) {
    for (double* square : {&side.squared_norm, &side.explained, &side.rank2_error})
      *square = std::ldexp(*square, square_exponent);
  }
  if (!split.two_sided()) return split;
  split.gain = std::ldexp(node->gain_of_split(in_first), square_exponent);
  parallel_for(
      2, [&](Index column) { split.sides[column != larger].topic = rank_terms(factors.w, column, node->terms()); });
  if (options.leading) {
    const auto values = leading_values(*node, std::move(factors.w), in_first, options, cost);
    for (int column = 0; column < 2; ++column)
      split.sides[column != larger].leading = std::ldexp(values[column], square_exponent);
  }
  if (larger == 1) {
    for (char& side : in_first) side = !side;
  }
  if (node->worth_keeping(in_first)) split.sides[0].data = {std::move(node), std::move(in_first)};
  return split;
}

#define COPSE_INSTANTIATE(T)                                                                                    \
  template TrialSplit<T> try_split(const TreeData<T>&, std::span<const RowIndex>, PartOfNode<T>, std::uint64_t, \
                                   const TrialOptions&, SplitMemory<T>*, TreeCost&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
