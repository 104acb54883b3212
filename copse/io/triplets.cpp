#include "copse/io/triplets.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index column_block = 512;

template <class T>
Index size_of(const Triplets<T>& block) {
  return static_cast<Index>(block.values.size());
}

// Do the places (item, feature) ascend strictly through all blocks? That is how most files are written.
template <class T>
bool ascending(const std::vector<Triplets<T>>& blocks) {
  const auto place = [](const Triplets<T>& block, Index p) {
    return std::pair(block.items[static_cast<std::size_t>(p)], block.features[static_cast<std::size_t>(p)]);
  };
  for (std::size_t b = 1; b < blocks.size(); ++b) {
    if (!(place(blocks[b - 1], size_of(blocks[b - 1]) - 1) < place(blocks[b], 0))) return false;
  }
  std::atomic<bool> result{true};
  parallel_for(static_cast<Index>(blocks.size()), [&](Index b) {
    if (!result.load(std::memory_order_relaxed)) return;
    const auto& [features, items, values] = blocks[static_cast<std::size_t>(b)];
    for (std::size_t p = 1; p < values.size(); ++p) {
      const bool before = items[p - 1] < items[p] || (items[p - 1] == items[p] && features[p - 1] < features[p]);
      if (!before) {
        result.store(false, std::memory_order_relaxed);
        return;
      }
    }
  });
  return result;
}

template <class T>
void join_ascending(std::vector<Triplets<T>>& blocks, const std::vector<Index>& begins, SparseMatrix<T>& x) {
  parallel_for(static_cast<Index>(blocks.size()), [&](Index number) {
    const auto b = static_cast<std::size_t>(number);
    auto& [features, items, values] = blocks[b];
    // offsets[j] for every j above the last item of the block before, up to the last item of this one.
    Index next_item = b == 0 ? 0 : Index{blocks[b - 1].items.back()} + 1;
    for (std::size_t p = 0; p < items.size(); ++p) {
      for (; next_item <= items[p]; ++next_item)
        x.offsets[static_cast<std::size_t>(next_item)] = begins[b] + static_cast<Index>(p);
    }
    std::copy(features.begin(), features.end(), x.indices.begin() + begins[b]);
    std::copy(values.begin(), values.end(), x.values.begin() + begins[b]);
  });
  const Index after = blocks.empty() ? 0 : Index{blocks.back().items.back()} + 1;
  std::fill(x.offsets.begin() + after, x.offsets.end(), begins.back());
}

// Counting sort by item. Each group of blocks counts its entries per item; running sums over (item, group) tell it
// where to write, so that groups are independent and the order of the file is kept within an item.
template <class T>
void scatter(std::vector<Triplets<T>>& blocks, const std::vector<Index>& begins, SparseMatrix<T>& x) {
  const Index total = begins.back();
  const Index groups = std::clamp<Index>(total / std::max<Index>(65536, 2 * x.cols), 1, 8);
  const auto first_block = [&](Index g) {
    return std::lower_bound(begins.begin(), begins.end() - 1, total * g / groups) - begins.begin();
  };
  const auto last_block = [&](Index g) { return g + 1 == groups ? Index(blocks.size()) : first_block(g + 1); };
  std::vector<Buffer<Index>> places(static_cast<std::size_t>(groups));
  parallel_for(groups, [&](Index g) {
    auto& counts = places[static_cast<std::size_t>(g)];
    counts.assign(static_cast<std::size_t>(x.cols), 0);
    for (Index b = first_block(g); b < last_block(g); ++b) {
      for (RowIndex item : blocks[static_cast<std::size_t>(b)].items) ++counts[static_cast<std::size_t>(item)];
    }
  });
  Index sum = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(x.cols); ++j) {
    x.offsets[j] = sum;
    for (auto& counts : places) sum += std::exchange(counts[j], sum);
  }
  x.offsets.back() = sum;
  parallel_for(groups, [&](Index g) {
    auto& next = places[static_cast<std::size_t>(g)];
    for (Index b = first_block(g); b < last_block(g); ++b) {
      auto& [features, items, values] = blocks[static_cast<std::size_t>(b)];
      for (std::size_t p = 0; p < values.size(); ++p) {
        const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(items[p])]++);
        x.indices[place] = features[p];
        x.values[place] = values[p];
      }
      blocks[static_cast<std::size_t>(b)] = {};
    }
  });
}

// Sorts the column and joins entries of one row; returns how many are left.
template <class T>
std::size_t merge_column(std::span<RowIndex> indices, std::span<T> values) {
  if (std::adjacent_find(indices.begin(), indices.end(), std::greater_equal<>()) == indices.end())
    return indices.size();
  std::vector<std::pair<RowIndex, T>> entries(indices.size());
  for (std::size_t p = 0; p < indices.size(); ++p) entries[p] = {indices[p], values[p]};
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const auto& [index, value] : entries) {
    if (kept > 0 && indices[kept - 1] == index) {
      values[kept - 1] += value;
    } else {
      indices[kept] = index;
      values[kept++] = value;
    }
  }
  return kept;
}

}  // namespace

template <class T>
Index merge_duplicates(SparseMatrix<T>& x) {
  Buffer<Index> offsets(x.offsets.size(), 0);
  parallel_blocks(x.cols, column_block, [&](Index begin, Index end) {
    for (auto j = static_cast<std::size_t>(begin); j < static_cast<std::size_t>(end); ++j) {
      const auto from = static_cast<std::size_t>(x.offsets[j]),
                 size = static_cast<std::size_t>(x.offsets[j + 1]) - from;
      offsets[j + 1] = static_cast<Index>(
          merge_column(std::span(x.indices).subspan(from, size), std::span(x.values).subspan(from, size)));
    }
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  const Index duplicates = x.offsets.back() - offsets.back();
  if (duplicates == 0) return 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(x.cols); ++j) {
    const Index size = offsets[j + 1] - offsets[j];
    std::copy_n(x.indices.begin() + x.offsets[j], size, x.indices.begin() + offsets[j]);
    std::copy_n(x.values.begin() + x.offsets[j], size, x.values.begin() + offsets[j]);
  }
  x.indices.resize(static_cast<std::size_t>(offsets.back()));
  x.values.resize(static_cast<std::size_t>(offsets.back()));
  x.offsets = std::move(offsets);
  return duplicates;
}

template <class T>
SparseMatrix<T> compress(Index features, Index items, std::vector<Triplets<T>>& blocks, Index& duplicates) {
  std::erase_if(blocks, [](const auto& block) { return block.values.empty(); });
  std::vector<Index> begins(blocks.size() + 1, 0);
  for (std::size_t b = 0; b < blocks.size(); ++b) begins[b + 1] = begins[b] + size_of(blocks[b]);
  SparseMatrix<T> x{.rows = features, .cols = items};
  x.offsets.resize(static_cast<std::size_t>(items) + 1);
  x.indices.resize(static_cast<std::size_t>(begins.back()));
  x.values.resize(static_cast<std::size_t>(begins.back()));
  duplicates = 0;
  if (ascending(blocks)) {
    join_ascending(blocks, begins, x);
  } else {
    scatter(blocks, begins, x);
    duplicates = merge_duplicates(x);
  }
  blocks.clear();
  return x;
}

template SparseMatrix<float> compress(Index, Index, std::vector<Triplets<float>>&, Index&);
template SparseMatrix<double> compress(Index, Index, std::vector<Triplets<double>>&, Index&);
template Index merge_duplicates(SparseMatrix<float>&);
template Index merge_duplicates(SparseMatrix<double>&);

}  // namespace copse
