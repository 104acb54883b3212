#include "copse/tree/sparse_node.h"

#include <array>
#include <limits>
#include <type_traits>
#include <utility>

#include "copse/nnls/two_columns.h"
#include "copse/tree/compressed_items.h"
#include "copse/tree/node_blocks.h"
#include "copse/tree/scaling.h"

namespace copse {

template <class T>
std::shared_ptr<ItemStore<T>> empty_store(const BlockedHome<T>& home, std::vector<RowIndex> items, TakenMemory taken) {
  auto store = std::make_shared<ItemStore<T>>();
  store->taken = std::move(taken);
  store->x.offsets = offsets_of<T>(home, items);
  store->x.indices.resize(static_cast<std::size_t>(store->x.offsets.back()));
  store->x.values.resize(static_cast<std::size_t>(store->x.offsets.back()));
  store->items = std::move(items);
  return store;
}

template <class T>
std::shared_ptr<ItemStore<T>> fetch_store(const BlockedHome<T>& home, std::vector<RowIndex> items, TakenMemory taken) {
  auto store = empty_store(home, std::move(items), std::move(taken));
  NodeItems<T, RowIndex>& x = store->x;
  const ItemsInBlocks<T> source{.home = &home, .items = store->items, .factors = {}, .numbers = {}};
  // Not more blocks at once than a read has.
  const std::vector<Index> starts = entry_blocks(x.offsets, max_blocks);
  parallel_for(static_cast<Index>(starts.size()) - 1, [&](Index part) {
    source.visit(starts[part], starts[part + 1], true,
                 [&](Index j, const RowIndex* indices, const T* values, Index size) {
                   std::copy_n(indices, size, x.indices.data() + x.offsets[j]);
                   std::copy_n(values, size, x.values.data() + x.offsets[j]);
                 });
  });
  return store;
}

template <class T>
std::shared_ptr<ItemStore<T>> room_for_store(const BlockedHome<T>& home, std::vector<RowIndex> items) {
  const double bytes = home.bytes_of(home.entries_in(items));
  if (items.empty() || !home.take(2 * bytes)) return nullptr;
  home.memory.give_back(bytes);
  return empty_store(home, std::move(items), TakenMemory(home.memory, bytes));
}

template <class T>
std::vector<RowIndex> numbers_in(const ItemStore<T>& store, std::span<const RowIndex> items) {
  std::vector<RowIndex> numbers;
  numbers.reserve(items.size());
  std::size_t at = 0;
  for (const RowIndex item : items) {
    while (store.items[at] != item) ++at;
    numbers.push_back(static_cast<RowIndex>(at));
  }
  return numbers;
}

namespace {

// Row numbers have 16 bits where these suffice. The items stand in memory, or
// are fetched from their blocks for every read; the bits are the same.
template <class T, class Row>
class SparseNode : public NodeData<T>, public CompressedItems<T> {
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

  SparseMatrix<T> compressed() const override {
    SparseMatrix<T> copy{.rows = rows(), .cols = own_count()};
    copy.offsets.assign(x_.offsets.begin(), x_.offsets.end());
    copy.indices.assign(x_.indices.begin(), x_.indices.end());
    copy.values.assign(x_.values.begin(), x_.values.end());
    return copy;
  }
  Index entries_left(std::span<const char> kept) const override { return entries_of(kept); }

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
        return cut_items<T>(ItemsInMemory<T, Row>{x_.view(), own}, rows(), part, Numbering::in_order, place);
      std::vector<RowIndex> numbers(own.begin(), own.end());
      for (RowIndex& number : numbers) number -= static_cast<RowIndex>(own_.begin);
      return cut_items<T>(ItemsInMemory<T, Row>{x_.view(), numbers}, rows(), part, Numbering::in_order, place);
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
    return cut_items<T>(std::move(source), rows(), part, Numbering::in_order, place);
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

  // Out of items that were kept, or, where the part fits into memory twice, fetched in one read; its features are
  // counted there. Null: it does not fit.
  std::unique_ptr<NodeData<T>> part_in_one_read(std::span<const RowIndex> own, Chosen part,
                                                const OwnItems& place) const {
    if (!blocks_->factors.empty()) return nullptr;
    const BlockedHome<T>& home = *blocks_->home;
    std::vector<RowIndex> items;
    for (const RowIndex number : own) items.push_back(blocks_->items[number - own_.begin]);
    const double bytes = home.bytes_of(home.entries_in(items));
    std::shared_ptr<const ItemStore<T>> store = home.stores.with(items);
    if (store == nullptr || !home.take(bytes)) {
      if (!home.take(2 * bytes)) return nullptr;
      store = fetch_store(home, items, TakenMemory(home.memory, bytes));
    }
    part.shift_of_values = blocks_->shift;
    const std::vector<RowIndex> numbers = numbers_in<T>(*store, items);
    return cut_items<T>(RenumberedItems<T>{{store->x.view(), numbers}, blocks_->numbers}, rows(), part,
                        Numbering::in_order, place, TakenMemory(home.memory, bytes));
  }

  // The items of all samples in one read, unless that of the cut kept them.
  void expect_samples() const override {
    if (!blocks_ || !blocks_->factors.empty() || std::exchange(expects_samples_, true)) return;
    const BlockedHome<T>& home = *blocks_->home;
    const std::vector<RowIndex> all = items_of_samples(this->squared_norms(), this->numbers());
    std::vector<RowIndex> items;
    for (const RowIndex number : own_.in(all, own_count())) items.push_back(blocks_->items[number - own_.begin]);
    if (items.empty() || home.stores.with(items) != nullptr) return;
    const double bytes = home.bytes_of(home.entries_in(items));
    if (!home.take(2 * bytes)) return;
    home.memory.give_back(bytes);
    home.stores.add(fetch_store(home, std::move(items), TakenMemory(home.memory, bytes)));
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
    expects_samples_ = false;
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
  Index entries_ = 0;  // of all
  mutable bool expects_samples_ = false;
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
  Cut(Source source, Index rows, const Chosen& chosen, Numbering numbers, const OwnItems& own, TakenMemory taken,
      FeatureCounts known)
      : source_(std::move(source)),
        chosen_(chosen),
        own_(own),
        taken_(std::move(taken)),
        offsets_(static_cast<std::size_t>(source_.count()) + 1) {
    offsets_[0] = 0;
    for (Index j = 0; j < source_.count(); ++j) offsets_[j + 1] = offsets_[j] + source_.size(j);
    starts_ = entry_blocks(offsets_, blocks_to_count(offsets_.back(), rows));
    if (known.counts.empty())
      count(rows);
    else
      counts_.push_back(std::move(known.counts));
    if (!known.of_all) add_up(own_.team, std::span<std::int32_t>(counts_[0]));
    if (numbers == Numbering::by_frequency)
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
    add_parts(counts_);
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

}  // namespace

template <class T, class Source>
std::unique_ptr<NodeData<T>> cut_items(Source source, Index rows, const Chosen& chosen, Numbering numbers,
                                       const OwnItems& own, TakenMemory taken, FeatureCounts known) {
  return Cut<T, Source>(std::move(source), rows, chosen, numbers, own, std::move(taken), std::move(known)).node();
}

#define COPSE_INSTANTIATE(T)                                                                                          \
  template std::unique_ptr<NodeData<T>> cut_items(ItemsInMemory<T, RowIndex>, Index, const Chosen&, Numbering,        \
                                                  const OwnItems&, TakenMemory, FeatureCounts);                       \
  template std::unique_ptr<NodeData<T>> cut_items(ItemsInBlocks<T>, Index, const Chosen&, Numbering, const OwnItems&, \
                                                  TakenMemory, FeatureCounts);                                        \
  template std::shared_ptr<ItemStore<T>> empty_store(const BlockedHome<T>&, std::vector<RowIndex>, TakenMemory);      \
  template std::shared_ptr<ItemStore<T>> fetch_store(const BlockedHome<T>&, std::vector<RowIndex>, TakenMemory);      \
  template std::shared_ptr<ItemStore<T>> room_for_store(const BlockedHome<T>&, std::vector<RowIndex>);                \
  template std::vector<RowIndex> numbers_in(const ItemStore<T>&, std::span<const RowIndex>);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
