// Some neighbouring items of those that are read in blocks.
#pragma once

#include <algorithm>
#include <vector>

#include "copse/matrix/blocked_items.h"

namespace copse {

// The items begin ... end - 1 of `from`, which must outlive it.
template <class T>
class ItemRange : public BlockedItems<T> {
 public:
  ItemRange(const BlockedItems<T>& from, Index begin, Index end) : from_(from), begin_(begin), end_(end) {
    const auto firsts = from.first_items(), entries = from.first_entries();
    first_block_ = std::upper_bound(firsts.begin(), firsts.end(), begin) - firsts.begin() - 1;
    first_block_ = std::clamp<Index>(first_block_, 0, std::max<Index>(0, from.blocks() - 1));
    for (Index b = first_block_; begin < end && b < from.blocks() && firsts[b] < end; ++b) {
      const Index last = std::min(end, firsts[b + 1]);
      first_items_.push_back(last - begin);
      Index count = entries[b + 1] - entries[b];
      if (firsts[b] < begin || last < firsts[b + 1]) {  // what is cut is counted
        SparseMatrix<T> part;
        from.read(b, part);
        count = part.offsets[last - firsts[b]] - part.offsets[std::max<Index>(0, begin - firsts[b])];
      }
      first_entries_.push_back(first_entries_.back() + count);
    }
  }

  Index rows() const override { return from_.rows(); }
  std::span<const Index> first_items() const override { return first_items_; }
  std::span<const Index> first_entries() const override { return first_entries_; }
  void expect(Index block) const override { from_.expect(first_block_ + block); }
  void read(Index block, SparseMatrix<T>& into) const override {
    const auto firsts = from_.first_items();
    const Index b = first_block_ + block;
    from_.read(b, into);
    const Index first = std::max<Index>(0, begin_ - firsts[b]), last = std::min(end_, firsts[b + 1]) - firsts[b];
    if (first == 0 && last == into.cols) return;
    const Index from = into.offsets[first], to = into.offsets[last];
    std::copy(into.indices.begin() + from, into.indices.begin() + to, into.indices.begin());
    std::copy(into.values.begin() + from, into.values.begin() + to, into.values.begin());
    for (Index j = first; j <= last; ++j) into.offsets[j - first] = into.offsets[j] - from;
    into.cols = last - first;
    into.offsets.resize(static_cast<std::size_t>(into.cols) + 1);
    into.indices.resize(static_cast<std::size_t>(to - from));
    into.values.resize(static_cast<std::size_t>(to - from));
  }

 private:
  const BlockedItems<T>& from_;
  Index begin_, end_;
  Index first_block_ = 0;
  std::vector<Index> first_items_ = {0}, first_entries_ = {0};
};

}  // namespace copse
