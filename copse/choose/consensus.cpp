#include "copse/choose/consensus.h"

#include <cmath>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 16;
constexpr double surely_apart = 0.1, surely_together = 0.9;

}  // namespace

Consensus::Consensus(std::vector<Index> watched) : watched_(std::move(watched)) {
  const std::size_t n = watched_.size();
  met_.resize(n < 2 ? 0 : n * (n - 1) / 2);
  together_.resize(met_.size());
}

void Consensus::add(std::span<const Index> items, std::span<const Index> labels) {
  const auto n = static_cast<Index>(watched_.size());
  constexpr Index absent = -2;
  std::vector<Index> label(static_cast<std::size_t>(n), absent);
  std::size_t e = 0;
  for (Index w = 0; w < n; ++w) {
    while (e < items.size() && items[e] < watched_[w]) ++e;
    if (e < items.size() && items[e] == watched_[w]) label[w] = labels[e];
  }
  parallel_blocks(n, rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      if (label[i] == absent || i + 1 == n) continue;
      std::uint32_t* met = met_.data() + PairDistances::place(n, i, i + 1);
      std::uint32_t* together = together_.data() + PairDistances::place(n, i, i + 1);
      for (Index j = i + 1; j < n; ++j) {
        met[j - i - 1] += label[j] != absent;
        together[j - i - 1] += label[i] >= 0 && label[i] == label[j];
      }
    }
  });
}

double Consensus::value(Index i, Index j) const {
  if (i == j) return 1;
  const auto n = static_cast<Index>(watched_.size());
  const std::size_t place = i < j ? PairDistances::place(n, i, j) : PairDistances::place(n, j, i);
  return met_[place] == 0 ? 0.5 : static_cast<double>(together_[place]) / met_[place];
}

PairDistances Consensus::distances() const {
  PairDistances result{static_cast<Index>(watched_.size()), std::vector<double>(met_.size())};
  for (std::size_t p = 0; p < met_.size(); ++p)
    result.values[p] = met_[p] == 0 ? 0.5 : 1 - static_cast<double>(together_[p]) / met_[p];
  return result;
}

ConsensusMeasures Consensus::measures() const {
  const auto n = static_cast<double>(watched_.size());
  if (n == 0) return {};
  const PairDistances apart = distances();
  double clear = 0, unclear = 0;
  for (const double d : apart.values) {
    clear += 4 * (0.5 - d) * (0.5 - d);
    unclear += 1 - d > surely_apart && 1 - d < surely_together;
  }
  ConsensusMeasures result;
  result.dispersion = (2 * clear + n) / (n * n);  // the diagonal is 1
  result.ambiguous = apart.values.empty() ? 0 : unclear / static_cast<double>(apart.values.size());
  result.cophenetic = correlation(apart.values, average_linkage(apart).cophenetic().values);
  return result;
}

}  // namespace copse
