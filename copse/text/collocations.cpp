#include "copse/text/collocations.h"

#include <algorithm>
#include <cmath>

#include "copse/base/parallel.h"

namespace copse {
namespace {

// Pairs are counted in so many parts, each of which reads all documents, so that the pairs of one part fit in memory.
constexpr Index parts = 16;

std::uint64_t part_of(std::uint64_t pair) { return (pair * 0x9E3779B97F4A7C15ULL) >> 60; }

double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

}  // namespace

double log_likelihood_ratio(const PairCounts& c) {
  // The 2 x 2 table of first or not, second or not.
  const double a = c.both, b = c.first - c.both, d = c.second - c.both, e = c.total - c.first - c.second + c.both;
  const double rows = x_log_x(a + b) + x_log_x(d + e), columns = x_log_x(a + d) + x_log_x(b + e);
  return 2 * (x_log_x(a) + x_log_x(b) + x_log_x(d) + x_log_x(e) - rows - columns + x_log_x(c.total));
}

double normalized_information(const PairCounts& c) {
  if (c.both >= c.total) return 1;
  return std::log(c.both * c.total / (c.first * c.second)) / -std::log(c.both / c.total);
}

std::vector<std::uint64_t> find_collocations(const TokenStore& store, const TermMap& map, const TextOptions& options) {
  constexpr double critical_value = 10.83;
  std::vector<Index> totals(map.key_count, 0);
  Index all = 0;
  for (std::size_t word = 0; word < map.keys.size(); ++word) {
    if (map.keys[word] == TermMap::none) continue;
    totals[map.keys[word]] += store.totals[word];
    all += store.totals[word];
  }
  const auto is_frequent = [&](std::uint32_t key) {
    return key != TermMap::none && totals[key] >= options.bigram_count;
  };
  std::vector<std::vector<std::uint64_t>> found(parts);
  parallel_for(parts, [&](Index part) {
    std::vector<std::uint64_t> pairs;
    for (const TokenBatch& batch : store.batches) {
      visit_documents(batch, [&](Index, std::span<const StoredToken> tokens) {
        for (std::size_t i = 1; i < tokens.size(); ++i) {
          const std::uint32_t first = map.keys[tokens[i - 1].word], second = map.keys[tokens[i].word];
          if (!tokens[i].adjacent || !is_frequent(first) || !is_frequent(second)) continue;
          const std::uint64_t pair = static_cast<std::uint64_t>(first) << 32 | second;
          if (part_of(pair) == static_cast<std::uint64_t>(part)) pairs.push_back(pair);
        }
      });
    }
    std::sort(pairs.begin(), pairs.end());
    for (auto from = pairs.begin(); from != pairs.end();) {
      const auto to = std::upper_bound(from, pairs.end(), *from);
      const PairCounts counts{static_cast<double>(to - from), static_cast<double>(totals[*from >> 32]),
                              static_cast<double>(totals[*from & 0xFFFFFFFF]), static_cast<double>(all)};
      if (to - from >= options.bigram_count && log_likelihood_ratio(counts) > critical_value &&
          normalized_information(counts) >= options.bigram_strength)
        found[static_cast<std::size_t>(part)].push_back(*from);
      from = to;
    }
  });
  std::vector<std::uint64_t> result;
  for (const auto& list : found) result.insert(result.end(), list.begin(), list.end());
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace copse
