#include "copse/kernels/top.h"

#include <algorithm>

#include "copse/base/parallel.h"

namespace copse {
namespace {

template <class T>
struct Entry {
  T value;
  Index row;
  // Whether it comes before another in the result.
  bool operator<(const Entry& other) const { return value != other.value ? value > other.value : row < other.row; }
};

// Keeps the best `count` entries seen, with the worst of them on top of the heap, ready to be replaced.
template <class T>
class Best {
 public:
  explicit Best(std::size_t count) : count_(count) {}

  void add(const Entry<T>& entry) {
    if (entries_.size() < count_) {
      entries_.push_back(entry);
      std::push_heap(entries_.begin(), entries_.end());
    } else if (count_ > 0 && entry < entries_.front()) {
      std::pop_heap(entries_.begin(), entries_.end());
      entries_.back() = entry;
      std::push_heap(entries_.begin(), entries_.end());
    }
  }

  void add(const Best& other) {
    for (const Entry<T>& entry : other.entries_) add(entry);
  }

  std::vector<Index> rows() {
    std::sort_heap(entries_.begin(), entries_.end());
    std::vector<Index> result;
    for (const Entry<T>& entry : entries_) result.push_back(entry.row);
    return result;
  }

 private:
  std::size_t count_;
  std::vector<Entry<T>> entries_;
};

}  // namespace

template <class T>
std::vector<std::vector<Index>> top_entries(const Matrix<T>& f, Index count) {
  assert(count >= 0);
  const Index rows_per_block = std::max<Index>(16384, 4 * count);
  const Index blocks = (f.rows() + rows_per_block - 1) / rows_per_block;
  const std::vector<Best<T>> empty(static_cast<std::size_t>(f.cols()), Best<T>(static_cast<std::size_t>(count)));
  std::vector<std::vector<Best<T>>> best(static_cast<std::size_t>(std::max<Index>(1, blocks)), empty);
  parallel_blocks(f.rows(), rows_per_block, [&](Index begin, Index end) {
    auto& columns = best[static_cast<std::size_t>(begin / rows_per_block)];
    for (Index i = begin; i < end; ++i) {
      const auto row = f.row(i);
      for (std::size_t c = 0; c < row.size(); ++c) columns[c].add({row[c], i});
    }
  });
  std::vector<std::vector<Index>> result;
  for (std::size_t c = 0; c < empty.size(); ++c) {
    for (std::size_t b = 1; b < best.size(); ++b) best[0][c].add(best[b][c]);
    result.push_back(best[0][c].rows());
  }
  return result;
}

template std::vector<std::vector<Index>> top_entries(const Matrix<float>&, Index);
template std::vector<std::vector<Index>> top_entries(const Matrix<double>&, Index);

}  // namespace copse
