#include "copse/nmf/breathe.h"

#include <Eigen/Core>
#include <algorithm>
#include <utility>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/nmf/alternation.h"
#include "copse/nmf/merge.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 512;
constexpr Index components_per_added = 2;
constexpr int wide_alternations = 5;
constexpr int power_iterations = 2;  // on text, with one some runs miss what with two none missed

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// X - W H, as far as singular vectors need it.
template <class T>
class Residual : public Data<T> {
 public:
  Residual(const Data<T>& x, const Factors<T>& factors) : x_(x), factors_(factors) {}

  Index rows() const override { return x_.rows(); }
  Index cols() const override { return x_.cols(); }
  Index nonzeros() const override { return x_.nonzeros(); }

  void times(const Matrix<T>& h, Matrix<T>& out) const override {
    x_.times(h, out);
    subtract(factors_.w, inner(factors_.h, h), out);
  }

  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override {
    x_.transpose_times(w, out);
    subtract(factors_.h, inner(factors_.w, w), out);
  }

  // |X|^2 - 2 <X H', W> + <W'W, H H'>.
  double squared_norm() const override {
    Matrix<T> product;
    x_.times(factors_.h, product);
    const Matrix<double> cross = inner(product, factors_.w);
    const Matrix<double> w_gram = inner(factors_.w, factors_.w);
    const Matrix<double> h_gram = inner(factors_.h, factors_.h);
    double square = x_.squared_norm();
    for (Index a = 0; a < cross.rows(); ++a) {
      square -= 2 * cross(a, a);
      for (Index b = 0; b < cross.rows(); ++b) square += w_gram(a, b) * h_gram(a, b);
    }
    return std::max(0.0, square);
  }

  void sum(std::span<double> values) const override { x_.sum(values); }

 private:
  using Block = Eigen::Map<const Rows<T>>;

  static Block block(const Matrix<T>& f, Index begin, Index end) {
    return Block(f.data() + begin * f.cols(), end - begin, f.cols());
  }

  // A'B.
  Matrix<double> inner(const Matrix<T>& a, const Matrix<T>& b) const {
    std::vector<Rows<T>> parts(static_cast<std::size_t>((a.rows() + rows_per_block - 1) / rows_per_block));
    parallel_blocks(a.rows(), rows_per_block, [&](Index begin, Index end) {
      parts[static_cast<std::size_t>(begin / rows_per_block)] = block(a, begin, end).transpose() * block(b, begin, end);
    });
    Matrix<double> total(a.cols(), b.cols());
    Eigen::Map<Rows<double>> sum(total.data(), total.rows(), total.cols());
    for (const Rows<T>& part : parts) sum += part.template cast<double>();
    x_.sum(total.values());
    return total;
  }

  // out -= F S for a small matrix S.
  static void subtract(const Matrix<T>& f, const Matrix<double>& small, Matrix<T>& out) {
    const Rows<T> factor = Eigen::Map<const Rows<double>>(small.data(), small.rows(), small.cols()).template cast<T>();
    parallel_blocks(out.rows(), rows_per_block, [&](Index begin, Index end) {
      Eigen::Map<Rows<T>>(out.data() + begin * out.cols(), end - begin, out.cols()).noalias() -=
          block(f, begin, end) * factor;
    });
  }

  const Data<T>& x_;
  const Factors<T>& factors_;
};

template <class T>
void append(Matrix<T>& factor, const Matrix<T>& more) {
  Matrix<T> wider(factor.rows(), factor.cols() + more.cols());
  for (Index i = 0; i < factor.rows(); ++i) {
    const auto behind = std::copy(factor.row(i).begin(), factor.row(i).end(), wider.row(i).begin());
    std::copy(more.row(i).begin(), more.row(i).end(), behind);
  }
  factor = std::move(wider);
}

}  // namespace

template <class T>
bool can_breathe(const Data<T>& x, const NmfOptions& options) {
  const Index wide = options.rank + options.rank / components_per_added;
  return options.rank >= components_per_added && wide <= std::min(x.rows(), x.cols()) && options.alpha == 0 &&
         options.beta == 0 && !options.affine;
}

template <class T>
Factors<T> breathe(const Data<T>& x, const NmfOptions& options, Factors<T> factors,
                   std::chrono::steady_clock::time_point began) {
  const Index k = options.rank;
  NmfOptions plain = options;
  plain.progress = {};
  plain.rank = k + k / components_per_added;
  plain.max_iterations = wide_alternations;
  const Factors<T> more =
      singular_start(Residual<T>(x, factors), plain.rank - k, Start::nndsvd, options.seed, power_iterations);
  append(factors.w, more.w);
  append(factors.h, more.h);
  factors = alternate(x, plain, std::move(factors), began, false).factors;
  merge_components(x, factors, plain.rank, k);
  plain.rank = k;
  plain.max_iterations = breath_alternations - wide_alternations;
  return alternate(x, plain, std::move(factors), began, false).factors;
}

#define COPSE_INSTANTIATE(T)                                    \
  template bool can_breathe(const Data<T>&, const NmfOptions&); \
  template Factors<T> breathe(const Data<T>&, const NmfOptions&, Factors<T>, std::chrono::steady_clock::time_point);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
