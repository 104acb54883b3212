#include <Eigen/Core>
#include <cassert>

#include "copse/base/parallel.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index projected_gradient_rows_per_block = 256;
constexpr double sufficient_decrease = 0.01;  // sigma of Lin (2007)
constexpr double step_ratio = 0.1;            // beta of Lin (2007)
constexpr int max_steps_tried = 20;

using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double squared_projected_norm(const Block& g, const Block& gradient) {
  return ((g.array() > 0) || (gradient.array() < 0)).select(gradient.array(), 0.0).square().sum();
}

// One block of rows, in variables scaled to a Gram matrix of unit diagonal.
void descend(const Block& gram, const Block& rhs, Block& g, const ProjectedGradientOptions& options) {
  double step = 1 / std::max(1.0, gram.cwiseAbs().rowwise().sum().maxCoeff());
  Block gradient = g * gram - rhs;
  const double first = squared_projected_norm(g, gradient);
  const double enough = options.tolerance * options.tolerance * first;
  for (int iteration = 0; iteration < options.max_iterations; ++iteration) {
    if (squared_projected_norm(g, gradient) <= enough) return;
    // The longest step of the series step * beta^t that decreases enough: sigma-rule (Lin 2007, (17)).
    Block best_direction = Block::Zero(g.rows(), g.cols());
    Block best_change = best_direction;
    bool found = false;
    bool shrinking = false;
    for (int tried = 0; tried < max_steps_tried; ++tried) {
      const Block direction = (g - step * gradient).cwiseMax(0.0) - g;
      const Block change = direction * gram;
      const double slope = gradient.cwiseProduct(direction).sum();
      const bool enough_decrease = (1 - sufficient_decrease) * slope + 0.5 * change.cwiseProduct(direction).sum() <= 0;
      if (tried == 0) shrinking = !enough_decrease;
      if (enough_decrease) {
        const bool same = found && direction == best_direction;
        best_direction = direction;
        best_change = change;
        found = true;
        if (shrinking || same) break;
        step /= step_ratio;
      } else {
        step *= step_ratio;
        if (found) break;
      }
    }
    if (!found) return;
    g += best_direction;
    g = g.cwiseMax(0.0);
    gradient += best_change;
  }
}

}  // namespace

template <class T>
void solve_projected_gradient(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g,
                              const ProjectedGradientOptions& options) {
  const Index k = gram.rows();
  assert(gram.cols() == k && rhs.cols() == k && g.cols() == k && rhs.rows() == g.rows());
  Eigen::VectorXd scale(k);
  for (Index c = 0; c < k; ++c) scale(c) = gram(c, c) > 0 ? 1 / std::sqrt(gram(c, c)) : 0;
  const Block scaled_gram = scale.asDiagonal() * Eigen::Map<const Block>(gram.data(), k, k) * scale.asDiagonal();
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  parallel_blocks(g.rows(), projected_gradient_rows_per_block, [&](Index begin, Index end) {
    Eigen::Map<Rows> part(g.data() + begin * k, end - begin, k);
    const Eigen::Map<const Rows> right(rhs.data() + begin * k, end - begin, k);
    const Block scaled_rhs = right.template cast<double>() * scale.asDiagonal();
    Block scaled = part.template cast<double>();
    for (Index c = 0; c < k; ++c) scaled.col(c) *= scale(c) > 0 ? 1 / scale(c) : 0.0;
    descend(scaled_gram, scaled_rhs, scaled, options);
    part = (scaled * scale.asDiagonal()).template cast<T>();
  });
}

template void solve_projected_gradient(const Matrix<double>&, const Matrix<float>&, Matrix<float>&,
                                       const ProjectedGradientOptions&);
template void solve_projected_gradient(const Matrix<double>&, const Matrix<double>&, Matrix<double>&,
                                       const ProjectedGradientOptions&);

}  // namespace copse
