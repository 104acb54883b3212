#include "copse/prepare/near_duplicates.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/prepare/item_sums.h"

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

// The hashes of an item under which it may meet others, all 0 for an item without features. Each is of `hashes` bins:
// features fall into bins at random, and the smallest of a bin stands for it; an empty bin takes what stands for the
// next that is not (Shrivastava & Li 2014). Two items agree in a bin with the probability of their Jaccard index.
template <class T>
void hash_item(const Dataset<T>& data, Index item, int hashes, std::span<std::uint64_t> out) {
  constexpr std::uint64_t empty = std::numeric_limits<std::uint64_t>::max();
  const std::size_t bins = out.size() * static_cast<std::size_t>(hashes);
  std::vector<std::uint64_t> least(bins, empty);
  visit_nonzeros(data, item, [&](Index feature, T) {
    const std::uint64_t hash = mixed(static_cast<std::uint64_t>(feature) + 0x9E3779B97F4A7C15u) >> 1;  // never `empty`
    std::uint64_t& smallest = least[(hash & 0xFFFFFFFF) * bins >> 32];
    smallest = std::min(smallest, hash);
  });
  std::ranges::fill(out, 0);
  std::size_t last = bins;
  while (last > 0 && least[last - 1] == empty) --last;
  if (last == 0) return;
  // From the last that is not empty backwards and around.
  std::uint64_t borrowed = least[last - 1];
  for (std::size_t step = 1; step < bins; ++step) {
    std::uint64_t& value = least[(last - 1 + bins - step) % bins];
    if (value == empty) {
      value = borrowed = mixed(borrowed + 1);  // one bin further, one bin less alike
    } else {
      borrowed = value;
    }
  }
  for (std::size_t bin = 0; bin < bins; ++bin) {
    std::uint64_t& hash = out[bin / static_cast<std::size_t>(hashes)];
    hash = mixed(hash ^ least[bin]) | 1;
  }
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
  const RowIndex* const rows = x.indices.data();
  double sum = 0;
  // Without branches on which row is smaller: no processor could foresee them.
  for (Index p = x.offsets[a], q = x.offsets[b]; p < x.offsets[a + 1] && q < x.offsets[b + 1];) {
    const RowIndex left = rows[p], right = rows[q];
    const double product = static_cast<double>(x.values[p]) * static_cast<double>(x.values[q]);
    sum += left == right ? product : 0.0;
    p += left <= right ? 1 : 0;
    q += right <= left ? 1 : 0;
  }
  return sum;
}

// Marks the items that are close to an earlier one among those with the same hash.
template <class T>
void compare(const Dataset<T>& data, std::span<const double> norms, double cosine,
             std::span<const std::pair<std::uint64_t, Index>> same, std::vector<char>& marks) {
  std::vector<Index> leaders;
  for (const auto& entry : same) {
    const Index item = entry.second;
    const bool near = std::ranges::any_of(
        leaders, [&](Index leader) { return dot(data, leader, item) >= cosine * norms[leader] * norms[item]; });
    if (near) {
      marks[item] = 1;
    } else if (leaders.size() < most_leaders) {
      leaders.push_back(item);
    }
  }
}

}  // namespace

template <class T>
std::vector<Index> near_duplicates(const Dataset<T>& data, const NearDuplicateOptions& options) {
  if (!(options.cosine > 0) || options.bands < 1 || options.hashes < 1)
    throw InvalidArgument("near duplicates need a cosine above zero, a band and a hash");
  const auto items = static_cast<std::size_t>(data.items());
  const auto bands = static_cast<std::size_t>(options.bands);
  std::vector<double> norms(items, 0);
  std::vector<std::uint64_t> hashes(items * bands);
  parallel_blocks(data.items(), block_items, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      norms[j] = item_norm(data, j).value();
      hash_item(data, j, options.hashes, std::span(hashes).subspan(static_cast<std::size_t>(j) * bands, bands));
    }
  });
  std::vector<std::vector<char>> marks(bands);
  parallel_for(options.bands, [&](Index band) {
    std::vector<std::pair<std::uint64_t, Index>> order;
    order.reserve(items);
    for (std::size_t j = 0; j < items; ++j) {
      if (const std::uint64_t hash = hashes[j * bands + static_cast<std::size_t>(band)]; hash != 0)
        order.emplace_back(hash, static_cast<Index>(j));
    }
    std::ranges::sort(order);
    auto& found = marks[static_cast<std::size_t>(band)];
    found.assign(items, 0);
    for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
      while (to < order.size() && order[to].first == order[from].first) ++to;
      compare(data, norms, options.cosine, std::span(order).subspan(from, to - from), found);
    }
  });
  std::vector<Index> result;
  for (std::size_t j = 0; j < items; ++j) {
    if (std::ranges::any_of(marks, [&](const auto& found) { return found[j] != 0; }))
      result.push_back(static_cast<Index>(j));
  }
  return result;
}

template std::vector<Index> near_duplicates(const Dataset<float>&, const NearDuplicateOptions&);
template std::vector<Index> near_duplicates(const Dataset<double>&, const NearDuplicateOptions&);

}  // namespace copse
