#include <functional>
#include <numeric>
#include <utility>

#include "copse/kernels/streamed_data.h"
#include "copse/tree/constants.h"
#include "copse/tree/scaling.h"
#include "copse/tree/shared_tree.h"
#include "copse/tree/sparse_node.h"

namespace copse {
namespace {

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
                        x_.rows, {items, {}, squared_norms_, exponent_, exponent_}, Numbering::by_frequency);
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
      : home_{items, {}, NodeMemory(memory), team, std::move(starts)} {
    const ItemFacts* facts = items.facts();
    if (facts != nullptr && facts->has_lists) {
      known_ = facts;
      home_.sizes = facts->sizes;
      squared_norms_ = facts->squared_norms;
      scale(static_cast<T>(facts->largest));
    } else {
      scale(learn());
      if (team != nullptr) team->share(std::span<double>(squared_norms_), home_.starts);
    }
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
    FeatureCounts known;
    if (known_ != nullptr && static_cast<Index>(items.size()) == cols())
      known = {{known_->counts.begin(), known_->counts.end()}, true};
    const Index entries = home_.entries_in(own);
    const double bytes = home_.bytes_of(entries);
    std::shared_ptr<const ItemStore<T>> store = home_.stores.with(own);
    if (store != nullptr && home_.take(bytes)) return cut_from(*store, own, chosen, place, std::move(known));
    store.reset();
    if (home_.take(2 * bytes)) {
      store = fetch_store(home_, {own.begin(), own.end()}, TakenMemory(home_.memory, bytes));
      std::unique_ptr<NodeData<T>> node = cut_from(*store, own, chosen, place, std::move(known));
      home_.stores.add(std::move(store));
      return node;
    }
    // The node loads its items, or else it will ask for samples of them. The read that counts features fetches them.
    const bool fits = home_.could_take(static_cast<double>(entries) * (sizeof(T) + sizeof(std::uint16_t)));
    if (known.counts.empty() && !fits) known = count_and_sample(items, own);
    ItemsInBlocks<T> source{.home = &home_, .items = {own.begin(), own.end()}, .factors = {}, .numbers = {}};
    return cut_items<T>(std::move(source), rows(), chosen, Numbering::by_frequency, place, {}, std::move(known));
  }

 private:
  Index own_begin() const { return home_.team == nullptr ? 0 : home_.starts[home_.team->rank()]; }
  Index own_end() const { return home_.team == nullptr ? cols() : home_.starts[home_.team->rank() + 1]; }

  // Sizes and squares of one's own items, in one read; the largest entry of all.
  T learn() {
    const auto count = static_cast<std::size_t>(cols());
    sizes_.resize(count);
    squared_norms_.resize(count);
    home_.sizes = sizes_;
    std::vector<T> largest(count, T(0));  // of each item
    read([&](Index j, std::span<const T> values) {
      largest[j] = largest_size(values);
      sizes_[j] = static_cast<std::int32_t>(values.size());
      squared_norms_[j] = scaled_square(values, 0);
    });
    const T most = largest.empty() ? T(0) : *std::ranges::max_element(largest);
    if (home_.team == nullptr) return most;
    std::vector<double> all(static_cast<std::size_t>(home_.team->size()), 0);
    all[home_.team->rank()] = static_cast<double>(most);
    home_.team->sum(all);
    return static_cast<T>(*std::ranges::max_element(all));
  }

  // Squares are those of the values as they are; where they leave the range of double, they are read again.
  void scale(T largest) {
    exponent_ = largest > 0 ? std::ilogb(largest) : 0;
    if (fits_plain_squares<T>(exponent_)) {
      for (double& norm : squared_norms_) norm = std::ldexp(norm, -2 * exponent_);
      return;
    }
    read([&](Index j, std::span<const T> values) { squared_norms_[j] = scaled_square(values, exponent_); });
    if (known_ != nullptr && home_.team != nullptr) home_.team->share(std::span<double>(squared_norms_), home_.starts);
  }

  // The memory of the node was taken.
  std::unique_ptr<NodeData<T>> cut_from(const ItemStore<T>& store, std::span<const RowIndex> own, const Chosen& chosen,
                                        const OwnItems& place, FeatureCounts known) const {
    const double bytes = home_.bytes_of(home_.entries_in(own));
    const std::vector<RowIndex> numbers = numbers_in<T>(store, own);
    return cut_items<T>(ItemsInMemory<T, RowIndex>{store.x.view(), numbers}, rows(), chosen, Numbering::by_frequency,
                        place, TakenMemory(home_.memory, bytes), std::move(known));
  }

  // Features of one's own items, counted in a read that also keeps the items of the samples, where there is room. None:
  // there is none.
  FeatureCounts count_and_sample(std::span<const RowIndex> items, std::span<const RowIndex> own) const {
    std::vector<double> norms;
    norms.reserve(items.size());
    for (const RowIndex item : items) norms.push_back(squared_norms_[item]);
    std::vector<RowIndex> sampled;
    for (const RowIndex number : items_of_samples(norms, items)) {
      const RowIndex item = items[number];
      if (item >= own_begin() && item < own_end()) sampled.push_back(item);
    }
    norms = {};
    auto store = room_for_store(home_, std::move(sampled));
    if (store == nullptr) return {};
    Buffer<Index> offsets = offsets_of(home_, own);
    const auto starts = entry_blocks(offsets, blocks_to_count(offsets.back(), rows()));
    const ItemsInBlocks<T> source{.home = &home_, .items = {own.begin(), own.end()}, .factors = {}, .numbers = {}};
    std::vector<Buffer<std::int32_t>> counts(starts.size() - 1);
    parallel_for(static_cast<Index>(counts.size()), [&](Index part) {
      auto& count = counts[part];
      count.assign(static_cast<std::size_t>(rows()), 0);
      if (starts[part] == starts[part + 1]) return;
      auto next = std::ranges::lower_bound(store->items, own[starts[part]]);
      source.visit(starts[part], starts[part + 1], true,
                   [&](Index j, const RowIndex* indices, const T* values, Index size) {
                     for (Index e = 0; e < size; ++e) ++count[indices[e]];
                     if (next == store->items.end() || *next != own[j]) return;
                     const Index to = store->x.offsets[next++ - store->items.begin()];
                     std::copy_n(indices, size, store->x.indices.data() + to);
                     std::copy_n(values, size, store->x.values.data() + to);
                   });
    });
    add_parts(counts);
    home_.stores.add(std::move(store));
    return {std::move(counts[0]), false};
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

  std::vector<std::int32_t> sizes_;  // where nobody knew them
  BlockedHome<T> home_;
  const ItemFacts* known_ = nullptr;
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
