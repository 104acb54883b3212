#include "copse/choose/consensus.h"

#include <algorithm>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 16;
constexpr std::int32_t absent = -2;
constexpr double surely_apart = 0.1, surely_together = 0.9;

}  // namespace

Consensus::Consensus(std::vector<Index> watched) : watched_(std::move(watched)) {}

void Consensus::add(std::span<const Index> items, std::span<const Index> labels) {
  std::vector<std::int32_t> run(watched_.size(), absent);
  std::size_t e = 0;
  for (std::size_t w = 0; w < watched_.size(); ++w) {
    while (e < items.size() && items[e] < watched_[w]) ++e;
    if (e < items.size() && items[e] == watched_[w]) run[w] = static_cast<std::int32_t>(labels[e]);
  }
  runs_.push_back(std::move(run));
}

double Consensus::value(Index i, Index j) const {
  if (i == j) return 1;
  int met = 0, together = 0;
  for (const auto& run : runs_) {
    met += run[i] != absent && run[j] != absent;
    together += run[i] >= 0 && run[i] == run[j];
  }
  return met == 0 ? 0.5 : static_cast<double>(together) / met;
}

PairDistances Consensus::distances() const {
  const auto n = static_cast<Index>(watched_.size());
  PairDistances result{n, std::vector<double>(static_cast<std::size_t>(n * std::max<Index>(n - 1, 0) / 2))};
  // Item i with all that follow it: the counts stay in cache while the runs go by.
  parallel_blocks(n, rows_per_block, [&](Index begin, Index end) {
    std::vector<std::int32_t> met(static_cast<std::size_t>(n)), together(static_cast<std::size_t>(n));
    for (Index i = begin; i < end && i + 1 < n; ++i) {
      std::ranges::fill(met, 0);
      std::ranges::fill(together, 0);
      for (const auto& run : runs_) {
        const std::int32_t own = run[i];
        if (own == absent) continue;
        for (Index j = i + 1; j < n; ++j) met[j] += run[j] != absent;
        if (own < 0) continue;
        for (Index j = i + 1; j < n; ++j) together[j] += run[j] == own;
      }
      double* const apart = result.values.data() + PairDistances::place(n, i, i + 1);
      for (Index j = i + 1; j < n; ++j)
        apart[j - i - 1] = met[j] == 0 ? 0.5 : 1 - static_cast<double>(together[j]) / met[j];
    }
  });
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
