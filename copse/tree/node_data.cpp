#include "copse/tree/node_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <type_traits>

#include "copse/base/parallel.h"
#include "copse/nnls/two_columns.h"
#include "copse/tree/node_of.h"
#include "copse/tree/pair_kernels.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 16384;

using Sums = PairSums<4>;  // h1 h1, h1 h2, h2 h2, b'h

template <class T>
PairSums<3> gram2(const Matrix<T>& w) {
  return sum_blocks(w.rows(), rows_per_block, PairSums<3>{},
                    [&](Index begin, Index end) { return gram_rows<T>(w.data() + 2 * begin, end - begin); });
}

template <class T>
void store(const std::vector<Sums>& sums, Sweep<T>& out) {
  Sums total;
  for (const Sums& part : sums) total += part;
  out.a = total.values[0], out.b = total.values[1], out.c = total.values[2], out.fitted = total.values[3];
}

// Runs item_block(begin, end, X H' of the block) for each block of items and adds up the parts in block order.
template <class T, class Body>
void sweep_blocks(Index terms, Index items, std::span<const Index> starts, Sweep<T>& out, const Body& item_block) {
  const Index blocks = static_cast<Index>(starts.size()) - 1;
  out.h.reshape(items, 2);
  out.xh.reshape(terms, 2);
  out.parts.resize(static_cast<std::size_t>(blocks - 1));
  std::vector<Sums> sums(static_cast<std::size_t>(blocks));
  parallel_for(blocks, [&](Index block) {
    T* xh = out.xh.data();
    if (block > 0) {
      out.parts[block - 1].resize(static_cast<std::size_t>(2 * terms));
      xh = out.parts[block - 1].data();
    }
    std::fill_n(xh, 2 * terms, T(0));
    sums[block] = item_block(starts[block], starts[block + 1], xh);
  });
  if (blocks > 1) {
    parallel_blocks(2 * terms, rows_per_block, [&](Index begin, Index end) {
      T* total = out.xh.data();
      for (const auto& part : out.parts) {
        for (Index e = begin; e < end; ++e) total[e] += part[e];
      }
    });
  }
  store(sums, out);
}

// The same for a W that every block has a copy of, beside its X H', in a table as sweep_items wants it.
template <class T, class Body>
void sweep_tables(const Matrix<T>& w, Index items, std::span<const Index> starts, Sweep<T>& out,
                  const Body& item_block) {
  const Index blocks = static_cast<Index>(starts.size()) - 1, terms = w.rows();
  out.h.reshape(items, 2);
  out.xh.reshape(terms, 2);
  out.parts.resize(static_cast<std::size_t>(blocks));
  std::vector<Sums> sums(static_cast<std::size_t>(blocks));
  parallel_for(blocks, [&](Index block) {
    auto& table = out.parts[block];
    table.resize(static_cast<std::size_t>(4 * terms));
    for (Index i = 0; i < terms; ++i) {
      std::copy_n(w.data() + 2 * i, 2, table.data() + 4 * i);
      std::fill_n(table.data() + 4 * i + 2, 2, T(0));
    }
    sums[block] = item_block(starts[block], starts[block + 1], table.data());
  });
  parallel_blocks(terms, rows_per_block, [&](Index begin, Index end) {
    T* xh = out.xh.data();
    std::fill(xh + 2 * begin, xh + 2 * end, T(0));
    for (const auto& part : out.parts) {
      const T* table = part.data();
      for (Index i = begin; i < end; ++i) {
        xh[2 * i] += table[4 * i + 2];
        xh[2 * i + 1] += table[4 * i + 3];
      }
    }
  });
  store(sums, out);
}

// As many blocks as pay for their own X H', which costs as much as reading a few entries per feature; two as soon as
// that is worth a second thread.
Index block_count(Index entries, Index terms) {
  const Index per_feature = entries / std::max<Index>(1, terms);
  const Index most = std::min(std::max(per_feature / 24, std::min<Index>(2, per_feature / 8)), entries / 16384);
  return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(std::clamp<Index>(most, 1, 16))));
}

// Calls rule(item, b1, b2) -> h with (b1, b2) = W'x for the items [begin, end), and adds x h' to xh.
template <class T, class Rule>
Sums read_items(SparseView<T> x, const Matrix<T>& w, Index begin, Index end, T* h, T* xh, const Rule& rule) {
  const Index* offsets = x.offsets.data();
  const RowIndex* indices = x.indices.data();
  const T* values = x.values.data();
  const T* pairs = w.data();
  Sums sums;
  for (Index j = begin; j < end; ++j) {
    const Index from = offsets[j], to = offsets[j + 1];
    T b1 = 0, b2 = 0, d1 = 0, d2 = 0;
    Index p = from;
    for (; p + 2 <= to; p += 2) {
      const T* w0 = pairs + 2 * static_cast<Index>(indices[p]);
      const T* w1 = pairs + 2 * static_cast<Index>(indices[p + 1]);
      b1 += values[p] * w0[0], b2 += values[p] * w0[1];
      d1 += values[p + 1] * w1[0], d2 += values[p + 1] * w1[1];
    }
    if (p < to) {
      const T* w0 = pairs + 2 * static_cast<Index>(indices[p]);
      b1 += values[p] * w0[0], b2 += values[p] * w0[1];
    }
    b1 += d1, b2 += d2;
    const auto [h1, h2] = rule(j, b1, b2);
    h[2 * j] = h1, h[2 * j + 1] = h2;
    const double x1 = static_cast<double>(h1), x2 = static_cast<double>(h2);
    sums.values[0] += x1 * x1, sums.values[1] += x1 * x2, sums.values[2] += x2 * x2;
    sums.values[3] += static_cast<double>(b1) * x1 + static_cast<double>(b2) * x2;
    for (p = from; p < to; ++p) {
      T* sum = xh + 2 * static_cast<Index>(indices[p]);
      const T s1 = sum[0] + values[p] * h1, s2 = sum[1] + values[p] * h2;
      sum[0] = s1, sum[1] = s2;
    }
  }
  return sums;
}

template <class T, class Rule>
Sums read_items(const Matrix<T>& x, const Matrix<T>& w, Index begin, Index end, T* h, T* xh, const Rule& rule) {
  const Index terms = x.cols();
  Sums sums;
  for (Index j = begin; j < end; ++j) {
    const T* values = x.row(j).data();
    std::array<T, 8> b{};
    Index i = 0;
    for (; i + 4 <= terms; i += 4) {
      for (Index e = 0; e < 4; ++e) {
        b[2 * e] += values[i + e] * w.data()[2 * (i + e)];
        b[2 * e + 1] += values[i + e] * w.data()[2 * (i + e) + 1];
      }
    }
    for (; i < terms; ++i) b[0] += values[i] * w(i, 0), b[1] += values[i] * w(i, 1);
    const T b1 = (b[0] + b[2]) + (b[4] + b[6]), b2 = (b[1] + b[3]) + (b[5] + b[7]);
    const auto [h1, h2] = rule(j, b1, b2);
    h[2 * j] = h1, h[2 * j + 1] = h2;
    const double x1 = static_cast<double>(h1), x2 = static_cast<double>(h2);
    sums.values[0] += x1 * x1, sums.values[1] += x1 * x2, sums.values[2] += x2 * x2;
    sums.values[3] += static_cast<double>(b1) * x1 + static_cast<double>(b2) * x2;
    for (i = 0; i < terms; ++i) xh[2 * i] += values[i] * h1, xh[2 * i + 1] += values[i] * h2;
  }
  return sums;
}

// Moves the kept items to the front; all move towards lower addresses.
template <class T>
void keep_items(std::span<const char> kept, SparseMatrix<T>& x) {
  Index item = 0, to = 0, from = 0;  // from: offsets[j] before it is written
  for (Index j = 0; j < x.cols; ++j) {
    const Index end = x.offsets[j + 1];
    if (kept[j]) {
      std::copy(x.indices.begin() + from, x.indices.begin() + end, x.indices.begin() + to);
      std::copy(x.values.begin() + from, x.values.begin() + end, x.values.begin() + to);
      to += end - from;
      x.offsets[++item] = to;
    }
    from = end;
  }
  x.cols = item;
  x.offsets.resize(static_cast<std::size_t>(item + 1));
  x.indices.resize(static_cast<std::size_t>(to));
  x.values.resize(static_cast<std::size_t>(to));
}

template <class T>
void keep_items(std::span<const char> kept, Matrix<T>& x) {
  Index item = 0;
  for (Index j = 0; j < x.rows(); ++j) {
    if (kept[j]) std::ranges::copy(x.row(j), x.row(item++).begin());
  }
  x.reshape(item, x.cols());
}

// The blocks of items that sweeps are cut into.
template <class T>
std::vector<Index> item_blocks(const SparseMatrix<T>& x) {
  return entry_blocks(x.offsets, block_count(x.offsets.back(), x.rows));
}
template <class T>
std::vector<Index> item_blocks(const Matrix<T>& x) {
  const Index count = x.rows();
  const Index blocks = std::max<Index>(1, std::min(count, block_count(count * x.cols(), x.cols())));
  std::vector<Index> starts;
  for (Index b = 0; b <= blocks; ++b) starts.push_back(count * b / blocks);
  return starts;
}

// `Values` is a SparseMatrix or a Matrix with one row per item.
template <class T, class Values>
class NodeOf : public NodeData<T> {
 public:
  NodeOf(Values x, std::vector<RowIndex> terms)
      : NodeData<T>(std::move(terms)), x_(std::move(x)), cut_entries_(entries()), starts_(item_blocks(x_)) {}

  Index items() const override {
    if constexpr (sparse)
      return x_.cols;
    else
      return x_.rows();
  }
  Index entries() const override {
    if constexpr (sparse)
      return x_.offsets.back();
    else
      return x_.rows() * x_.cols();
  }

  void keep(std::span<const char> kept) override {
    keep_items(kept, x_);
    starts_ = item_blocks(x_);
  }

  bool worth_keeping(std::span<const char> kept) const override {
    Index left = 0;
    for (Index j = 0; j < items(); ++j) {
      if (kept[j]) left += entries_of(j);
    }
    return 3 * left >= 2 * cut_entries_;
  }

  std::unique_ptr<NodeData<T>> sample(Index stride) const override {
    std::vector<RowIndex> chosen;
    for (Index j = 0; j < items(); j += stride) chosen.push_back(static_cast<RowIndex>(j));
    if constexpr (sparse)
      return tree_data<T>(SparseView<T>(x_))->cut(chosen);
    else
      return tree_data<T>(x_)->cut(chosen);
  }

  void sweep(const Matrix<T>& w, Sweep<T>& out) const override {
    const PairSums<3> g = gram2(w);
    const TwoColumns<T> solve(g.values[0], g.values[1], g.values[2]);
    if constexpr (sparse) {
      const SparseItems<T> arrays{x_.offsets.data(), x_.indices.data(), x_.values.data()};
      sweep_tables(w, items(), starts_, out, [&](Index begin, Index end, T* table) {
        return sweep_items<T>(arrays, table, solve, begin, end, out.h.data());
      });
    } else {
      read(w, out, [&](Index, T b1, T b2) { return solve(b1, b2); });
    }
  }

  void project(const Matrix<T>& v, Sweep<T>& out) const override {
    if constexpr (sparse) {
      const SparseItems<T> arrays{x_.offsets.data(), x_.indices.data(), x_.values.data()};
      sweep_tables(v, items(), starts_, out, [&](Index begin, Index end, T* table) {
        return project_items<T>(arrays, table, begin, end, out.h.data());
      });
    } else {
      read(v, out, [](Index, T b1, T b2) { return Pair{b1, b2}; });
    }
  }

  void spread(Sweep<T>& out) const override {
    const Matrix<T> nothing(static_cast<Index>(this->terms_.size()), 2);
    read(nothing, out, [&](Index j, T, T) { return Pair{out.h(j, 0), out.h(j, 1)}; });
  }

  void power_step(const Matrix<T>& v, std::span<const char> in_first, Sweep<T>& out) const override {
    read(v, out, [&](Index j, T b1, T b2) { return in_first[j] ? Pair{b1, T(0)} : Pair{T(0), b2}; });
  }

 private:
  static constexpr bool sparse = std::is_same_v<Values, SparseMatrix<T>>;
  using Pair = typename TwoColumns<T>::Solution;

  Index entries_of(Index item) const {
    if constexpr (sparse)
      return x_.offsets[item + 1] - x_.offsets[item];
    else
      return x_.cols();
  }

  template <class Rule>
  void read(const Matrix<T>& w, Sweep<T>& out, const Rule& rule) const {
    const Index terms = static_cast<Index>(this->terms_.size());
    assert(w.rows() == terms && w.cols() == 2);
    sweep_blocks(terms, items(), starts_, out, [&](Index begin, Index end, T* xh) {
      return read_items<T>(x_, w, begin, end, out.h.data(), xh, rule);
    });
  }

  Values x_;
  Index cut_entries_;          // when it was cut out
  std::vector<Index> starts_;  // the blocks of items
};

}  // namespace

template <class T>
std::unique_ptr<NodeData<T>> node_of(SparseMatrix<T> items, std::vector<RowIndex> terms) {
  return std::make_unique<NodeOf<T, SparseMatrix<T>>>(std::move(items), std::move(terms));
}

template <class T>
std::unique_ptr<NodeData<T>> node_of(Matrix<T> items, std::vector<RowIndex> terms) {
  return std::make_unique<NodeOf<T, Matrix<T>>>(std::move(items), std::move(terms));
}

#define COPSE_INSTANTIATE(T)                                                             \
  template std::unique_ptr<NodeData<T>> node_of(SparseMatrix<T>, std::vector<RowIndex>); \
  template std::unique_ptr<NodeData<T>> node_of(Matrix<T>, std::vector<RowIndex>);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
