#include <hwy/cache_control.h>

#include <array>
#include <limits>
#include <utility>

#include "copse/nnls/two_columns.h"
#include "copse/tree/node_blocks.h"
#include "copse/tree/scaling.h"

namespace copse {
namespace {

// The first column of each of `blocks` blocks with about as many entries each, and the number of columns.
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
  by_frequency,  // by powers of two of their counts, then as they were: rows of W that are read most share cache lines
  in_order       // as they were
};

// The items with these numbers in x, each multiplied by its factor if factors are given. The squared norms, of all
// items of x, are for the data divided by 2^exponent; the values of x are still to be divided by 2^shift_of_values for
// that.
struct Chosen {
  std::span<const RowIndex> items;
  std::span<const double> factors;
  std::span<const double> squared_norms;
  int exponent = 0;
  int shift_of_values = 0;
  double factor(Index j) const { return factors.empty() ? 1 : factors[j]; }
};

template <class T, class From>
std::unique_ptr<NodeData<T>> cut_items(const SparseItems<T, From>& x, Index rows, const Chosen& chosen,
                                       Numbers numbers);

// Row numbers have 16 bits where these suffice.
template <class T, class Row>
class SparseNode : public NodeData<T> {
 public:
  SparseNode(NodeItems<T, Row> x, std::vector<RowIndex> terms, std::vector<double> squared_norms, int exponent)
      : NodeData<T>(std::move(terms), std::move(squared_norms), exponent, x.offsets.back()), x_(std::move(x)) {
    block();
  }

  Index items() const override { return static_cast<Index>(x_.offsets.size()) - 1; }
  Index entries() const override { return x_.offsets.back(); }

  std::unique_ptr<NodeData<T>> part(const SampledItems& chosen) const override {
    return cut_items(x_.view(), rows(), {chosen.items, chosen.factors, this->squared_norms(), this->exponent()},
                     Numbers::in_order);
  }

  void sweep(const Matrix<T>& w, const PairGram& ww, Sweep<T>& out) const override {
    const TwoColumns<T> solve(ww.a, ww.b, ww.c);
    read_blocks(rows(), starts_, out, [&](Index begin, Index end, T* xh) {
      return sweep_items(x_.view(), w.data(), solve, begin, end, out.h.data(), xh);
    });
  }

  void project(const Matrix<T>& v, Sweep<T>& out) const override { project(v, nullptr, out); }

  void power_step(const Matrix<T>& v, std::span<const char> in_first, Sweep<T>& out) const override {
    project(v, in_first.data(), out);
  }

  void spread(Sweep<T>& out) const override {
    read_blocks(rows(), starts_, out, [&](Index begin, Index end, T* xh) {
      spread_items(x_.view(), out.h.data(), begin, end, xh);
      const auto [a, b, same, c] = cross_rows(out.h.data() + 2 * begin, out.h.data() + 2 * begin, end - begin).values;
      return PairSums<4>{{a, b, c, 0}};
    });
  }

 private:
  Index rows() const { return static_cast<Index>(this->terms().size()); }

  // Moves the kept items to the front; all move towards lower addresses.
  void drop_items(std::span<const char> kept, int shift) override {
    const PowerOfTwo<T> scale(-shift);
    Index item = 0, to = 0, from = 0;  // from: offsets[j] before it is written
    const Index count = items();
    for (Index j = 0; j < count; ++j) {
      const Index end = x_.offsets[j + 1];
      if (kept[j]) {
        std::copy(x_.indices.begin() + from, x_.indices.begin() + end, x_.indices.begin() + to);
        scale(x_.values.data() + from, end - from, T(1), x_.values.data() + to);
        to += end - from;
        x_.offsets[++item] = to;
      }
      from = end;
    }
    x_.offsets.resize(static_cast<std::size_t>(item + 1));
    x_.indices.resize(static_cast<std::size_t>(to));
    x_.values.resize(static_cast<std::size_t>(to));
    block();
  }

  Index entries_of(std::span<const char> kept) const override {
    Index left = 0;
    for (Index j = 0; j < items(); ++j) {
      if (kept[j]) left += x_.offsets[j + 1] - x_.offsets[j];
    }
    return left;
  }

  void block() { starts_ = entry_blocks(x_.offsets, block_count(entries(), rows())); }

  void project(const Matrix<T>& v, const char* in_first, Sweep<T>& out) const {
    read_blocks(rows(), starts_, out, [&](Index begin, Index end, T* xh) {
      return project_items(x_.view(), v.data(), in_first, begin, end, out.h.data(), xh);
    });
  }

  NodeItems<T, Row> x_;
  std::vector<Index> starts_;  // the blocks of items
};

// Cuts items out of compressed columns in two readings: features are counted, then items are copied with new numbers.
template <class T, class From>
class Cut {
 public:
  Cut(const SparseItems<T, From>& x, Index rows, const Chosen& chosen, Numbers numbers)
      : x_(x), chosen_(chosen), offsets_(chosen.items.size() + 1) {
    const auto items = chosen.items;
    offsets_[0] = 0;
    for (std::size_t j = 0; j < items.size(); ++j)
      offsets_[j + 1] = offsets_[j] + x_.offsets[items[j] + 1] - x_.offsets[items[j]];
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

  // Asks for an item some time before it is read. The items of a node lie apart, where no processor expects them.
  template <class Entry>
  void fetch(const Entry* entries, Index j) const {
    constexpr Index ahead = 8, per_line = 64 / sizeof(Entry);
    if (j + ahead >= static_cast<Index>(chosen_.items.size())) return;
    const Index item = chosen_.items[j + ahead];
    for (Index p = x_.offsets[item]; p < x_.offsets[item + 1]; p += per_line) hwy::Prefetch(entries + p);
  }

  void count(Index rows) {
    counts_.resize(static_cast<std::size_t>(blocks()));
    parallel_for(blocks(), [&](Index block) {
      auto& count = counts_[block];
      count.assign(static_cast<std::size_t>(rows), 0);
      for (Index j = starts_[block]; j < starts_[block + 1]; ++j) {
        fetch(x_.indices, j);
        for (Index p = x_.offsets[chosen_.items[j]]; p < x_.offsets[chosen_.items[j] + 1]; ++p) ++count[x_.indices[p]];
      }
    });
    parallel_blocks(rows, pair_rows_per_block, [&](Index begin, Index end) {
      for (std::size_t b = 1; b < counts_.size(); ++b) {
        for (Index i = begin; i < end; ++i) counts_[0][i] += counts_[b][i];
      }
    });
    counts_.resize(1);
  }

  // Both turn counts into numbers; what is written for a count of zero is never read.
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
    NodeItems<T, Row> node{.offsets = std::move(offsets_), .indices = {}, .values = {}};
    node.indices.resize(static_cast<std::size_t>(node.offsets.back()));
    node.values.resize(static_cast<std::size_t>(node.offsets.back()));
    std::vector<double> norms(chosen_.items.size());
    for (std::size_t j = 0; j < norms.size(); ++j) {
      const double factor = chosen_.factor(static_cast<Index>(j));
      norms[j] = factor * factor * chosen_.squared_norms[chosen_.items[j]];
    }
    // A sample has the scale of its node, so that its gradients can be compared.
    const int shift = chosen_.factors.empty() ? norm_exponent(norms) : 0;
    for (double& norm : norms) norm = std::ldexp(norm, -2 * shift);
    const PowerOfTwo<T> scale(-shift - chosen_.shift_of_values);
    const std::int32_t* number = counts_[0].data();
    parallel_for(blocks(), [&](Index block) {
      for (Index j = starts_[block]; j < starts_[block + 1]; ++j) {
        fetch(x_.indices, j);
        fetch(x_.values, j);
        const Index from = x_.offsets[chosen_.items[j]], to = node.offsets[j], size = node.offsets[j + 1] - to;
        for (Index e = 0; e < size; ++e) node.indices[to + e] = static_cast<Row>(number[x_.indices[from + e]]);
        scale(x_.values + from, size, static_cast<T>(chosen_.factor(j)), node.values.data() + to);
      }
    });
    return std::make_unique<SparseNode<T, Row>>(std::move(node), std::move(terms_), std::move(norms),
                                                chosen_.exponent + shift);
  }

  SparseItems<T, From> x_;
  Chosen chosen_;
  Buffer<Index> offsets_;
  std::vector<Index> starts_;                 // the blocks of items
  std::vector<Buffer<std::int32_t>> counts_;  // of each feature by block, then their sum, then the new numbers
  std::vector<RowIndex> terms_;
};

template <class T, class From>
std::unique_ptr<NodeData<T>> cut_items(const SparseItems<T, From>& x, Index rows, const Chosen& chosen,
                                       Numbers numbers) {
  return Cut<T, From>(x, rows, chosen, numbers).node();
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
    return cut_items<T, RowIndex>({x_.offsets.data(), x_.indices.data(), x_.values.data()}, x_.rows,
                                  {items, {}, squared_norms_, exponent_, exponent_}, Numbers::by_frequency);
  }

 private:
  SparseView<T> x_;
  int exponent_;
  std::vector<double> squared_norms_;
};

}  // namespace

template <class T>
std::unique_ptr<TreeData<T>> tree_data(SparseView<T> x) {
  return std::make_unique<SparseTreeData<T>>(x);
}

template std::unique_ptr<TreeData<float>> tree_data(SparseView<float>);
template std::unique_ptr<TreeData<double>> tree_data(SparseView<double>);

}  // namespace copse
