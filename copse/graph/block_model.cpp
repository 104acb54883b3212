#include "copse/graph/block_model.h"

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/spectral.h"
#include "copse/graph/sym_step.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/stop_after.h"

namespace copse {
namespace {

constexpr Index nodes_per_check = 4096;
constexpr Index rows_per_ray = 10;   // that are averaged, at most
constexpr Index nodes_per_row = 10;  // of an average group, so that the mean stays within one
constexpr int ray_rounds = 10;       // of moving every ray to the mean direction of its rows

// A A as data, whose eigenvectors are those of A in the order of the squares of their eigenvalues.
template <class T>
class Squared : public Data<T> {
 public:
  explicit Squared(const Data<T>& a)
      : Data<T>({.rows = a.cols(), .cols = a.cols(), .nonzeros = 2 * a.nonzeros()}), a_(a) {}
  double squared_norm_over(int exponent) const override { return a_.squared_norm_over(exponent); }  // not asked for
  void times(const Matrix<T>& h, Matrix<T>& out) const override { transpose_times(h, out); }
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override {
    Matrix<T> once;
    a_.transpose_times(w, once);
    a_.transpose_times(once, out);
  }

 private:
  const Data<T>& a_;
};

template <class T>
class Blocks {
 public:
  Blocks(SparseView<T> a, Index rank, std::vector<Index> labels)
      : a_(a), n_(a.cols), k_(rank), labels_(std::move(labels)), z_(static_cast<std::size_t>(n_), 0.0) {
    for (const T value : a.values) squared_norm_ += static_cast<double>(value) * static_cast<double>(value);
    fill_groups();
    first_weights();
    update_blocks();
  }

  double objective() const { return squared_norm_ - squared_blocks_; }
  double squared_norm() const { return squared_norm_; }

  // One sweep over the nodes, then S anew.
  void advance() {
    reach_.assign(static_cast<std::size_t>(k_), 0.0);
    for (Index c = 0; c < k_; ++c) {
      for (Index d = 0; d < k_; ++d) reach_[c] += s_(c, d) * s_(c, d) * squares_[d];
    }
    std::vector<double> pull(static_cast<std::size_t>(k_)), near(static_cast<std::size_t>(k_), 0.0);
    std::vector<Index> seen;
    for (Index i = 0; i < n_; ++i) {
      if (i % nodes_per_check == 0) check_cancelled();
      if (sizes_[labels_[i]] == 1) continue;  // no group is left empty
      pulls(i, near, seen, pull);
      Index best = labels_[i];
      double best_value = 0, best_gain = gain(i, best, pull[best], &best_value);
      for (Index c = 0; c < k_; ++c) {
        double value = 0;
        if (c == labels_[i]) continue;
        const double found = gain(i, c, pull[c], &value);
        if (found > best_gain) {
          best = c;
          best_gain = found;
          best_value = value;
        }
      }
      move(i, best, best_value);
    }
    update_blocks();
  }

  Matrix<T> memberships() {
    Matrix<T> out(n_, k_);
    reach_.assign(static_cast<std::size_t>(k_), 0.0);
    for (Index c = 0; c < k_; ++c) {
      for (Index d = 0; d < k_; ++d) reach_[c] += s_(c, d) * s_(c, d) * squares_[d];
    }
    std::vector<double> pull(static_cast<std::size_t>(k_)), near(static_cast<std::size_t>(k_), 0.0);
    std::vector<double> gains(static_cast<std::size_t>(k_));
    std::vector<Index> seen;
    for (Index i = 0; i < n_; ++i) {
      pulls(i, near, seen, pull);
      double sum = 0;
      for (Index c = 0; c < k_; ++c) sum += gains[c] = gain(i, c, pull[c], nullptr);
      for (Index c = 0; c < k_ && sum > 0; ++c) out(i, c) = static_cast<T>(gains[c] / sum);
    }
    return out;
  }

  BlockModel<T> take() {
    BlockModel<T> model;
    model.memberships = memberships();
    model.labels = std::move(labels_);
    model.z = std::move(z_);
    model.s = std::move(s_);
    model.objective = std::max(0.0, objective());
    model.relative_error = squared_norm_ > 0 ? std::sqrt(model.objective / squared_norm_) : 0;
    return model;
  }

 private:
  // Every node gets a label and every group a node: those without take what is needed first, lowest numbers first.
  void fill_groups() {
    sizes_.assign(static_cast<std::size_t>(k_), 0);
    for (const Index label : labels_) {
      if (label >= 0) ++sizes_[label];
    }
    Index empty = 0;
    const auto next_empty = [&] {
      while (empty < k_ && sizes_[empty] > 0) ++empty;
      return empty < k_;
    };
    for (Index pass = 0; pass < 2; ++pass) {
      for (Index i = 0; i < n_; ++i) {
        Index& label = labels_[i];
        if (pass == 0 && label < 0) {
          label = next_empty() ? empty : 0;
          ++sizes_[label];
        } else if (pass == 1 && sizes_[label] > 1 && next_empty()) {
          --sizes_[label];
          label = empty;
          ++sizes_[label];
        }
      }
    }
  }

  // The leading left singular vector of the rows of each group in A Y, for Y the means of the groups: from the degrees,
  // z_i = <row i of A Y, the group's own sum of these rows>.
  void first_weights() {
    Matrix<double> to_groups(n_, k_), sums(k_, k_);
    std::vector<double> norms(static_cast<std::size_t>(k_), 0.0);
    for (Index j = 0; j < n_; ++j) {
      for (Index p = a_.offsets[j]; p < a_.offsets[j + 1]; ++p)
        to_groups(j, labels_[a_.indices[p]]) += static_cast<double>(a_.values[p]);
      for (Index c = 0; c < k_; ++c) sums(labels_[j], c) += to_groups(j, c);
    }
    for (Index j = 0; j < n_; ++j) {
      for (Index c = 0; c < k_; ++c) z_[j] += to_groups(j, c) * sums(labels_[j], c);
      norms[labels_[j]] += z_[j] * z_[j];
    }
    // A group without edges: all of its nodes alike, so that no column of Z is zero.
    for (Index j = 0; j < n_; ++j) {
      if (!(norms[labels_[j]] > 0)) z_[j] = 1;
    }
  }

  // Unit columns, and S = Z'A Z, the minimiser for orthonormal Z.
  void update_blocks() {
    squares_.assign(static_cast<std::size_t>(k_), 0.0);
    for (Index i = 0; i < n_; ++i) squares_[labels_[i]] += z_[i] * z_[i];
    for (Index i = 0; i < n_; ++i) {
      if (squares_[labels_[i]] > 0) z_[i] /= std::sqrt(squares_[labels_[i]]);
    }
    for (double& square : squares_) square = square > 0 ? 1 : 0;
    s_ = Matrix<double>(k_, k_);
    for (Index j = 0; j < n_; ++j) {
      double* row = s_.row(labels_[j]).data();
      for (Index p = a_.offsets[j]; p < a_.offsets[j + 1]; ++p)
        row[labels_[a_.indices[p]]] += z_[j] * static_cast<double>(a_.values[p]) * z_[a_.indices[p]];
    }
    for (Index c = 0; c < k_; ++c) {
      for (Index d = 0; d < c; ++d) s_(c, d) = s_(d, c) = (s_(c, d) + s_(d, c)) / 2;
    }
    squared_blocks_ = 0;
    for (const double value : s_.values()) squared_blocks_ += value * value;
  }

  // pull_c = sum_j a_ij z_j s_{c g(j)}, without i itself.
  void pulls(Index i, std::vector<double>& near, std::vector<Index>& seen, std::vector<double>& pull) const {
    seen.clear();
    for (Index p = a_.offsets[i]; p < a_.offsets[i + 1]; ++p) {
      const Index j = a_.indices[p];
      if (j == i) continue;
      const Index group = labels_[j];
      if (near[group] == 0) seen.push_back(group);
      near[group] += static_cast<double>(a_.values[p]) * z_[j];
    }
    std::fill(pull.begin(), pull.end(), 0.0);
    for (const Index group : seen) {
      const double* row = s_.row(group).data();
      for (Index c = 0; c < k_; ++c) pull[c] += near[group] * row[c];
      near[group] = 0;
    }
  }

  // Node i in group c with the weight x changes the objective by
  //   f(x) = s_cc^2 x^4 + 2 (sum_{j != i} (s_{c g(j)} z_j)^2) x^2 - 4 pull_c x
  // (A has no diagonal). Returns -f at the minimiser over x >= 0.
  double gain(Index i, Index c, double pull, double* at) const {
    if (!(pull > 0)) {
      if (at != nullptr) *at = 0;
      return 0;
    }
    const double own = s_(c, labels_[i]) * z_[i];
    const double reach = std::max(0.0, reach_[c] - own * own), quartic = s_(c, c) * s_(c, c);
    double x = 0;
    // Where the quartic term is small beside the others its quotients would overflow.
    if (quartic * pull * pull > 1e-24 * reach * reach * reach)
      x = least_quartic(reach / quartic, -pull / quartic);
    else if (reach > 0)
      x = pull / reach;
    if (at != nullptr) *at = x;
    return std::max(0.0, x * (4 * pull - x * (2 * reach + quartic * x * x)));
  }

  void move(Index i, Index group, double value) {
    const Index old = labels_[i];
    const double before = z_[i] * z_[i], after = value * value;
    squares_[old] -= before;
    squares_[group] += after;
    for (Index c = 0; c < k_; ++c) reach_[c] += s_(c, group) * s_(c, group) * after - s_(c, old) * s_(c, old) * before;
    --sizes_[old];
    ++sizes_[group];
    labels_[i] = group;
    z_[i] = value;
  }

  SparseView<T> a_;
  Index n_, k_;
  std::vector<Index> labels_, sizes_;
  std::vector<double> z_;
  std::vector<double> squares_;  // per group: sum of z^2
  std::vector<double> reach_;    // per group: sum over all nodes of (s_{c g(j)} z_j)^2
  Matrix<double> s_;
  double squared_norm_ = 0, squared_blocks_ = 0;
};

void check(Index n, Index rank, const BlockOptions& options, const std::vector<Index>& start) {
  if (rank < 1 || rank > n)
    throw InvalidArgument("the number of clusters must be between 1 and the number of nodes, " + std::to_string(n) +
                          ", and is " + std::to_string(rank));
  if (static_cast<Index>(start.size()) != n) throw InvalidArgument("the start must have one label per node");
  for (const Index label : start) {
    if (label < -1 || label >= rank) throw InvalidArgument("a label of the start is out of range");
  }
  if (options.max_iterations < 1) throw InvalidArgument("the number of iterations must be at least 1");
  if (!(options.tolerance >= 0) || !(options.time_limit >= 0))
    throw InvalidArgument("tolerance and time limit must not be negative");
}

}  // namespace

template <class T>
BlockModel<T> fit_blocks(SparseView<T> a, const BlockOptions& options, std::vector<Index> start) {
  check(a.cols, options.rank, options, start);
  const auto began = std::chrono::steady_clock::now();
  Blocks<T> blocks(a, options.rank, std::move(start));
  std::vector<SymIteration> history;
  StopReason reason = StopReason::max_iterations;
  const double scale = blocks.squared_norm();
  for (int number = 1; number <= options.max_iterations; ++number) {
    const double before = blocks.objective();
    try {
      blocks.advance();
    } catch (const Cancelled&) {
      if (number == 1) throw;
      reason = StopReason::interrupted;
      break;
    }
    const double fall = scale > 0 ? (before - blocks.objective()) / scale : 0;
    history.push_back({.number = number,
                       .relative_error = scale > 0 ? std::sqrt(std::max(0.0, blocks.objective()) / scale) : 0,
                       .projected_gradient_ratio = fall,
                       .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count()});
    const auto converged = fall <= options.tolerance ? std::optional(StopReason::converged) : std::nullopt;
    if (const auto ended = stop_after(history.back(), options, converged)) {
      reason = *ended;
      break;
    }
  }
  BlockModel<T> model = blocks.take();
  model.history = std::move(history);
  model.stop_reason = reason;
  return model;
}

template <class T>
std::vector<Index> block_start(SparseView<T> a, Index rank, std::uint64_t seed) {
  const Index n = a.cols;
  const SparseData<T> data(a);
  const Matrix<T> vectors = leading_eigenpairs<T>(Squared<T>(data), rank, seed, 1e-2).vectors;
  Eigen::MatrixXd rows(n, rank);
  std::vector<double> length(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < rank; ++c) rows(i, c) = static_cast<double>(vectors(i, c));
    length[i] = rows.row(i).norm();
  }
  // Rays by the furthest rows in a random direction orthogonal to the rays before.
  const Index averaged = std::clamp<Index>(n / (nodes_per_row * rank), 1, rows_per_ray);
  Eigen::MatrixXd rays(rank, 0), basis(rank, 0);
  Random random(seed, 3);
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index c = 0; c < rank; ++c) {
    Eigen::VectorXd direction(rank);
    for (Index d = 0; d < rank; ++d) direction(d) = random.normal();
    for (int twice = 0; twice < 2; ++twice) direction -= basis * (basis.transpose() * direction).eval();
    const Eigen::VectorXd reach = rows * direction;
    Index furthest = 0;
    for (Index i = 1; i < n; ++i) {
      if (std::abs(reach(i)) > std::abs(reach(furthest))) furthest = i;
    }
    const double sign = reach(furthest) < 0 ? -1 : 1;
    for (Index i = 0; i < n; ++i) order[i] = i;
    std::partial_sort(order.begin(), order.begin() + averaged, order.end(), [&](Index x, Index y) {
      return sign * reach(x) != sign * reach(y) ? sign * reach(x) > sign * reach(y) : x < y;
    });
    Eigen::VectorXd ray = Eigen::VectorXd::Zero(rank);
    for (Index r = 0; r < averaged; ++r) ray += rows.row(order[r]).transpose();
    if (!(ray.norm() > 0)) break;  // fewer rays than groups: fit_blocks() fills the others
    ray.normalize();
    rays.conservativeResize(rank, rays.cols() + 1);
    rays.col(rays.cols() - 1) = ray;
    Eigen::VectorXd rest = ray - basis * (basis.transpose() * ray);
    if (rest.norm() < 1e-8) continue;
    basis.conservativeResize(rank, basis.cols() + 1);
    basis.col(basis.cols() - 1) = rest.normalized();
  }
  std::vector<Index> labels(static_cast<std::size_t>(n), -1);
  // Every row joins the nearest ray, every ray becomes the leading direction of its rows, weighted by their squares.
  for (int round = 0; round < ray_rounds && rays.cols() > 0; ++round) {
    check_cancelled();
    const Eigen::MatrixXd cosines = rows * rays;
    bool changed = false;
    for (Index i = 0; i < n; ++i) {
      if (!(length[i] > 0)) continue;
      Index best = 0;
      for (Index c = 1; c < cosines.cols(); ++c) {
        if (cosines(i, c) > cosines(i, best)) best = c;
      }
      changed |= labels[i] != best;
      labels[i] = best;
    }
    if (!changed) break;
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(rank, rays.cols());
    for (Index i = 0; i < n; ++i) {
      if (labels[i] >= 0) sums.col(labels[i]) += rows.row(i).transpose();
    }
    for (Index c = 0; c < rays.cols(); ++c) {
      if (sums.col(c).norm() > 0) rays.col(c) = sums.col(c).normalized();
    }
  }
  return labels;
}

#define COPSE_INSTANTIATE(T)                                                                 \
  template BlockModel<T> fit_blocks(SparseView<T>, const BlockOptions&, std::vector<Index>); \
  template std::vector<Index> block_start(SparseView<T>, Index, std::uint64_t);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
