#include <array>
#include <numeric>

#include "copse/nnls/two_columns.h"
#include "copse/tree/node_blocks.h"
#include "copse/tree/scaling.h"

namespace copse {
namespace {

// The squared norms of all rows, for the data divided by 2^exponent; the rows themselves are still to be divided by
// 2^shift for that.
struct Norms {
  std::span<const double> squared;
  int exponent = 0;
  int shift = 0;
};

// The given rows, each multiplied by its factor if factors are given.
template <class T>
std::unique_ptr<NodeData<T>> cut_rows(const Matrix<T>& x, std::span<const RowIndex> items,
                                      std::span<const double> factors, const Norms& norms);

template <class T>
class DenseNode : public NodeData<T> {
 public:
  // Row j is item j. All features are kept, also those that no item has.
  DenseNode(Matrix<T> x, std::vector<double> squared_norms, int exponent)
      : NodeData<T>(numbers(x.cols()), std::move(squared_norms), exponent, x.rows() * x.cols()), x_(std::move(x)) {
    block();
  }

  Index items() const override { return x_.rows(); }
  Index entries() const override { return x_.rows() * x_.cols(); }

  std::unique_ptr<NodeData<T>> part(const SampledItems& chosen) const override {
    return cut_rows(x_, chosen.items, chosen.factors, {this->squared_norms(), this->exponent()});
  }

  void sweep(const Matrix<T>& w, const PairGram& ww, Sweep<T>& out) const override {
    const TwoColumns<T> solve(ww.a, ww.b, ww.c);
    read(w, out, [&](Index, T b1, T b2) { return solve(b1, b2); });
  }

  void project(const Matrix<T>& v, Sweep<T>& out) const override {
    read(v, out, [](Index, T b1, T b2) { return Pair{b1, b2}; });
  }

  void spread(Sweep<T>& out) const override {
    const Matrix<T> nothing(x_.cols(), 2);
    read(nothing, out, [&](Index j, T, T) { return Pair{out.h(j, 0), out.h(j, 1)}; });
  }

  void power_step(const Matrix<T>& v, std::span<const char> in_first, Sweep<T>& out) const override {
    read(v, out, [&](Index j, T b1, T b2) { return in_first[j] ? Pair{b1, T(0)} : Pair{T(0), b2}; });
  }

 private:
  using Pair = typename TwoColumns<T>::Solution;

  void drop_items(std::span<const char> kept, int shift) override {
    const PowerOfTwo<T> scale(-shift);
    Index item = 0;
    for (Index j = 0; j < items(); ++j) {
      if (kept[j]) scale(x_.row(j).data(), x_.cols(), T(1), x_.row(item++).data());
    }
    x_.reshape(item, x_.cols());
    block();
  }

  Index entries_of(std::span<const char> kept) const override {
    return x_.cols() * std::ranges::count_if(kept, [](char keep) { return keep != 0; });
  }

  static std::vector<RowIndex> numbers(Index count) {
    std::vector<RowIndex> terms(static_cast<std::size_t>(count));
    std::iota(terms.begin(), terms.end(), RowIndex(0));
    return terms;
  }

  void block() {
    const Index blocks = std::max<Index>(1, std::min(items(), block_count(entries(), x_.cols())));
    starts_.clear();
    for (Index b = 0; b <= blocks; ++b) starts_.push_back(items() * b / blocks);
  }

  // Calls rule(item, b1, b2) -> h with (b1, b2) = W'x for every item, and adds up x h'.
  template <class Rule>
  void read(const Matrix<T>& w, Sweep<T>& out, const Rule& rule) const {
    read_blocks(x_.cols(), items(), starts_, nullptr, out,
                [&](Index begin, Index end, T* xh) { return read_items(w, begin, end, out.h.data(), xh, rule); });
  }

  template <class Rule>
  PairSums<4> read_items(const Matrix<T>& w, Index begin, Index end, T* h, T* xh, const Rule& rule) const {
    const Index terms = x_.cols();
    PairSums<4> sums;
    for (Index j = begin; j < end; ++j) {
      const T* values = x_.row(j).data();
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
      sums += {{x1 * x1, x1 * x2, x2 * x2, static_cast<double>(b1) * x1 + static_cast<double>(b2) * x2}};
      for (i = 0; i < terms; ++i) xh[2 * i] += values[i] * h1, xh[2 * i + 1] += values[i] * h2;
    }
    return sums;
  }

  Matrix<T> x_;
  std::vector<Index> starts_;  // the blocks of items
};

template <class T>
std::unique_ptr<NodeData<T>> cut_rows(const Matrix<T>& x, std::span<const RowIndex> items,
                                      std::span<const double> factors, const Norms& norms) {
  std::vector<double> squares(items.size());
  const auto factor = [&](Index j) { return factors.empty() ? 1 : factors[j]; };
  for (Index j = 0; j < static_cast<Index>(items.size()); ++j)
    squares[j] = factor(j) * factor(j) * norms.squared[items[j]];
  // A sample has the scale of its node, so that its gradients can be compared.
  const int shift = factors.empty() ? norm_exponent(squares) : 0;
  for (double& square : squares) square = std::ldexp(square, -2 * shift);
  const PowerOfTwo<T> scale(-shift - norms.shift);
  Matrix<T> node;
  node.reshape(static_cast<Index>(items.size()), x.cols());
  parallel_blocks(node.rows(), 64, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j)
      scale(x.row(items[j]).data(), x.cols(), static_cast<T>(factor(j)), node.row(j).data());
  });
  return std::make_unique<DenseNode<T>>(std::move(node), std::move(squares), norms.exponent + shift);
}

template <class T>
class DenseTreeData : public TreeData<T> {
 public:
  explicit DenseTreeData(const Matrix<T>& items)
      : x_(items), exponent_(largest_exponent(items.values())), squared_norms_(static_cast<std::size_t>(items.rows())) {
    parallel_blocks(items.rows(), 64, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) squared_norms_[j] = scaled_square(items.row(j), exponent_);
    });
  }

  Index rows() const override { return x_.cols(); }
  Index cols() const override { return x_.rows(); }
  Index entries() const override { return x_.rows() * x_.cols(); }
  std::span<const double> squared_norms() const override { return squared_norms_; }
  int exponent() const override { return exponent_; }

  std::unique_ptr<NodeData<T>> cut(std::span<const RowIndex> items) const override {
    return cut_rows(x_, items, {}, {squared_norms_, exponent_, exponent_});
  }

 private:
  const Matrix<T>& x_;
  int exponent_;
  std::vector<double> squared_norms_;
};

}  // namespace

template <class T>
std::unique_ptr<TreeData<T>> tree_data(const Matrix<T>& items) {
  return std::make_unique<DenseTreeData<T>>(items);
}

template std::unique_ptr<TreeData<float>> tree_data(const Matrix<float>&);
template std::unique_ptr<TreeData<double>> tree_data(const Matrix<double>&);

}  // namespace copse
