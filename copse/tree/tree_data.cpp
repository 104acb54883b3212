#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "copse/base/parallel.h"
#include "copse/tree/node_data.h"
#include "copse/tree/node_of.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 16384;

template <class T>
class SparseTreeData : public TreeData<T> {
 public:
  explicit SparseTreeData(SparseView<T> x) : x_(x) {}
  Index rows() const override { return x_.rows; }
  Index cols() const override { return x_.cols; }
  Index entries() const override { return x_.nonzeros(); }

  std::unique_ptr<NodeData<T>> cut(std::span<const RowIndex> items) const override {
    SparseMatrix<T> node{.rows = 0, .cols = static_cast<Index>(items.size())};
    node.offsets.resize(items.size() + 1);
    node.offsets[0] = 0;
    for (std::size_t j = 0; j < items.size(); ++j)
      node.offsets[j + 1] = node.offsets[j] + x_.offsets[items[j] + 1] - x_.offsets[items[j]];
    const Index entries = node.offsets.back();
    node.indices.resize(static_cast<std::size_t>(entries));
    node.values.resize(static_cast<std::size_t>(entries));
    const Index cuts = std::clamp<Index>(entries / std::max<Index>(65536, 2 * x_.rows), 1, 16);
    std::vector<RowIndex> terms = cuts == 1 ? copy_and_number(items, node) : copy_then_number(items, cuts, node);
    node.rows = static_cast<Index>(terms.size());
    return node_of(std::move(node), std::move(terms));
  }

  std::vector<double> squared_norms() const override {
    std::vector<double> norms(static_cast<std::size_t>(x_.cols));
    parallel_blocks(x_.cols, 1024, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        double sum = 0;
        for (Index p = x_.offsets[j]; p < x_.offsets[j + 1]; ++p)
          sum += static_cast<double>(x_.values[p]) * static_cast<double>(x_.values[p]);
        norms[j] = sum;
      }
    });
    return norms;
  }

 private:
  // Asks for an item some time before it is copied. The items of a node lie apart, where no processor expects them.
  void fetch(std::span<const RowIndex> items, Index j) const {
    constexpr Index ahead = 8, per_line = 16;
    if (j + ahead >= static_cast<Index>(items.size())) return;
    const Index item = items[j + ahead];
    for (Index p = x_.offsets[item]; p < x_.offsets[item + 1]; p += per_line) {
      hwy::Prefetch(x_.indices.data() + p);
      hwy::Prefetch(x_.values.data() + p);
    }
  }

  // Fills the node and gives its features: in the order in which they occur, which puts frequent ones first, more or
  // less, so that the rows of W that are read most share few cache lines.
  std::vector<RowIndex> copy_and_number(std::span<const RowIndex> items, SparseMatrix<T>& node) const {
    constexpr std::int32_t none = -1;
    std::vector<std::int32_t> number(static_cast<std::size_t>(x_.rows), none);
    std::vector<RowIndex> terms(static_cast<std::size_t>(std::min(x_.rows, node.offsets.back()) + 1));
    std::int32_t next = 0;
    for (std::size_t j = 0; j < items.size(); ++j) {
      fetch(items, static_cast<Index>(j));
      Index to = node.offsets[j];
      for (Index p = x_.offsets[items[j]]; p < x_.offsets[items[j] + 1]; ++p, ++to) {
        const RowIndex row = x_.indices[p];
        const bool is_new = number[row] == none;
        terms[next] = row;
        number[row] = is_new ? next : number[row];
        node.indices[to] = number[row];
        node.values[to] = x_.values[p];
        next += is_new;
      }
    }
    terms.resize(static_cast<std::size_t>(next));
    return terms;
  }

  // The same in parallel, for many items: features are counted while the items are copied, and numbered afterwards.
  std::vector<RowIndex> copy_then_number(std::span<const RowIndex> items, Index cuts, SparseMatrix<T>& node) const {
    const auto starts = entry_blocks(node.offsets, cuts);
    std::vector<Buffer<std::int32_t>> counts(static_cast<std::size_t>(cuts));
    parallel_for(cuts, [&](Index block) {
      auto& count = counts[block];
      count.assign(static_cast<std::size_t>(x_.rows), 0);
      for (Index j = starts[block]; j < starts[block + 1]; ++j) {
        fetch(items, j);
        const Index from = x_.offsets[items[j]], size = x_.offsets[items[j] + 1] - from;
        std::copy_n(x_.indices.data() + from, size, node.indices.data() + node.offsets[j]);
        std::copy_n(x_.values.data() + from, size, node.values.data() + node.offsets[j]);
        for (Index p = node.offsets[j]; p < node.offsets[j + 1]; ++p) ++count[node.indices[p]];
      }
    });
    std::vector<RowIndex> terms = number_terms(counts);
    const Buffer<std::int32_t>& number = counts[0];
    parallel_for(cuts, [&](Index block) {
      const Index end = node.offsets[starts[block + 1]];
      for (Index p = node.offsets[starts[block]]; p < end; ++p) node.indices[p] = number[node.indices[p]];
    });
    return terms;
  }

  // Adds the counts up and turns counts[0] into local numbers. Frequent features come first (by powers of two of
  // their counts, then by number), so that the rows of W that are read most share few cache lines.
  static std::vector<RowIndex> number_terms(std::vector<Buffer<std::int32_t>>& counts) {
    auto& number = counts[0];
    const Index rows = static_cast<Index>(number.size());
    parallel_blocks(rows, rows_per_block, [&](Index begin, Index end) {
      for (std::size_t b = 1; b < counts.size(); ++b) {
        for (Index i = begin; i < end; ++i) number[i] += counts[b][i];
      }
    });
    std::array<Index, 33> place{};  // by bit width of the count
    for (Index i = 0; i < rows; ++i) ++place[std::bit_width(static_cast<std::uint32_t>(number[i]))];
    place[0] = 0;
    Index total = 0;
    for (std::size_t width = 32; width > 0; --width) total += std::exchange(place[width], total);
    std::vector<RowIndex> terms(static_cast<std::size_t>(total));
    for (Index i = 0; i < rows; ++i) {
      if (number[i] == 0) continue;
      const Index local = place[std::bit_width(static_cast<std::uint32_t>(number[i]))]++;
      terms[local] = static_cast<RowIndex>(i);
      number[i] = static_cast<std::int32_t>(local);
    }
    return terms;
  }

  SparseView<T> x_;
};

template <class T>
class DenseTreeData : public TreeData<T> {
 public:
  explicit DenseTreeData(const Matrix<T>& items) : x_(items) {}
  Index rows() const override { return x_.cols(); }
  Index cols() const override { return x_.rows(); }
  Index entries() const override { return x_.rows() * x_.cols(); }

  std::unique_ptr<NodeData<T>> cut(std::span<const RowIndex> items) const override {
    const Index count = static_cast<Index>(items.size());
    Matrix<T> node;
    node.reshape(count, x_.cols());
    parallel_blocks(count, 64, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) std::ranges::copy(x_.row(items[j]), node.row(j).begin());
    });
    std::vector<RowIndex> terms(static_cast<std::size_t>(x_.cols()));
    for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = static_cast<RowIndex>(i);
    return node_of(std::move(node), std::move(terms));
  }

  std::vector<double> squared_norms() const override {
    std::vector<double> norms(static_cast<std::size_t>(x_.rows()));
    parallel_blocks(x_.rows(), 64, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        double sum = 0;
        for (const T value : x_.row(j)) sum += static_cast<double>(value) * static_cast<double>(value);
        norms[j] = sum;
      }
    });
    return norms;
  }

 private:
  const Matrix<T>& x_;
};

}  // namespace

template <class T>
std::unique_ptr<TreeData<T>> tree_data(SparseView<T> x) {
  return std::make_unique<SparseTreeData<T>>(x);
}

template <class T>
std::unique_ptr<TreeData<T>> tree_data(const Matrix<T>& items) {
  return std::make_unique<DenseTreeData<T>>(items);
}

template <class T>
std::unique_ptr<TreeData<T>> tree_data(const Dataset<T>& dataset) {
  if (const auto* sparse = std::get_if<SparseMatrix<T>>(&dataset.values)) return tree_data<T>(SparseView<T>(*sparse));
  return tree_data(std::get<Matrix<T>>(dataset.values));
}

#define COPSE_INSTANTIATE(T)                                         \
  template std::unique_ptr<TreeData<T>> tree_data(SparseView<T>);    \
  template std::unique_ptr<TreeData<T>> tree_data(const Matrix<T>&); \
  template std::unique_ptr<TreeData<T>> tree_data(const Dataset<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
