#include "copse/graph/newton_step.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/graph/search_step.h"

namespace copse {
namespace {

constexpr Index newton_step_rows_per_block = 64;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The entries of A from its products with columns of the identity.
template <class T>
Matrix<double> all_entries(const Data<T>& a) {
  const Index n = a.cols();
  Matrix<double> out(n, n);
  for (Index first = 0; first < n; first += newton_step_rows_per_block) {
    const Index count = std::min(newton_step_rows_per_block, n - first);
    Matrix<T> unit(n, count), product;
    for (Index c = 0; c < count; ++c) unit(first + c, c) = T(1);
    a.transpose_times(unit, product);
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < count; ++c) out(i, first + c) = static_cast<double>(product(i, c));
    }
  }
  return out;
}

// One block of S: the inverse of the Hessian's block on the nodes that are not held, the identity elsewhere. It is kept
// until the set of held nodes changes (improvement 1), and there is one block per column of B (improvement 2).
struct Block {
  std::vector<char> held;
  std::vector<Index> free;
  Eigen::LLT<Eigen::MatrixXd> factor;
  bool positive_definite = false;
};

template <class T>
class NewtonStep : public SearchStep<T> {
 public:
  explicit NewtonStep(const SymProblem<T>& problem) : SearchStep<T>(problem), a_(all_entries(problem.a)) {}

 protected:
  Matrix<T> scaled(const SymPoint<T>& now, const Matrix<T>& gradient) override {
    const Index n = now.b.rows(), k = now.b.cols();
    blocks_.resize(static_cast<std::size_t>(k));
    std::vector<Index> changed;
    for (Index c = 0; c < k; ++c) {
      std::vector<char> held(static_cast<std::size_t>(n));
      for (Index i = 0; i < n; ++i) held[i] = is_held(now.b(i, c), gradient(i, c));
      Block& block = blocks_[c];
      if (held == block.held) continue;
      block.held = std::move(held);
      block.free.clear();
      for (Index i = 0; i < n; ++i) {
        if (!block.held[i]) block.free.push_back(i);
      }
      changed.push_back(c);
    }
    if (!changed.empty()) {
      Matrix<double> b(n, k);
      for (std::size_t e = 0; e < b.values().size(); ++e) b.values()[e] = static_cast<double>(now.b.values()[e]);
      Matrix<double> difference;
      difference.reshape(n, n);
      const Eigen::Map<const RowMajor> factor(b.data(), n, k);
      parallel_blocks(n, newton_step_rows_per_block, [&](Index begin, Index end) {
        Eigen::Map<RowMajor> out(difference.data() + begin * n, end - begin, n);
        out.noalias() = factor.middleRows(begin, end - begin) * factor.transpose();
        out -= Eigen::Map<const RowMajor>(a_.data() + begin * n, end - begin, n);
      });
      parallel_for(static_cast<Index>(changed.size()), [&](Index e) {
        Block& block = blocks_[changed[e]];
        const Matrix<double> hessian = hessian_block(difference, b, changed[e], block.free);
        block.factor.compute(Eigen::Map<const Eigen::MatrixXd>(hessian.data(), hessian.rows(), hessian.cols()));
        block.positive_definite = block.factor.info() == Eigen::Success;
      });
    }
    Matrix<T> direction = gradient;
    parallel_for(k, [&](Index c) {
      const Block& block = blocks_[c];
      if (!block.positive_definite) return;
      Eigen::VectorXd part(static_cast<Index>(block.free.size()));
      for (Index p = 0; p < part.size(); ++p) part(p) = static_cast<double>(gradient(block.free[p], c));
      block.factor.solveInPlace(part);
      for (Index p = 0; p < part.size(); ++p) direction(block.free[p], c) = static_cast<T>(part(p));
    });
    return direction;
  }

 private:
  Matrix<double> a_;
  std::vector<Block> blocks_;
};

}  // namespace

Matrix<double> hessian_block(const Matrix<double>& difference, const Matrix<double>& b, Index c,
                             std::span<const Index> nodes) {
  double square = 0;
  for (Index i = 0; i < b.rows(); ++i) square += b(i, c) * b(i, c);
  const Index size = static_cast<Index>(nodes.size());
  Matrix<double> block;
  block.reshape(size, size);
  for (Index p = 0; p < size; ++p) {
    for (Index q = 0; q < size; ++q)
      block(p, q) = 4 * (difference(nodes[p], nodes[q]) + b(nodes[p], c) * b(nodes[q], c) + (p == q ? square : 0));
  }
  return block;
}

template <class T>
std::unique_ptr<SymStep<T>> newton_step(const SymProblem<T>& problem) {
  return std::make_unique<NewtonStep<T>>(problem);
}

template std::unique_ptr<SymStep<float>> newton_step(const SymProblem<float>&);
template std::unique_ptr<SymStep<double>> newton_step(const SymProblem<double>&);

}  // namespace copse
