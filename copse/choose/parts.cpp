#include "copse/choose/parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {
namespace {

// FNV-1a, eight bytes at a time.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) { return (hash ^ value) * 0x100000001B3ull; }
constexpr std::uint64_t first_hash = 0xCBF29CE484222325ull;
constexpr Index parts_rows_per_block = 64;

template <class T>
std::vector<std::uint64_t> item_hashes(const Dataset<T>& data) {
  std::vector<std::uint64_t> hashes;
  const bool sparse = data.is_sparse();
  for (Index j = 0; j < data.items(); ++j) {
    std::uint64_t hash = first_hash;
    visit_nonzeros(data, j, [&](Index feature, T value) {
      hash = mixed(hash, static_cast<std::uint64_t>(feature));
      if (!sparse) hash = mixed(hash, std::bit_cast<std::uint64_t>(static_cast<double>(value)));
    });
    hashes.push_back(hash);
  }
  return hashes;
}

}  // namespace

template <class T>
std::vector<std::uint64_t> item_keys(const Dataset<T>& data) {
  std::vector<std::uint64_t> keys = item_hashes(data);
  std::unordered_map<std::uint64_t, std::uint64_t> met;
  for (std::uint64_t& key : keys) key = mixed(key, met[key]++);
  return keys;
}

template <class T>
std::vector<Index> content_order(const Dataset<T>& data) {
  const std::vector<std::uint64_t> hashes = item_hashes(data);
  const auto entries = [&](Index j) {
    std::vector<std::pair<Index, T>> list;
    visit_nonzeros(data, j, [&](Index feature, T value) { list.emplace_back(feature, value); });
    return list;
  };
  std::vector<Index> order(static_cast<std::size_t>(data.items()));
  std::iota(order.begin(), order.end(), Index(0));
  std::ranges::stable_sort(order, [&](Index a, Index b) {
    return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : entries(a) < entries(b);
  });
  return order;
}

std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return mixed(mixed(mixed(mixed(first_hash, seed), a), b), c);
}

std::vector<Index> draw_count(std::span<const std::uint64_t> keys, std::size_t count, std::uint64_t seed) {
  std::vector<std::pair<double, Index>> drawn;
  for (std::size_t j = 0; j < keys.size(); ++j)
    drawn.emplace_back(Random(seed, keys[j]).uniform(), static_cast<Index>(j));
  const auto kept = std::min(keys.size(), count);
  std::ranges::nth_element(drawn, drawn.begin() + static_cast<std::ptrdiff_t>(kept));
  std::vector<Index> items;
  for (std::size_t e = 0; e < kept; ++e) items.push_back(drawn[e].second);
  std::ranges::sort(items);
  return items;
}

std::vector<Index> draw_items(std::span<const std::uint64_t> keys, double share, std::uint64_t seed) {
  return draw_count(keys, static_cast<std::size_t>(std::ceil(share * static_cast<double>(keys.size()))), seed);
}

std::vector<Index> other_items(std::span<const Index> items, Index count) {
  std::vector<Index> others;
  std::size_t e = 0;
  for (Index j = 0; j < count; ++j) {
    if (e < items.size() && items[e] == j) {
      ++e;
    } else {
      others.push_back(j);
    }
  }
  return others;
}

template <class T>
Dataset<T> part_of(const Dataset<T>& data, std::span<const Index> items) {
  Dataset<T> part;
  if (data.is_sparse()) {
    part.values = select_columns<T>(std::get<SparseMatrix<T>>(data.values), items);
    return part;
  }
  const auto& all = std::get<Matrix<T>>(data.values);
  Matrix<T> values(static_cast<Index>(items.size()), all.cols());
  for (std::size_t e = 0; e < items.size(); ++e)
    std::ranges::copy(all.row(items[e]), values.row(static_cast<Index>(e)).begin());
  part.values = std::move(values);
  return part;
}

template <class T>
Dataset<T> transposed(const Dataset<T>& data) {
  Dataset<T> turned;
  if (data.is_sparse()) {
    turned.values = transpose<T>(std::get<SparseMatrix<T>>(data.values));
    return turned;
  }
  const auto& all = std::get<Matrix<T>>(data.values);
  Matrix<T> values(all.cols(), all.rows());
  parallel_blocks(all.cols(), parts_rows_per_block, [&](Index begin, Index end) {
    for (Index j = 0; j < all.rows(); ++j) {
      for (Index i = begin; i < end; ++i) values(i, j) = all(j, i);
    }
  });
  turned.values = std::move(values);
  return turned;
}

#define COPSE_INSTANTIATE(T)                                              \
  template std::vector<std::uint64_t> item_keys(const Dataset<T>&);       \
  template std::vector<Index> content_order(const Dataset<T>&);           \
  template Dataset<T> part_of(const Dataset<T>&, std::span<const Index>); \
  template Dataset<T> transposed(const Dataset<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
