#include "copse/prepare/near_duplicates.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index block_items = 1024;
// Items of one hash that stand for the others: more of them find more and take longer.
constexpr std::size_t most_leaders = 8;

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
  value = (value ^ value >> 27) * 0x94D049BB133111EBu;
  return value ^ value >> 31;
}

// One hash of an item: of the smallest features under `hashes` orders. 0 for an item without any.
template <class T>
std::uint64_t band_hash(const Dataset<T>& data, Index item, int band, int hashes) {
  std::vector<std::uint64_t> least(static_cast<std::size_t>(hashes), std::numeric_limits<std::uint64_t>::max());
  bool empty = true;
  visit_nonzeros(data, item, [&](Index feature, T) {
    empty = false;
    for (int h = 0; h < hashes; ++h) {
      const auto order = static_cast<std::uint64_t>(band * hashes + h + 1) * 0x9E3779B97F4A7C15u;
      least[h] = std::min(least[h], mixed(static_cast<std::uint64_t>(feature) + order));
    }
  });
  std::uint64_t hash = 1;
  for (const std::uint64_t value : least) hash = mixed(hash ^ value) + value;
  return empty ? 0 : hash;
}

template <class T>
double dot(const Dataset<T>& data, Index a, Index b) {
  if (!data.is_sparse()) {
    double sum = 0;
    const auto& items = std::get<Matrix<T>>(data.values);
    for (Index i = 0; i < items.cols(); ++i) sum += static_cast<double>(items(a, i)) * static_cast<double>(items(b, i));
    return sum;
  }
  const auto& x = std::get<SparseMatrix<T>>(data.values);
  double sum = 0;
  for (Index p = x.offsets[a], q = x.offsets[b]; p < x.offsets[a + 1] && q < x.offsets[b + 1];) {
    if (x.indices[p] == x.indices[q]) {
      sum += static_cast<double>(x.values[p++]) * static_cast<double>(x.values[q++]);
    } else if (x.indices[p] < x.indices[q]) {
      ++p;
    } else {
      ++q;
    }
  }
  return sum;
}

}  // namespace

template <class T>
std::vector<Index> near_duplicates(const Dataset<T>& data, const NearDuplicateOptions& options) {
  if (!(options.cosine > 0) || options.bands < 1 || options.hashes < 1)
    throw InvalidArgument("near duplicates need a cosine above zero, a band and a hash");
  const auto items = static_cast<std::size_t>(data.items());
  std::vector<double> norms(items);
  parallel_blocks(data.items(), block_items, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) norms[j] = std::sqrt(dot(data, j, j));
  });
  std::vector<char> marks(items, 0);
  std::vector<std::pair<std::uint64_t, Index>> order(items);
  for (int band = 0; band < options.bands; ++band) {
    parallel_blocks(data.items(), block_items, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) order[j] = {band_hash(data, j, band, options.hashes), j};
    });
    std::ranges::sort(order);
    std::vector<std::size_t> runs{0};
    for (std::size_t p = 1; p <= items; ++p) {
      if (p == items || order[p].first != order[p - 1].first) runs.push_back(p);
    }
    // An item is in one run only, so no two threads write the same mark.
    parallel_blocks(static_cast<Index>(runs.size()) - 1, block_items, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) {
        if (order[runs[r]].first == 0 || runs[r + 1] - runs[r] < 2) continue;
        std::vector<Index> leaders;
        for (std::size_t p = runs[r]; p < runs[r + 1]; ++p) {
          const Index item = order[p].second;
          const bool near = std::ranges::any_of(leaders, [&](Index leader) {
            return dot(data, leader, item) >= options.cosine * norms[leader] * norms[item];
          });
          if (near) {
            marks[item] = 1;
          } else if (leaders.size() < most_leaders) {
            leaders.push_back(item);
          }
        }
      }
    });
  }
  std::vector<Index> result;
  for (std::size_t j = 0; j < items; ++j) {
    if (marks[j] != 0) result.push_back(static_cast<Index>(j));
  }
  return result;
}

template std::vector<Index> near_duplicates(const Dataset<float>&, const NearDuplicateOptions&);
template std::vector<Index> near_duplicates(const Dataset<double>&, const NearDuplicateOptions&);

}  // namespace copse
