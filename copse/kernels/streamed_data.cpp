#include "copse/kernels/streamed_data.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "copse/base/isolated.h"
#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/scatter.h"
#include "copse/kernels/sparse_product.h"

namespace copse {
namespace {

constexpr Index most_parts = 16;
constexpr double bytes_of_parts = 0x1p26;  // of all partial sums, unless two take more
constexpr Index streamed_data_rows_per_block = 512;
constexpr Index items_per_visit = 64;

// out = the sum of the parts, in their order.
template <class T>
void add_up(const std::vector<ScatteredProduct<T>>& parts, Index rows, Index k, Matrix<T>& out) {
  out.reshape(rows, k);
  parallel_blocks(rows, streamed_data_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto row = out.row(i);
      std::copy_n(parts[0].row(i), k, row.begin());
      for (std::size_t p = 1; p < parts.size(); ++p) {
        const T* part = parts[p].row(i);
        for (Index c = 0; c < k; ++c) row[c] += part[c];
      }
    }
  });
}

// Solvers take up to so many neighbouring rows at once. Long items are aligned to fewer, so that a group of them that
// spans two blocks stays small.
template <class T>
Index alignment_of(const BlockedItems<T>& items) {
  Index alignment = 256;
  const Index mean = items.nonzeros() / std::max<Index>(1, items.cols());
  while (alignment > 16 && alignment * mean > (1 << 20)) alignment /= 2;
  return alignment;
}

// Where aligned blocks begin: the aligned part of each block, and between two such parts what spans their border.
template <class T>
std::vector<Index> aligned_starts(const BlockedItems<T>& items) {
  const Index alignment = alignment_of(items);
  std::vector<Index> starts{0};
  const auto add = [&](Index item) {
    if (item > starts.back()) starts.push_back(item);
  };
  for (Index b = 0; b < items.blocks(); ++b) {
    const Index begin = items.first_items()[b], end = items.first_items()[b + 1];
    const Index first = (begin + alignment - 1) / alignment * alignment, last = end / alignment * alignment;
    if (first < last) add(first);
    add(last);
  }
  add(items.cols());
  if (starts.size() == 1) starts.push_back(items.cols());
  return starts;
}

// The items of a range, in order: what lies in one block is shown as it is, what spans a border is put together.
template <class T>
class RangeReader {
 public:
  explicit RangeReader(const BlockedItems<T>& items) : items_(items) {}

  SparseView<T> read(Index begin, Index end) {
    const auto firsts = items_.first_items();
    if (begin < end && !(block_ >= 0 && firsts[block_] <= begin && begin < firsts[block_ + 1]))
      open(std::upper_bound(firsts.begin(), firsts.end(), begin) - firsts.begin() - 1);
    if (begin == end || end <= firsts[block_ + 1]) return begin == end ? nothing() : columns(begin, end);
    joined_.rows = items_.rows();
    joined_.cols = end - begin;
    joined_.offsets.assign(1, 0);
    joined_.indices.clear();
    joined_.values.clear();
    for (;;) {
      append(columns(begin, std::min(end, firsts[block_ + 1])));
      begin = std::min(end, firsts[block_ + 1]);
      if (begin == end) return joined_;
      open(block_ + 1);
    }
  }

 private:
  void open(Index block) {
    block_ = block;
    if (block + 1 < items_.blocks()) items_.expect(block + 1);
    items_.read(block, matrix_);
  }
  SparseView<T> nothing() {
    joined_ = {};
    joined_.rows = items_.rows();
    return joined_;
  }
  SparseView<T> columns(Index begin, Index end) const {
    const Index first = items_.first_items()[block_];
    return {matrix_.rows, end - begin,
            std::span<const Index>(matrix_.offsets)
                .subspan(static_cast<std::size_t>(begin - first), static_cast<std::size_t>(end - begin + 1)),
            matrix_.indices, matrix_.values};
  }
  void append(const SparseView<T>& part) {
    const Index before = joined_.offsets.back(), from = part.offsets.front(), count = part.nonzeros();
    joined_.indices.insert(joined_.indices.end(), part.indices.begin() + from, part.indices.begin() + from + count);
    joined_.values.insert(joined_.values.end(), part.values.begin() + from, part.values.begin() + from + count);
    for (Index j = 1; j <= part.cols; ++j) joined_.offsets.push_back(before + part.offsets[j] - from);
  }

  const BlockedItems<T>& items_;
  Index block_ = -1;
  SparseMatrix<T> matrix_, joined_;
};

}  // namespace

template <class T>
Index streamed_parts(Index rows, Index k, Index blocks) {
  const double each = std::max(ScatteredProduct<T>::bytes(rows, k), 1.0);
  const Index fit = std::clamp<Index>(static_cast<Index>(std::min(bytes_of_parts / each, 1e6)), 2, most_parts);
  return std::max<Index>(1, std::min(fit, blocks));
}

template <class T>
void visit_stretches(const BlockedItems<T>& items, Index parts,
                     const std::function<void(Index part, Index block, const SparseView<T>& view)>& use) {
  const Index blocks = items.blocks();
  parallel_for(parts, [&](Index part) {
    const Index end = blocks * (part + 1) / parts;
    SparseMatrix<T> matrix;
    for (Index block = blocks * part / parts; block < end; ++block) {
      check_cancelled();
      if (block + 1 < end) items.expect(block + 1);
      items.read(block, matrix);
      use(part, block, matrix);
    }
  });
}

// |X|^2 is asked for several times, and is a read of all.
template <class T>
struct StreamedData<T>::Known {
  std::once_flag once;
  double squared_norm = 0;
};

template <class T>
StreamedData<T>::StreamedData(const BlockedItems<T>& items)
    : Data<T>({.rows = items.rows(), .cols = items.cols(), .nonzeros = items.nonzeros(), .is_fetched = true}),
      items_(items),
      starts_(aligned_starts(items)),
      known_(std::make_unique<Known>()) {}

template <class T>
StreamedData<T>::~StreamedData() = default;

template <class T>
void StreamedData<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  const Index k = h.cols(), parts = streamed_parts<T>(this->rows(), k, items_.blocks());
  std::vector<ScatteredProduct<T>> sums(static_cast<std::size_t>(parts), ScatteredProduct<T>(this->rows(), k));
  visit_stretches<T>(items_, parts, [&](Index part, Index block, const SparseView<T>& view) {
    Matrix<T> own;
    own.reshape(view.cols, k);
    std::copy_n(h.data() + items_.first_items()[block] * k, view.cols * k, own.data());
    sums[part].add(view, own);
  });
  add_up(sums, this->rows(), k, out);
}

template <class T>
void StreamedData<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  out.reshape(this->cols(), w.cols());
  visit_stretches<T>(items_, std::min(most_parts, std::max<Index>(1, items_.blocks())),
                     [&](Index, Index block, const SparseView<T>& view) {
                       Matrix<T> own;
                       copse::transpose_times(view, w, own);
                       std::ranges::copy(own.values(), out.data() + items_.first_items()[block] * w.cols());
                     });
}

template <class T>
void StreamedData<T>::read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const {
  const Index k = w.cols(), parts = streamed_parts<T>(this->rows(), k, items_.blocks());
  std::vector<ScatteredProduct<T>> sums(static_cast<std::size_t>(parts));
  const Index count = static_cast<Index>(starts_.size()) - 1;
  parallel_for(parts, [&](Index part) {
    sums[part] = ScatteredProduct<T>(this->rows(), k);
    RangeReader<T> reader(items_);
    Matrix<T> product, h;
    for (Index block = count * part / parts; block < count * (part + 1) / parts; ++block) {
      check_cancelled();
      const SparseView<T> view = reader.read(starts_[block], starts_[block + 1]);
      copse::transpose_times(view, w, product);
      h.reshape(view.cols, k);
      update(starts_[block], product, h);
      sums[part].add(view, h);
    }
  });
  add_up(sums, this->rows(), k, out);
}

template <class T>
double StreamedData<T>::squared_norm_over(int exponent) const {
  if (exponent != 0) return read_squared_norm_over(exponent);
  if (const ItemFacts* facts = items_.facts()) return facts->squared_norm;
  std::call_once(known_->once, [&] { isolated([&] { known_->squared_norm = read_squared_norm_over(0); }); });
  return known_->squared_norm;
}

template <class T>
double StreamedData<T>::read_squared_norm_over(int exponent) const {
  std::vector<double> squares(static_cast<std::size_t>(items_.blocks()), 0.0);
  visit_stretches<T>(items_, std::min(most_parts, std::max<Index>(1, items_.blocks())),
                     [&](Index, Index block, const SparseView<T>& view) {
                       squares[block] = copse::squared_norm_over(view.values, exponent);
                     });
  double sum = 0;
  for (const double square : squares) sum += square;
  return sum;
}

template <class T>
void StreamedData<T>::visit_blocks(const VisitBlock<T>& visit) const {
  visit_stretches<T>(
      items_, std::min(most_parts, std::max<Index>(1, items_.blocks())),
      [&](Index, Index block, const SparseView<T>& view) {
        parallel_blocks(view.cols, items_per_visit, [&](Index begin, Index end) {
          const auto offsets =
              view.offsets.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin + 1));
          visit(items_.first_items()[block] + begin, {view.rows, end - begin, offsets, view.indices, view.values});
        });
      });
}

template <class T>
Sample<T> StreamedData<T>::select(std::span<const Index> items) const {
  SparseMatrix<T> selected = select_items(items_, items);
  std::vector<Index> features = drop_empty_rows(selected);
  return {in_memory(std::move(selected)), std::move(features)};
}

template <class T>
SparseMatrix<T> select_items(const BlockedItems<T>& from, std::span<const Index> items) {
  const auto firsts = from.first_items();
  std::vector<SparseMatrix<T>> parts(static_cast<std::size_t>(from.blocks()));
  std::vector<Index> wanted;  // blocks
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < items.size();) {
    const Index block = std::upper_bound(firsts.begin(), firsts.end(), items[i]) - firsts.begin() - 1;
    wanted.push_back(block);
    begins.push_back(i);
    while (i < items.size() && items[i] < firsts[block + 1]) ++i;
  }
  begins.push_back(items.size());
  const Index count = static_cast<Index>(wanted.size());
  const Index stretches = std::min(most_parts, std::max<Index>(1, count));
  parallel_for(stretches, [&](Index stretch) {
    SparseMatrix<T> matrix;
    std::vector<Index> own;
    const Index end = count * (stretch + 1) / stretches;
    for (Index w = count * stretch / stretches; w < end; ++w) {
      check_cancelled();
      if (w + 1 < end) from.expect(wanted[w + 1]);
      from.read(wanted[w], matrix);
      own.clear();
      for (std::size_t i = begins[w]; i < begins[w + 1]; ++i) own.push_back(items[i] - firsts[wanted[w]]);
      parts[wanted[w]] = select_columns<T>(matrix, own);
    }
  });
  SparseMatrix<T> all{.rows = from.rows(), .cols = static_cast<Index>(items.size())};
  Index entries = 0;
  for (const SparseMatrix<T>& part : parts) entries += part.nonzeros();
  all.offsets.reserve(items.size() + 1);
  all.indices.resize(static_cast<std::size_t>(entries));
  all.values.resize(static_cast<std::size_t>(entries));
  for (SparseMatrix<T>& part : parts) {
    const Index before = all.offsets.back();
    std::ranges::copy(part.indices, all.indices.begin() + before);
    std::ranges::copy(part.values, all.values.begin() + before);
    for (std::size_t j = 1; j < part.offsets.size(); ++j) all.offsets.push_back(before + part.offsets[j]);
    part = {};  // one block after the other moves: not all of them twice
  }
  return all;
}

#define COPSE_INSTANTIATE(T)                                                                     \
  template class StreamedData<T>;                                                                \
  template Index streamed_parts<T>(Index, Index, Index);                                         \
  template void visit_stretches(const BlockedItems<T>&, Index,                                   \
                                const std::function<void(Index, Index, const SparseView<T>&)>&); \
  template SparseMatrix<T> select_items(const BlockedItems<T>&, std::span<const Index>);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
