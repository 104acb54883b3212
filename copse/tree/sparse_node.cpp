#include <hwy/cache_control.h>

#include <array>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <utility>

#include "copse/kernels/streamed_data.h"
#include "copse/nnls/two_columns.h"
#include "copse/tree/node_blocks.h"
#include "copse/tree/scaling.h"
#include "copse/tree/shared_tree.h"

namespace copse {
namespace {

// The first column of each of `blocks` blocks with about as many entries each,
// and the number of columns.
std::vector<Index> entry_blocks(std::span<const Index> offsets, Index blocks) {
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
enum class Numbers {
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

 private:
  std::mutex mutex_;
  double left_;
};

// What a node took of it.
class TakenMemory {
 public:
  TakenMemory() = default;
  TakenMemory(NodeMemory& from, double bytes) : from_(&from), bytes_(bytes) {}
  TakenMemory(TakenMemory&& other) noexcept : from_(std::exchange(other.from_, nullptr)), bytes_(other.bytes_) {}
  TakenMemory& operator=(TakenMemory&& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~TakenMemory() {
    if (from_ != nullptr) from_->give_back(bytes_);
  }

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

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const ItemStore<T>>> stores_;  // the latest at the end
};

// The whole data, where it is read in blocks.
template <class T>
struct BlockedHome {
  const BlockedItems<T>& items;
  std::vector<std::int32_t> sizes;  // entries of each item; of a team, of one's own only
  mutable NodeMemory memory;
  // Of a team: each has the items from starts[rank] on.
  const Team* team = nullptr;
  std::vector<Index> starts = {};
  mutable ItemStores<T> stores = {};  // after `memory`, to which they give back

  // For a node, or for its items twice: stores go first.
  bool take(double bytes) const {
    while (!memory.take(bytes)) {
      if (!stores.drop_one()) return false;
    }
    return true;
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
      if (behind < end) home->items.expect(block_of(behind));
      home->items.read(block, matrix);
      for (; j < behind; ++j) {
        const Index local = items[j] - firsts[block], from = matrix.offsets[local];
        use(j, matrix.indices.data() + from, matrix.values.data() + from, matrix.offsets[local + 1] - from);
      }
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

// Reads the items into x, whose offsets are known; features get other numbers where some are given.
template <class T>
void fetch_items(const BlockedHome<T>& home, std::vector<RowIndex> items, std::span<const std::int32_t> numbers,
                 NodeItems<T, RowIndex>& x) {
  x.indices.resize(static_cast<std::size_t>(x.offsets.back()));
  x.values.resize(static_cast<std::size_t>(x.offsets.back()));
  const ItemsInBlocks<T> source{.home = &home, .items = std::move(items), .factors = {}, .numbers = {}};
  // Not more blocks at once than a read has.
  const std::vector<Index> starts = entry_blocks(x.offsets, max_blocks);
  parallel_for(static_cast<Index>(starts.size()) - 1, [&](Index part) {
    source.visit(starts[part], starts[part + 1], true,
                 [&](Index j, const RowIndex* indices, const T* values, Index size) {
                   RowIndex* to = x.indices.data() + x.offsets[j];
                   if (numbers.empty()) std::copy_n(indices, size, to);
                   for (Index e = 0; e < size && !numbers.empty(); ++e) to[e] = numbers[indices[e]];
                   std::copy_n(values, size, x.values.data() + x.offsets[j]);
                 });
  });
}

// `own` tells which of the chosen items the source has.
template <class T, class Source>
std::unique_ptr<NodeData<T>> cut_items(Source source, Index rows, const Chosen& chosen, Numbers numbers,
                                       const OwnItems& own = {}, TakenMemory taken = {});

// Row numbers have 16 bits where these suffice. The items stand in memory, or
// are fetched from their blocks for every read; the bits are the same.
template <class T, class Row>
class SparseNode : public NodeData<T> {
 public:
  SparseNode(NodeItems<T, Row> x, std::vector<RowIndex> terms, std::vector<double> squared_norms, int exponent,
             const OwnItems& own, Index entries, TakenMemory taken)
      : NodeData<T>(std::move(terms), std::move(squared_norms), exponent, entries),
        x_(std::move(x)),
        taken_(std::move(taken)),
        own_(own) {
    block(entries);
  }
  SparseNode(Buffer<Index> offsets, ItemsInBlocks<T> blocks, std::vector<RowIndex> terms,
             std::vector<double> squared_norms, int exponent, const OwnItems& own, Index entries)
      : NodeData<T>(std::move(terms), std::move(squared_norms), exponent, entries),
        x_{.offsets = std::move(offsets), .indices = {}, .values = {}},
        blocks_(std::make_unique<ItemsInBlocks<T>>(std::move(blocks))),
        own_(own) {
    block(entries);
    load_if_it_fits();
  }

  Index items() const override { return static_cast<Index>(this->squared_norms().size()); }
  Index entries() const override { return entries_; }

  void share_rows(Matrix<T>& h) const override {
    if (own_.team != nullptr) own_.team->share(h.values(), pair_starts_);
  }
  bool any(bool wish) const override { return own_.team != nullptr ? own_.team->any(wish) : wish; }

  std::unique_ptr<NodeData<T>> part(const SampledItems& chosen) const override {
    Chosen part{chosen.items, chosen.factors, this->squared_norms(), this->exponent()};
    const std::span<const RowIndex> own = own_.in(chosen.items, own_count());
    const OwnItems place{own_.team, own.data() - chosen.items.data()};
    if (!blocks_) {
      if (own_.begin == 0)
        return cut_items<T>(ItemsInMemory<T, Row>{x_.view(), own}, rows(), part, Numbers::in_order, place);
      std::vector<RowIndex> numbers(own.begin(), own.end());
      for (RowIndex& number : numbers) number -= static_cast<RowIndex>(own_.begin);
      return cut_items<T>(ItemsInMemory<T, Row>{x_.view(), numbers}, rows(), part, Numbers::in_order, place);
    }
    if (auto node = part_in_one_read(own, part, place)) return node;
    ItemsInBlocks<T> source{.home = blocks_->home, .items = {}, .factors = {}, .numbers = blocks_->numbers};
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Index j = own[i] - own_.begin;
      source.items.push_back(blocks_->items[j]);
      source.factors.push_back(chosen.factors[place.begin + static_cast<Index>(i)] *
                               (blocks_->factors.empty() ? 1 : blocks_->factors[j]));
    }
    part.shift_of_values = blocks_->shift;
    return cut_items<T>(std::move(source), rows(), part, Numbers::in_order, place);
  }

  void sweep(const Matrix<T>& w, const PairGram& ww, Sweep<T>& out) const override {
    const TwoColumns<T> solve(ww.a, ww.b, ww.c);
    read(out, [&](const SparseItems<T, Row>& x, Index begin, Index end, Index first, T* xh) {
      return sweep_items(x, w.data(), solve, begin, end, out.h.data() + 2 * first, xh);
    });
  }

  void project(const Matrix<T>& v, Sweep<T>& out) const override { project(v, nullptr, out); }

  void power_step(const Matrix<T>& v, std::span<const char> in_first, Sweep<T>& out) const override {
    project(v, in_first.data(), out);
  }

  void spread(Sweep<T>& out) const override {
    read(out, [&](const SparseItems<T, Row>& x, Index begin, Index end, Index first, T* xh) {
      const T* h = out.h.data() + 2 * first;
      spread_items(x, h, begin, end, xh);
      const auto [a, b, same, c] = cross_rows(h + 2 * begin, h + 2 * begin, end - begin).values;
      return PairSums<4>{{a, b, c, 0}};
    });
  }

 private:
  Index rows() const { return static_cast<Index>(this->terms().size()); }

  // Where a part fits into memory twice, it is fetched as it is, and its features are counted there. Null: it does not
  // fit.
  std::unique_ptr<NodeData<T>> part_in_one_read(std::span<const RowIndex> own, Chosen part,
                                                const OwnItems& place) const {
    if (!blocks_->factors.empty()) return nullptr;
    NodeItems<T, RowIndex> x{.offsets = Buffer<Index>(1, 0), .indices = {}, .values = {}};
    std::vector<RowIndex> items, numbers;
    for (const RowIndex number : own) {
      const Index j = number - own_.begin;
      items.push_back(blocks_->items[j]);
      numbers.push_back(static_cast<RowIndex>(numbers.size()));
      x.offsets.push_back(x.offsets.back() + blocks_->size(j));
    }
    const double bytes = static_cast<double>(x.offsets.back()) * (sizeof(T) + sizeof(RowIndex));
    if (!blocks_->home->memory.take(2 * bytes)) return nullptr;
    const TakenMemory fetched(blocks_->home->memory, bytes);
    TakenMemory taken(blocks_->home->memory, bytes);
    fetch_items(*blocks_->home, std::move(items), blocks_->numbers, x);
    part.shift_of_values = blocks_->shift;
    return cut_items<T>(ItemsInMemory<T, RowIndex>{x.view(), numbers}, rows(), part, Numbers::in_order, place,
                        std::move(taken));
  }

  // Moves the kept items to the front; all move towards lower addresses.
  void drop_items(std::span<const char> kept, int shift) override {
    const PowerOfTwo<T> scale(-shift);
    Index item = 0, to = 0, from = 0;  // from: offsets[j] before it is written
    const Index count = own_count();
    for (Index j = 0; j < count; ++j) {
      const Index end = x_.offsets[j + 1];
      if (kept[own_.begin + j]) {
        if (blocks_) {
          blocks_->items[item] = blocks_->items[j];
          if (!blocks_->factors.empty()) blocks_->factors[item] = blocks_->factors[j];
        } else {
          std::copy(x_.indices.begin() + from, x_.indices.begin() + end, x_.indices.begin() + to);
          scale(x_.values.data() + from, end - from, T(1), x_.values.data() + to);
        }
        to += end - from;
        x_.offsets[++item] = to;
      }
      from = end;
    }
    x_.offsets.resize(static_cast<std::size_t>(item + 1));
    if (blocks_) {
      blocks_->items.resize(static_cast<std::size_t>(item));
      if (!blocks_->factors.empty()) blocks_->factors.resize(static_cast<std::size_t>(item));
      blocks_->shift += shift;
    } else {
      x_.indices.resize(static_cast<std::size_t>(to));
      x_.values.resize(static_cast<std::size_t>(to));
    }
    own_.begin =
        std::ranges::count_if(kept.first(static_cast<std::size_t>(own_.begin)), [](char keep) { return keep != 0; });
    block(sum_over(own_.team, to));
    if (blocks_) load_if_it_fits();
  }

  Index entries_of(std::span<const char> kept) const override {
    Index left = 0;
    for (Index j = 0; j < own_count(); ++j) {
      if (kept[own_.begin + j]) left += x_.offsets[j + 1] - x_.offsets[j];
    }
    return sum_over(own_.team, left);
  }

  Index own_count() const { return static_cast<Index>(x_.offsets.size()) - 1; }

  void block(Index entries) {
    entries_ = entries;
    starts_ = entry_blocks(x_.offsets, block_count(x_.offsets.back(), rows()));
    if (own_.team == nullptr) return;
    // Where everyone's rows of H' begin, in numbers.
    std::vector<double> begins(static_cast<std::size_t>(own_.team->size()), 0);
    begins[own_.team->rank()] = static_cast<double>(own_.begin);
    own_.team->sum(begins);
    pair_starts_.clear();
    for (const double begin : begins) pair_starts_.push_back(2 * static_cast<Index>(begin));
    pair_starts_.push_back(2 * items());
  }

  void project(const Matrix<T>& v, const char* in_first, Sweep<T>& out) const {
    read(out, [&](const SparseItems<T, Row>& x, Index begin, Index end, Index first, T* xh) {
      return project_items(x, v.data(), in_first == nullptr ? nullptr : in_first + first, begin, end,
                           out.h.data() + 2 * first, xh);
    });
  }

  // Runs kernel(x, begin, end, first, X H') for one's own items, a piece of
  // about piece_entries at a time: the items begin
  // ... end - 1 of x, of which item 0 is item `first` here.
  template <class Kernel>
  void read(Sweep<T>& out, const Kernel& kernel) const {
    read_blocks(rows(), items(), starts_, own_.team, out, [&](Index begin, Index end, T* xh) {
      PairSums<4> sums;
      const auto behind = [&](Index from) {
        const auto last = x_.offsets.begin() + end;
        return std::min(end, std::lower_bound(x_.offsets.begin() + from + 1, last, x_.offsets[from] + piece_entries) -
                                 x_.offsets.begin());
      };
      if (!blocks_) {
        for (Index from = begin, to = begin; from < end; from = to) {
          to = behind(from);
          sums += kernel(x_.view(), from, to, own_.begin, xh);
        }
        return sums;
      }
      NodeItems<T, Row> piece{.offsets = Buffer<Index>(1, 0), .indices = {}, .values = {}};
      Index from = begin, to = begin < end ? behind(begin) : end;
      visit_copies(begin, end, [&](Index j, const RowIndex* indices, const T* values, Index size, T factor) {
        const Index place = piece.offsets.back();
        piece.indices.resize(static_cast<std::size_t>(place + size));
        piece.values.resize(static_cast<std::size_t>(place + size));
        copy_item(indices, values, size, factor, piece.indices.data() + place, piece.values.data() + place);
        piece.offsets.push_back(place + size);
        if (j + 1 < to) return;
        sums += kernel(piece.view(), 0, to - from, own_.begin + from, xh);
        piece.offsets.resize(1);
        from = to;
        if (from < end) to = behind(from);
      });
      return sums;
    });
  }

  template <class Use>
  void visit_copies(Index begin, Index end, const Use& use) const {
    blocks_->visit(begin, end, true, [&](Index j, const RowIndex* indices, const T* values, Index size) {
      use(j, indices, values, size, blocks_->factors.empty() ? T(1) : static_cast<T>(blocks_->factors[j]));
    });
  }

  void copy_item(const RowIndex* indices, const T* values, Index size, T factor, Row* to, T* to_values) const {
    const std::int32_t* number = blocks_->numbers.data();
    for (Index e = 0; e < size; ++e) to[e] = static_cast<Row>(number[indices[e]]);
    PowerOfTwo<T>(-blocks_->shift)(values, size, factor, to_values);
  }

  void load_if_it_fits() {
    const Index entries = x_.offsets.back();
    const double bytes = static_cast<double>(entries) * (sizeof(T) + sizeof(Row));
    if (!blocks_->home->take(bytes)) return;
    taken_ = TakenMemory(blocks_->home->memory, bytes);
    x_.indices.resize(static_cast<std::size_t>(entries));
    x_.values.resize(static_cast<std::size_t>(entries));
    // Not more blocks at once than a read has.
    const std::vector<Index> starts = entry_blocks(x_.offsets, max_blocks);
    parallel_for(static_cast<Index>(starts.size()) - 1, [&](Index part) {
      visit_copies(starts[part], starts[part + 1],
                   [&](Index j, const RowIndex* indices, const T* values, Index size, T factor) {
                     const Index place = x_.offsets[j];
                     copy_item(indices, values, size, factor, x_.indices.data() + place, x_.values.data() + place);
                   });
    });
    blocks_.reset();
  }

  NodeItems<T, Row> x_;                       // without entries while blocks_ has them
  std::unique_ptr<ItemsInBlocks<T>> blocks_;  // or null: the items stand in memory
  TakenMemory taken_;
  OwnItems own_;
  Index entries_ = 0;               // of all
  std::vector<Index> starts_;       // the blocks of one's own items
  std::vector<Index> pair_starts_;  // of a team: where everyone's rows of H'
                                    // begin, two numbers each
};

// Cuts items out of others in two readings: features are counted, then items
// are copied with new numbers. Items that lie in blocks elsewhere are copied by
// the node itself, where it has the memory.
template <class T, class Source>
class Cut {
 public:
  Cut(Source source, Index rows, const Chosen& chosen, Numbers numbers, const OwnItems& own, TakenMemory taken)
      : source_(std::move(source)),
        chosen_(chosen),
        own_(own),
        taken_(std::move(taken)),
        offsets_(static_cast<std::size_t>(source_.count()) + 1) {
    offsets_[0] = 0;
    for (Index j = 0; j < source_.count(); ++j) offsets_[j + 1] = offsets_[j] + source_.size(j);
    starts_ = entry_blocks(offsets_, std::clamp<Index>(offsets_.back() / std::max<Index>(65536, 2 * rows), 1, 16));
    count(rows);
    if (numbers == Numbers::by_frequency)
      number_by_frequency();
    else
      number_in_order();
  }

  std::unique_ptr<NodeData<T>> node() && {
    constexpr std::size_t short_numbers = std::size_t(std::numeric_limits<std::uint16_t>::max()) + 1;
    return terms_.size() <= short_numbers ? copy<std::uint16_t>() : copy<RowIndex>();
  }

 private:
  Index blocks() const { return static_cast<Index>(starts_.size()) - 1; }

  void count(Index rows) {
    counts_.resize(static_cast<std::size_t>(blocks()));
    parallel_for(blocks(), [&](Index block) {
      auto& count = counts_[block];
      count.assign(static_cast<std::size_t>(rows), 0);
      source_.visit(starts_[block], starts_[block + 1], false, [&](Index, const auto* indices, const T*, Index size) {
        for (Index e = 0; e < size; ++e) ++count[source_.feature(indices[e])];
      });
    });
    parallel_blocks(rows, pair_rows_per_block, [&](Index begin, Index end) {
      for (std::size_t b = 1; b < counts_.size(); ++b) {
        for (Index i = begin; i < end; ++i) counts_[0][i] += counts_[b][i];
      }
    });
    counts_.resize(1);
    add_up(own_.team, std::span<std::int32_t>(counts_[0]));
  }

  // Both turn counts into numbers; what is written for a count of zero is never
  // read.
  void number_by_frequency() {
    auto& number = counts_[0];
    const auto width = [&](std::size_t i) { return std::bit_width(static_cast<std::uint32_t>(number[i])); };
    std::array<std::size_t, 33> place{};  // by bit width of the count
    for (std::size_t i = 0; i < number.size(); ++i) ++place[width(i)];
    std::size_t total = 0;
    for (std::size_t w = 33; w-- > 0;) total += std::exchange(place[w], total);
    const std::size_t used = place[0];
    terms_.resize(number.size());
    for (std::size_t i = 0; i < number.size(); ++i) {
      const std::size_t local = place[width(i)]++;
      terms_[local] = static_cast<RowIndex>(i);
      number[i] = static_cast<std::int32_t>(local);
    }
    terms_.resize(used);
  }

  void number_in_order() {
    auto& number = counts_[0];
    terms_.resize(number.size());
    std::size_t used = 0;
    for (std::size_t i = 0; i < number.size(); ++i) {
      const bool occurs = number[i] > 0;
      terms_[used] = static_cast<RowIndex>(i);
      number[i] = static_cast<std::int32_t>(used);
      used += occurs;
    }
    terms_.resize(used);
  }

  template <class Row>
  std::unique_ptr<NodeData<T>> copy() {
    std::vector<double> norms(chosen_.items.size());
    for (std::size_t j = 0; j < norms.size(); ++j) {
      const double factor = chosen_.factor(static_cast<Index>(j));
      norms[j] = factor * factor * chosen_.squared_norms[chosen_.items[j]];
    }
    // A sample has the scale of its node, so that its gradients can be
    // compared.
    const int shift = chosen_.factors.empty() ? norm_exponent(norms) : 0;
    for (double& norm : norms) norm = std::ldexp(norm, -2 * shift);
    const Index entries = sum_over(own_.team, offsets_.back());
    if constexpr (std::is_same_v<Source, ItemsInBlocks<T>>) {
      source_.shift = shift + chosen_.shift_of_values;
      renumber();
      return std::make_unique<SparseNode<T, Row>>(std::move(offsets_), std::move(source_), std::move(terms_),
                                                  std::move(norms), chosen_.exponent + shift, own_, entries);
    } else {
      NodeItems<T, Row> node{.offsets = std::move(offsets_), .indices = {}, .values = {}};
      node.indices.resize(static_cast<std::size_t>(node.offsets.back()));
      node.values.resize(static_cast<std::size_t>(node.offsets.back()));
      const PowerOfTwo<T> scale(-shift - chosen_.shift_of_values);
      const std::int32_t* number = counts_[0].data();
      parallel_for(blocks(), [&](Index block) {
        source_.visit(starts_[block], starts_[block + 1], true,
                      [&](Index j, const auto* indices, const T* values, Index size) {
                        const Index to = node.offsets[j];
                        for (Index e = 0; e < size; ++e)
                          node.indices[to + e] = static_cast<Row>(number[source_.feature(indices[e])]);
                        scale(values, size, static_cast<T>(chosen_.factor(own_.begin + j)), node.values.data() + to);
                      });
      });
      return std::make_unique<SparseNode<T, Row>>(std::move(node), std::move(terms_), std::move(norms),
                                                  chosen_.exponent + shift, own_, entries, std::move(taken_));
    }
  }

  // From the numbers of the whole to the new ones. Those of features that do
  // not occur are never looked at.
  void renumber() {
    const Buffer<std::int32_t>& fresh = counts_[0];
    if (source_.numbers.empty()) {
      source_.numbers.assign(fresh.begin(), fresh.end());
      return;
    }
    for (std::int32_t& number : source_.numbers) {
      if (number < static_cast<std::int32_t>(fresh.size())) number = fresh[number];
    }
  }

  Source source_;
  Chosen chosen_;
  OwnItems own_;
  TakenMemory taken_;  // for the node
  Buffer<Index> offsets_;
  std::vector<Index> starts_;                 // the blocks of items
  std::vector<Buffer<std::int32_t>> counts_;  // of each feature by block, then their sum, then the new numbers
  std::vector<RowIndex> terms_;
};

template <class T, class Source>
std::unique_ptr<NodeData<T>> cut_items(Source source, Index rows, const Chosen& chosen, Numbers numbers,
                                       const OwnItems& own, TakenMemory taken) {
  return Cut<T, Source>(std::move(source), rows, chosen, numbers, own, std::move(taken)).node();
}

template <class T>
class SparseTreeData : public TreeData<T> {
 public:
  explicit SparseTreeData(SparseView<T> x)
      : x_(x),
        exponent_(largest_exponent(x.values.subspan(x.offsets.front(), x.nonzeros()))),
        squared_norms_(static_cast<std::size_t>(x.cols)) {
    parallel_blocks(x.cols, 1024, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        const Index first = x.offsets[j];
        squared_norms_[j] = scaled_square(x.values.subspan(first, x.offsets[j + 1] - first), exponent_);
      }
    });
  }

  Index rows() const override { return x_.rows; }
  Index cols() const override { return x_.cols; }
  Index entries() const override { return x_.nonzeros(); }
  std::span<const double> squared_norms() const override { return squared_norms_; }
  int exponent() const override { return exponent_; }

  std::unique_ptr<NodeData<T>> cut(std::span<const RowIndex> items) const override {
    return cut_items<T>(ItemsInMemory<T, RowIndex>{{x_.offsets.data(), x_.indices.data(), x_.values.data()}, items},
                        x_.rows, {items, {}, squared_norms_, exponent_, exponent_}, Numbers::by_frequency);
  }

 private:
  SparseView<T> x_;
  int exponent_;
  std::vector<double> squared_norms_;
};

template <class T>
class BlockedTreeData : public TreeData<T> {
 public:
  BlockedTreeData(const BlockedItems<T>& items, double memory, const Team* team, std::vector<Index> starts)
      : home_{items, std::vector<std::int32_t>(static_cast<std::size_t>(items.cols())), NodeMemory(memory), team,
              std::move(starts)},
        squared_norms_(static_cast<std::size_t>(items.cols())) {
    // Squares are those of the values as they are, in one read with the sizes
    // and the largest value; where they leave the range of double, in a second.
    std::vector<T> largest(static_cast<std::size_t>(items.cols()),
                           T(0));  // of each item
    read([&](Index j, std::span<const T> values) {
      largest[j] = largest_size(values);
      home_.sizes[j] = static_cast<std::int32_t>(values.size());
      squared_norms_[j] = scaled_square(values, 0);
    });
    T most = largest.empty() ? T(0) : *std::ranges::max_element(largest);
    if (team != nullptr) {
      std::vector<double> all(static_cast<std::size_t>(team->size()), 0);
      all[team->rank()] = static_cast<double>(most);
      team->sum(all);
      most = static_cast<T>(*std::ranges::max_element(all));
    }
    exponent_ = most > 0 ? std::ilogb(most) : 0;
    if (fits_plain_squares<T>(exponent_)) {
      for (double& norm : squared_norms_) norm = std::ldexp(norm, -2 * exponent_);
    } else {
      read([&](Index j, std::span<const T> values) { squared_norms_[j] = scaled_square(values, exponent_); });
    }
    if (team != nullptr) team->share(std::span<double>(squared_norms_), home_.starts);
  }

  Index rows() const override { return home_.items.rows(); }
  Index cols() const override { return home_.items.cols(); }
  Index entries() const override { return home_.items.nonzeros(); }
  std::span<const double> squared_norms() const override { return squared_norms_; }
  int exponent() const override { return exponent_; }
  bool nodes_at_once() const override { return home_.team == nullptr; }
  bool any(bool wish) const override { return home_.team != nullptr ? home_.team->any(wish) : wish; }

  std::unique_ptr<NodeData<T>> cut(std::span<const RowIndex> items) const override {
    const std::span<const RowIndex> own = OwnItems{home_.team, own_begin()}.in(items, own_end() - own_begin());
    const Chosen chosen{items, {}, squared_norms_, exponent_, exponent_};
    const OwnItems place{home_.team, own.data() - items.data()};
    double entries = 0;
    for (const RowIndex item : own) entries += home_.sizes[item];
    const double bytes = entries * (sizeof(T) + sizeof(RowIndex));
    std::shared_ptr<const ItemStore<T>> store = home_.stores.with(own);
    if (store != nullptr && home_.take(bytes)) return cut_from(*store, own, chosen, place, bytes);
    store.reset();
    if (home_.take(2 * bytes)) {
      store = load(own, bytes);
      std::unique_ptr<NodeData<T>> node = cut_from(*store, own, chosen, place, bytes);
      home_.stores.add(std::move(store));
      return node;
    }
    ItemsInBlocks<T> source{.home = &home_, .items = {own.begin(), own.end()}, .factors = {}, .numbers = {}};
    return cut_items<T>(std::move(source), rows(), chosen, Numbers::by_frequency, place);
  }

 private:
  Index own_begin() const { return home_.team == nullptr ? 0 : home_.starts[home_.team->rank()]; }
  Index own_end() const { return home_.team == nullptr ? cols() : home_.starts[home_.team->rank() + 1]; }

  // So many bytes were taken for the node.
  std::unique_ptr<NodeData<T>> cut_from(const ItemStore<T>& store, std::span<const RowIndex> own, const Chosen& chosen,
                                        const OwnItems& place, double bytes) const {
    std::vector<RowIndex> numbers;
    numbers.reserve(own.size());
    std::size_t at = 0;
    for (const RowIndex item : own) {
      while (store.items[at] != item) ++at;
      numbers.push_back(static_cast<RowIndex>(at));
    }
    return cut_items<T>(ItemsInMemory<T, RowIndex>{store.x.view(), numbers}, rows(), chosen, Numbers::by_frequency,
                        place, TakenMemory(home_.memory, bytes));
  }

  // The items in one read. So many bytes were taken for them.
  std::shared_ptr<const ItemStore<T>> load(std::span<const RowIndex> own, double bytes) const {
    auto store = std::make_shared<ItemStore<T>>();
    store->taken = TakenMemory(home_.memory, bytes);
    store->items.assign(own.begin(), own.end());
    Buffer<Index>& offsets = store->x.offsets;
    offsets.resize(own.size() + 1);
    offsets[0] = 0;
    for (std::size_t j = 0; j < own.size(); ++j) offsets[j + 1] = offsets[j] + home_.sizes[own[j]];
    fetch_items<T>(home_, store->items, {}, store->x);
    return store;
  }

  // Calls use(item, its values) for one's own items.
  void read(const std::function<void(Index j, std::span<const T> values)>& use) {
    ItemsInBlocks<T> own{.home = &home_, .items = {}, .factors = {}, .numbers = {}};
    own.items.resize(static_cast<std::size_t>(own_end() - own_begin()));
    std::iota(own.items.begin(), own.items.end(), static_cast<RowIndex>(own_begin()));
    const auto firsts = home_.items.first_items();
    const Index first = std::upper_bound(firsts.begin(), firsts.end(), own_begin()) - firsts.begin() - 1;
    const Index last = std::lower_bound(firsts.begin(), firsts.end(), own_end()) - firsts.begin();
    const Index parts = std::clamp<Index>(last - first, 1, max_blocks);
    const auto place = [&](Index p) {
      return std::clamp(firsts[first + std::max<Index>(0, last - first) * p / parts], own_begin(), own_end()) -
             own_begin();
    };
    parallel_for(parts, [&](Index part) {
      own.visit(part == 0 ? 0 : place(part), part + 1 == parts ? own.count() : place(part + 1), true,
                [&](Index j, const RowIndex*, const T* values, Index size) {
                  use(own.items[j], {values, static_cast<std::size_t>(size)});
                });
    });
  }

  BlockedHome<T> home_;
  int exponent_ = 0;
  std::vector<double> squared_norms_;
};

}  // namespace

template <class T>
std::unique_ptr<TreeData<T>> tree_data(SparseView<T> x) {
  return std::make_unique<SparseTreeData<T>>(x);
}

template <class T>
std::unique_ptr<TreeData<T>> tree_data(const BlockedItems<T>& items, double memory) {
  return std::make_unique<BlockedTreeData<T>>(items, memory, nullptr, std::vector<Index>());
}

template <class T>
std::unique_ptr<TreeData<T>> shared_tree_data(const BlockedItems<T>& items, double memory, const Team& team,
                                              std::span<const Index> starts) {
  return std::make_unique<BlockedTreeData<T>>(items, memory, &team, std::vector<Index>(starts.begin(), starts.end()));
}

template std::unique_ptr<TreeData<float>> shared_tree_data(const BlockedItems<float>&, double, const Team&,
                                                           std::span<const Index>);
template std::unique_ptr<TreeData<double>> shared_tree_data(const BlockedItems<double>&, double, const Team&,
                                                            std::span<const Index>);

template std::unique_ptr<TreeData<float>> tree_data(const BlockedItems<float>&, double);
template std::unique_ptr<TreeData<double>> tree_data(const BlockedItems<double>&, double);

template std::unique_ptr<TreeData<float>> tree_data(SparseView<float>);
template std::unique_ptr<TreeData<double>> tree_data(SparseView<double>);

}  // namespace copse
