// Where the entries of a tree's nodes are: in memory, or in blocks that are read for every visit.
#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/base/parallel.h"
#include "copse/base/team.h"
#include "copse/matrix/blocked_items.h"
#include "copse/tree/constants.h"
#include "copse/tree/pair_kernels.h"

namespace copse {

// The first column of each of `blocks` blocks with about as many entries each,
// and the number of columns.
inline std::vector<Index> entry_blocks(std::span<const Index> offsets, Index blocks) {
  std::vector<Index> starts;
  for (Index b = 0; b < blocks; ++b)
    starts.push_back(std::lower_bound(offsets.begin(), offsets.end(), offsets.back() * b / blocks) - offsets.begin());
  starts[0] = 0;
  starts.push_back(static_cast<Index>(offsets.size()) - 1);
  return starts;
}

template <class T, class Row>
struct NodeItems {
  Buffer<Index> offsets;
  Buffer<Row> indices;
  Buffer<T> values;
  SparseItems<T, Row> view() const { return {offsets.data(), indices.data(), values.data()}; }
};

// How the features of a node are numbered.
enum class Numbering {
  by_frequency,  // by powers of two of their counts, then as they were: rows of
                 // W that are read most share cache lines
  in_order       // as they were
};

// The items with these numbers in x, each multiplied by its factor if factors
// are given. The squared norms, of all items of x, are for the data divided by
// 2^exponent; the values of x are still to be divided by 2^shift_of_values for
// that.
struct Chosen {
  std::span<const RowIndex> items;
  std::span<const double> factors;
  std::span<const double> squared_norms;
  int exponent = 0;
  int shift_of_values = 0;
  double factor(Index j) const { return factors.empty() ? 1 : factors[j]; }
};

// Nodes that stand in memory, of a whole that does not: bytes that are left for
// them.
class NodeMemory {
 public:
  explicit NodeMemory(double bytes) : left_(bytes) {}
  bool take(double bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  void give_back(double bytes) {
    const std::lock_guard lock(mutex_);
    left_ += bytes;
  }
  double left() const {
    const std::lock_guard lock(mutex_);
    return left_;
  }

 private:
  mutable std::mutex mutex_;
  double left_;
};

// What a node took of it.
class TakenMemory {
 public:
  TakenMemory() = default;
  TakenMemory(NodeMemory& from, double bytes) : from_(&from), bytes_(bytes) {}
  TakenMemory(TakenMemory&& other) noexcept
      : from_(std::exchange(other.from_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  TakenMemory& operator=(TakenMemory&& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~TakenMemory() {
    if (from_ != nullptr) from_->give_back(bytes_);
  }
  double bytes() const { return bytes_; }

 private:
  NodeMemory* from_ = nullptr;
  double bytes_ = 0;
};

// Items as they were read from their blocks, kept for the nodes below: those are
// cut out of them without another read.
template <class T>
struct ItemStore {
  std::vector<RowIndex> items;  // of the whole, ascending
  NodeItems<T, RowIndex> x;
  TakenMemory taken;
};

// The latest stores, as long as nodes do not need their memory.
template <class T>
class ItemStores {
 public:
  // One that has all of these; null: there is none.
  std::shared_ptr<const ItemStore<T>> with(std::span<const RowIndex> items) {
    const std::lock_guard lock(mutex_);
    for (std::size_t s = stores_.size(); s-- > 0;) {
      if (!std::ranges::includes(stores_[s]->items, items)) continue;
      std::rotate(stores_.begin() + static_cast<Index>(s), stores_.begin() + static_cast<Index>(s) + 1, stores_.end());
      return stores_.back();
    }
    return nullptr;
  }
  void add(std::shared_ptr<const ItemStore<T>> store) {
    const std::lock_guard lock(mutex_);
    stores_.push_back(std::move(store));
  }
  // Lets the oldest go; false: there is none.
  bool drop_one() {
    std::shared_ptr<const ItemStore<T>> oldest;
    const std::lock_guard lock(mutex_);
    if (stores_.empty()) return false;
    oldest = std::move(stores_.front());
    stores_.erase(stores_.begin());
    return true;
  }
  double bytes() const {
    const std::lock_guard lock(mutex_);
    double sum = 0;
    for (const auto& store : stores_) sum += store->taken.bytes();
    return sum;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const ItemStore<T>>> stores_;  // the latest at the end
};

// Blocks as they were read, in memory that nobody needs now. Every read of a node begins with the first block again:
// those that were kept first stay, since a list of the latest would never have the next one.
template <class T>
class KeptBlocks {
 public:
  struct Block {
    SparseMatrix<T> items;
    TakenMemory taken;
  };
  explicit KeptBlocks(Index blocks) : blocks_(static_cast<std::size_t>(blocks)) {}

  std::shared_ptr<const Block> find(Index block) const {
    const std::lock_guard lock(mutex_);
    return blocks_[block];
  }
  // A copy of the block, if there is memory for it.
  void keep(Index block, const SparseMatrix<T>& items, NodeMemory& memory) {
    const double bytes = static_cast<double>(items.values.size()) * (sizeof(T) + sizeof(RowIndex)) +
                         static_cast<double>(items.offsets.size()) * sizeof(Index);
    if (!memory.take(bytes)) return;
    auto kept = std::make_shared<Block>(Block{items, TakenMemory(memory, bytes)});
    const std::lock_guard lock(mutex_);
    if (blocks_[block] != nullptr) return;
    blocks_[block] = std::move(kept);
    order_.push_back(block);
    bytes_ += bytes;
  }
  // Lets the latest go; false: there is none.
  bool drop_one() {
    std::shared_ptr<const Block> latest;
    const std::lock_guard lock(mutex_);
    if (order_.empty()) return false;
    latest = std::move(blocks_[order_.back()]);
    order_.pop_back();
    bytes_ -= latest->taken.bytes();
    return true;
  }
  double bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Block>> blocks_;
  std::vector<Index> order_;
  double bytes_ = 0;
};

// The whole data, where it is read in blocks.
template <class T>
struct BlockedHome {
  const BlockedItems<T>& items;
  std::span<const std::int32_t> sizes;  // entries of each item; of a team, of one's own at least
  mutable NodeMemory memory;
  // Of a team: each has the items from starts[rank] on.
  const Team* team = nullptr;
  std::vector<Index> starts = {};
  mutable ItemStores<T> stores = {};  // after `memory`, to which they give back
  mutable KeptBlocks<T> blocks = KeptBlocks<T>(items.blocks());

  Index entries_in(std::span<const RowIndex> chosen) const {
    Index entries = 0;
    for (const RowIndex item : chosen) entries += sizes[item];
    return entries;
  }
  static double bytes_of(Index entries) { return static_cast<double>(entries) * (sizeof(T) + sizeof(RowIndex)); }
  bool could_take(double bytes) const { return bytes <= memory.left() + blocks.bytes() + stores.bytes(); }
  // For a node, or for its items twice: blocks and stores go, if that is enough.
  bool take(double bytes) const {
    if (!could_take(bytes)) return false;
    while (!memory.take(bytes)) {
      if (!blocks.drop_one() && !stores.drop_one()) return false;
    }
    return true;
  }

  // Calls use(its items) for a block.
  template <class Use>
  void with_block(Index block, SparseMatrix<T>& workspace, const Use& use) const {
    if (const auto kept = blocks.find(block)) return use(kept->items);
    items.read(block, workspace);
    blocks.keep(block, workspace, memory);
    use(workspace);
  }
  void expect(Index block) const {
    if (blocks.find(block) == nullptr) items.expect(block);
  }
};

// Adds up over a team, if there is one.
template <class Value>
void add_up(const Team* team, std::span<Value> values) {
  if (team != nullptr) team->sum(values);
}
inline Index sum_over(const Team* team, Index count) {
  double sum = static_cast<double>(count);
  add_up(team, std::span<double>(&sum, 1));
  return static_cast<Index>(sum);
}

// Where the items of a node lie: in memory, items of x. They are visited in
// ascending order.
template <class T, class From>
struct ItemsInMemory {
  SparseItems<T, From> x;
  std::span<const RowIndex> items;

  Index count() const { return static_cast<Index>(items.size()); }
  Index size(Index j) const { return x.offsets[items[j] + 1] - x.offsets[items[j]]; }
  static Index feature(From number) { return static_cast<Index>(number); }

  // Calls use(j, row numbers, values, how many) for the items begin <= j < end;
  // the values are read if `with_values`.
  template <class Use>
  void visit(Index begin, Index end, bool with_values, const Use& use) const {
    for (Index j = begin; j < end; ++j) {
      fetch(x.indices, j);
      if (with_values) fetch(x.values, j);
      const Index from = x.offsets[items[j]];
      use(j, x.indices + from, x.values + from, x.offsets[items[j] + 1] - from);
    }
  }

 private:
  // Asks for an item some time before it is read. The items of a node lie
  // apart, where no processor expects them.
  template <class Entry>
  void fetch(const Entry* entries, Index j) const {
    constexpr Index ahead = 8, per_line = 64 / sizeof(Entry);
    if (j + ahead >= count()) return;
    const Index item = items[j + ahead];
    for (Index p = x.offsets[item]; p < x.offsets[item + 1]; p += per_line) hwy::Prefetch(entries + p);
  }
};

// As they were read from their blocks, for a node whose features have other numbers.
template <class T>
struct RenumberedItems : ItemsInMemory<T, RowIndex> {
  std::span<const std::int32_t> numbers;
  Index feature(RowIndex number) const { return numbers[number]; }
};

// Or in blocks, which are read for every visit. Features have the numbers of
// the whole, or those in `numbers`.
template <class T>
struct ItemsInBlocks {
  const BlockedHome<T>* home = nullptr;
  std::vector<RowIndex> items;        // of the whole, ascending
  std::vector<double> factors;        // of each, or empty: by what its values are multiplied
  std::vector<std::int32_t> numbers;  // of the features of the whole; empty: their own
  int shift = 0;                      // the values are divided by 2^shift

  Index count() const { return static_cast<Index>(items.size()); }
  Index size(Index j) const { return home->sizes[items[j]]; }
  Index feature(RowIndex number) const { return numbers.empty() ? number : numbers[number]; }

  template <class Use>
  void visit(Index begin, Index end, bool /*with_values*/, const Use& use) const {
    const auto firsts = home->items.first_items();
    const auto block_of = [&](Index j) {
      return std::upper_bound(firsts.begin(), firsts.end(), static_cast<Index>(items[j])) - firsts.begin() - 1;
    };
    SparseMatrix<T> matrix;
    for (Index j = begin; j < end;) {
      check_cancelled();
      const Index block = block_of(j);
      const Index behind = std::lower_bound(items.begin() + j, items.begin() + end, firsts[block + 1]) - items.begin();
      if (behind < end) home->expect(block_of(behind));
      home->with_block(block, matrix, [&](const SparseMatrix<T>& x) {
        for (; j < behind; ++j) {
          const Index local = items[j] - firsts[block], from = x.offsets[local];
          use(j, x.indices.data() + from, x.values.data() + from, x.offsets[local + 1] - from);
        }
      });
    }
  }
};

// What a member of a team has of the items of a node: those from number `begin`
// on. Alone: all.
struct OwnItems {
  const Team* team = nullptr;
  Index begin = 0;

  // Of ascending numbers, those of `count` items.
  std::span<const RowIndex> in(std::span<const RowIndex> numbers, Index count) const {
    const auto from = std::lower_bound(numbers.begin(), numbers.end(), begin);
    const auto to = std::lower_bound(numbers.begin(), numbers.end(), begin + count);
    return numbers.subspan(static_cast<std::size_t>(from - numbers.begin()), static_cast<std::size_t>(to - from));
  }
};

template <class T>
Buffer<Index> offsets_of(const BlockedHome<T>& home, std::span<const RowIndex> items) {
  Buffer<Index> offsets(items.size() + 1);
  offsets[0] = 0;
  for (std::size_t j = 0; j < items.size(); ++j) offsets[j + 1] = offsets[j] + home.sizes[items[j]];
  return offsets;
}
// How many blocks of items count features at once.
inline Index blocks_to_count(Index entries, Index rows) {
  return std::clamp<Index>(entries / std::max<Index>(65536, 2 * rows), 1, max_blocks);
}
// Adds the others to the first.
inline void add_parts(std::vector<Buffer<std::int32_t>>& counts) {
  parallel_blocks(static_cast<Index>(counts[0].size()), pair_rows_per_block, [&](Index begin, Index end) {
    for (std::size_t b = 1; b < counts.size(); ++b) {
      for (Index i = begin; i < end; ++i) counts[0][i] += counts[b][i];
    }
  });
  counts.resize(1);
}

// How many items have each feature. Of a team, one's own items unless it is said that they are all.
struct FeatureCounts {
  Buffer<std::int32_t> counts;  // empty: not known
  bool of_all = false;
};

}  // namespace copse
