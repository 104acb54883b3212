#include "copse/cluster/gnmf.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/base/stopwatch.h"
#include "copse/graph/graph.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/sparse_product.h"
#include "copse/nmf/error.h"
#include "copse/nmf/factors.h"
#include "copse/nmf/stop_after.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 512;
constexpr int window = 10;  // iterations over which the fall is measured
constexpr int item_sweeps = 2;

void require_gnmf(bool holds, const std::string& otherwise) {
  if (!holds) throw InvalidArgument(otherwise);
}

template <class T>
void check(const Data<T>& x, SparseView<T> graph, const GnmfOptions& options) {
  require_gnmf(options.rank >= 1 && options.rank <= std::min(x.rows(), x.cols()),
               "The number of components must be between 1 and the smaller side of the data; it is " +
                   std::to_string(options.rank) + ".");
  require_gnmf(std::isfinite(options.lambda) && options.lambda >= 0, "The weight of the graph must not be negative.");
  require_gnmf(options.max_iterations >= 1, "At least one iteration is needed.");
  require_gnmf(graph.rows == x.cols() && graph.cols == x.cols(), "The graph must have one node for each item.");
  for (const T value : graph.values)
    require_gnmf(std::isfinite(value) && value >= 0, "The weights of a graph must be finite and not negative.");
  const SparseMatrix<T> other = transpose(graph);
  require_gnmf(std::ranges::equal(other.offsets, graph.offsets) && std::ranges::equal(other.indices, graph.indices) &&
                   std::ranges::equal(other.values, graph.values),
               "The graph of the items must be symmetric.");
}

template <class T>
class Alternation {
 public:
  Alternation(const Data<T>& x, SparseView<T> graph, const GnmfOptions& options)
      : x_(x),
        graph_(graph),
        options_(options),
        degrees_(copse::degrees(graph)),
        squared_norm_(x.squared_norm()),
        w_(x.rows(), options.rank),
        h_(x.cols(), options.rank) {
    // Uniform, at the scale of the data.
    const double entries = static_cast<double>(x.rows()) * static_cast<double>(x.cols());
    const double scale =
        entries > 0 ? std::pow(squared_norm_ / entries, 0.25) / std::sqrt(static_cast<double>(options.rank)) : 1;
    draw(w_, 0, scale);
    draw(h_, static_cast<std::uint64_t>(x.rows()), scale);
    if (options.solver == GnmfSolver::hals) {
      Factors<T> factors{std::move(w_), std::move(h_)};
      scale_to_unit_columns(x, factors, options.rank);
      w_ = std::move(factors.w);
      h_ = std::move(factors.h);
    }
  }

  // One iteration: W, then H. Returns the objective. Stopped in the middle, the factors of before stay.
  double step() {
    Matrix<T> w = w_;
    Matrix<T> h = h_;
    Matrix<T> product;
    x_.times(h, product);
    const Matrix<double> h_gram = gram(h);
    if (options_.solver == GnmfSolver::multiplicative) {
      update_multiplicative(h_gram, product, w);
    } else {
      update_in_ball(h_gram, product, w);
    }
    x_.transpose_times(w, product);
    const Matrix<double> w_gram = gram(w);
    Matrix<T> around;  // S h
    transpose_times(graph_, h, around);
    if (options_.solver == GnmfSolver::multiplicative) {
      multiply_items(w_gram, product, around, h);
    } else {
      sweep_items(w_gram, product, around, h);
    }
    const double squared = squared_error(squared_norm_, dot(product, h), w_gram, gram(h));
    const double objective = squared + options_.lambda * roughness(h);
    std::swap(w_, w);
    std::swap(h_, h);
    return objective;
  }

  Matrix<T>& w() { return w_; }
  Matrix<T>& h() { return h_; }

 private:
  void draw(Matrix<T>& f, std::uint64_t first, double scale) {
    parallel_blocks(f.rows(), rows_per_block, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        Random random(options_.seed, first + static_cast<std::uint64_t>(i));
        for (T& value : f.row(i)) value = static_cast<T>(scale * random.uniform());
      }
    });
  }

  // tr(H L H') = 1/2 sum of s_ij |h_i - h_j|^2.
  double roughness(const Matrix<T>& h) const {
    return sum_blocks(h.rows(), rows_per_block, 0.0, [&](Index begin, Index end) {
      double sum = 0;
      for (Index j = begin; j < end; ++j) {
        for (Index p = graph_.offsets[j]; p < graph_.offsets[j + 1]; ++p) {
          const auto a = h.row(j);
          const auto b = h.row(graph_.indices[p]);
          double square = 0;
          for (std::size_t c = 0; c < a.size(); ++c) {
            const double difference = static_cast<double>(a[c]) - static_cast<double>(b[c]);
            square += difference * difference;
          }
          sum += 0.5 * static_cast<double>(graph_.values[p]) * square;
        }
      }
      return sum;
    });
  }

  // h <- h (X'W + lambda S h) / (h W'W + lambda D h), with 0 / 0 = 0.
  void multiply_items(const Matrix<double>& gram, const Matrix<T>& product, const Matrix<T>& around,
                      Matrix<T>& h) const {
    const Index k = h.cols();
    parallel_blocks(h.rows(), rows_per_block, [&](Index begin, Index end) {
      std::vector<double> old(static_cast<std::size_t>(k));
      for (Index j = begin; j < end; ++j) {
        for (Index c = 0; c < k; ++c) old[c] = static_cast<double>(h(j, c));
        for (Index c = 0; c < k; ++c) {
          double below = options_.lambda * degrees_[j] * old[c];
          for (Index b = 0; b < k; ++b) below += gram(c, b) * old[b];
          const double above =
              std::max(0.0, static_cast<double>(product(j, c))) + options_.lambda * static_cast<double>(around(j, c));
          h(j, c) = below > 0 ? static_cast<T>(old[c] * above / below) : T(0);
        }
      }
    });
  }

  // |h_i - h_j|^2 <= 2 |h_i - m|^2 + 2 |h_j - m|^2 with m the middle of where they were: a bound that touches, in which
  // every item stands alone with Gram matrix W'W + 2 lambda d_j I. Coordinate descent lowers it, and so the objective.
  void sweep_items(const Matrix<double>& gram, const Matrix<T>& product, const Matrix<T>& around, Matrix<T>& h) const {
    const Index k = h.cols();
    parallel_blocks(h.rows(), rows_per_block, [&](Index begin, Index end) {
      std::vector<double> rhs(static_cast<std::size_t>(k));
      std::vector<double> now(static_cast<std::size_t>(k));
      for (Index j = begin; j < end; ++j) {
        const double shift = 2 * options_.lambda * degrees_[j];
        for (Index c = 0; c < k; ++c) {
          now[c] = static_cast<double>(h(j, c));
          rhs[c] = static_cast<double>(product(j, c)) +
                   options_.lambda * (degrees_[j] * now[c] + static_cast<double>(around(j, c)));
        }
        for (int sweep = 0; sweep < item_sweeps; ++sweep) {
          for (Index c = 0; c < k; ++c) {
            const double own = gram(c, c) + shift;
            if (!(own > 0)) {
              now[c] = 0;
              continue;
            }
            double slope = rhs[c] - shift * now[c];
            for (Index b = 0; b < k; ++b) slope -= gram(c, b) * now[b];
            now[c] = std::max(0.0, now[c] + slope / own);
          }
        }
        for (Index c = 0; c < k; ++c) h(j, c) = static_cast<T>(now[c]);
      }
    });
  }

  // Column c of W becomes its minimiser with w >= 0 and |w| <= 1: the Hessian is |h_c|^2 I, so that is the projection
  // of the free minimiser.
  void update_in_ball(const Matrix<double>& gram, const Matrix<T>& product, Matrix<T>& w) const {
    const Index k = w.cols();
    for (Index c = 0; c < k; ++c) {
      const double own = gram(c, c);
      const double square = sum_blocks(w.rows(), rows_per_block, 0.0, [&](Index begin, Index end) {
        double sum = 0;
        for (Index i = begin; i < end; ++i) {
          double value = 0;
          if (own > 0) {
            double slope = static_cast<double>(product(i, c));
            for (Index b = 0; b < k; ++b) slope -= gram(c, b) * static_cast<double>(w(i, b));
            value = std::max(0.0, static_cast<double>(w(i, c)) + slope / own);
          }
          w(i, c) = static_cast<T>(value);
          sum += value * value;
        }
        return sum;
      });
      if (square <= 1) continue;
      const double scale = 1 / std::sqrt(square);
      parallel_blocks(w.rows(), rows_per_block, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) w(i, c) = static_cast<T>(scale * static_cast<double>(w(i, c)));
      });
    }
  }

  const Data<T>& x_;
  const SparseView<T> graph_;
  const GnmfOptions& options_;
  const std::vector<double> degrees_;
  const double squared_norm_;
  Matrix<T> w_;
  Matrix<T> h_;
};

}  // namespace

template <class T>
GnmfResult<T> gnmf(const Data<T>& x, SparseView<T> graph, const GnmfOptions& options) {
  const Stopwatch watch;
  check(x, graph, options);
  Alternation<T> alternation(x, graph, options);
  GnmfResult<T> result;
  try {
    for (int number = 1;; ++number) {
      const double objective = alternation.step();
      const GnmfIteration latest{number, objective, watch.seconds()};
      result.history.push_back(latest);
      std::optional<StopReason> ended;
      if (number == options.max_iterations) ended = StopReason::max_iterations;
      if (number > window) {
        const double before = result.history[static_cast<std::size_t>(number - 1 - window)].objective;
        if (before - objective <= options.tolerance * before) ended = StopReason::converged;
      }
      if (const auto reason = stop_after(latest, options, ended)) {
        result.stop_reason = *reason;
        break;
      }
    }
  } catch (const Cancelled&) {
    if (result.history.empty()) throw;
    result.stop_reason = StopReason::interrupted;
  }
  uninterrupted([&] {
    result.objective = result.history.back().objective;
    Factors<T> factors{std::move(alternation.w()), std::move(alternation.h())};
    scale_to_unit_columns(x, factors, options.rank);
    result.w = std::move(factors.w);
    result.h = std::move(factors.h);
    result.relative_error = relative_error(x, result.w, result.h);
  });
  return result;
}

template GnmfResult<float> gnmf(const Data<float>&, SparseView<float>, const GnmfOptions&);
template GnmfResult<double> gnmf(const Data<double>&, SparseView<double>, const GnmfOptions&);

}  // namespace copse
