#include "copse/graph/joint_nmf.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/error.h"
#include "copse/nmf/factors.h"
#include "copse/nmf/iterate.h"
#include "copse/nmf/scaled_data.h"
#include "copse/nmf/step.h"
#include "copse/nmf/stop_after.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Index joint_nmf_rows_per_block = 1024;
constexpr double least_size = 1e-3;  // of a component in the graph, against the largest

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw InvalidArgument(otherwise);
}

template <class T>
void check(const Data<T>& x, SparseView<T> s, const JointOptions& options) {
  const std::string size = std::to_string(s.rows) + " x " + std::to_string(s.cols);
  require(
      s.rows == x.cols() && s.cols == x.cols(),
      "The graph of " + std::to_string(x.cols()) + " items must be a square matrix of that size, not " + size + ".");
  for (const T value : s.values)
    require(std::isfinite(value) && value >= 0, "The weights of a graph must be finite and not negative.");
  const SparseMatrix<T> other = transpose(s);
  require(std::ranges::equal(other.offsets, s.offsets) && std::ranges::equal(other.indices, s.indices) &&
              std::ranges::equal(other.values, s.values),
          "The graph of the items must be symmetric.");
  require(
      std::isfinite(options.weight) && options.weight >= 0,
      "The weight of the graph must be a number that is not negative; it is " + std::to_string(options.weight) + ".");
  const NmfOptions& nmf = options.nmf;
  require(nmf.loss == Loss::frobenius && nmf.alpha == 0 && nmf.beta == 0 && !nmf.affine,
          "Words and a graph are factored together by least squares, without penalties and without a baseline.");
}

template <class T>
void check_factors(const Data<T>& x, Index k, const NmfResult<T>& given) {
  require(given.w.rows() == x.rows() && given.h.rows() == x.cols() && given.w.cols() == k && given.h.cols() == k,
          "The given factors do not have the shape of the data.");
  for (const Matrix<T>* factor : {&given.w, &given.h}) {
    for (const T value : factor->values())
      require(std::isfinite(value) && value >= 0, "The entries of given factors must be finite and not negative.");
  }
}

// The part of the graph that has edges, at a scale of its own: the largest entry is between 1 and 2.
template <class T>
struct LinkedPart {
  std::vector<Index> linked;    // items, ascending
  std::vector<Index> unlinked;  // the others
  SparseMatrix<T> s;            // among the linked
  int exponent = 0;             // S is s times 2^exponent
  double largest = 0;           // entry of s

  explicit LinkedPart(SparseView<T> all) {
    for (Index j = 0; j < all.cols; ++j) {
      const auto column = all.values.subspan(static_cast<std::size_t>(all.offsets[j]),
                                             static_cast<std::size_t>(all.offsets[j + 1] - all.offsets[j]));
      const bool has_edge = std::ranges::any_of(column, [](T value) { return value > 0; });
      (has_edge ? linked : unlinked).push_back(j);
      for (const T value : column) largest = std::max(largest, static_cast<double>(value));
    }
    if (linked.empty()) return;
    std::vector<RowIndex> number(static_cast<std::size_t>(all.cols));
    for (std::size_t e = 0; e < linked.size(); ++e) number[linked[e]] = static_cast<RowIndex>(e);
    s = select_columns(all, linked);
    s.rows = s.cols;
    for (RowIndex& row : s.indices) row = number[row];
    exponent = std::ilogb(largest);
    scale_by_power<T>(s.values, -exponent);
    largest = std::ldexp(largest, -exponent);
  }
};

template <class T>
Matrix<T> rows_of(const Matrix<T>& all, const std::vector<Index>& items) {
  Matrix<T> part;
  part.reshape(static_cast<Index>(items.size()), all.cols());
  parallel_blocks(part.rows(), joint_nmf_rows_per_block, [&](Index begin, Index end) {
    for (Index e = begin; e < end; ++e) std::ranges::copy(all.row(items[e]), part.row(e).begin());
  });
  return part;
}

template <class T>
void put_rows(const Matrix<T>& part, const std::vector<Index>& items, Matrix<T>& all) {
  parallel_blocks(part.rows(), joint_nmf_rows_per_block, [&](Index begin, Index end) {
    for (Index e = begin; e < end; ++e) std::ranges::copy(part.row(e), all.row(items[e]).begin());
  });
}

// to += scale * from.
template <class T>
void add_scaled(double scale, const Matrix<T>& from, Matrix<T>& to) {
  parallel_blocks(to.rows(), joint_nmf_rows_per_block, [&](Index begin, Index end) {
    const T factor = static_cast<T>(scale);
    for (Index e = begin * to.cols(); e < end * to.cols(); ++e) to.data()[e] += factor * from.data()[e];
  });
}

// to = scale * to.
template <class T>
void multiply(double scale, Matrix<T>& to) {
  parallel_blocks(to.rows(), joint_nmf_rows_per_block, [&](Index begin, Index end) {
    const T factor = static_cast<T>(scale);
    for (Index e = begin * to.cols(); e < end * to.cols(); ++e) to.data()[e] *= factor;
  });
}

template <class T>
double squared_distance(const Matrix<T>& f, const Matrix<T>& g) {
  return sum_blocks(f.rows(), joint_nmf_rows_per_block, 0.0, [&](Index begin, Index end) {
    double sum = 0;
    for (Index e = begin * f.cols(); e < end * f.cols(); ++e) {
      const double difference = static_cast<double>(f.data()[e]) - static_cast<double>(g.data()[e]);
      sum += difference * difference;
    }
    return sum;
  });
}

// scale * gram + shift * I.
Matrix<double> shifted(Matrix<double> gram, double scale, double shift) {
  for (double& value : gram.values()) value *= scale;
  for (Index c = 0; c < gram.rows(); ++c) gram(c, c) += shift;
  return gram;
}

Matrix<double> sum_of(Matrix<double> a, const Matrix<double>& b) {
  for (std::size_t e = 0; e < a.values().size(); ++e) a.values()[e] += b.values()[e];
  return a;
}

template <class T>
struct Point {
  Matrix<T> w, h, g;  // g: the linked items
};

// Sweeps over H, G and W in turn, extrapolated as flat NMF is (nmf/alternation.cpp).
template <class T>
class JointAlternation {
 public:
  JointAlternation(const Data<T>& x, const LinkedPart<T>& part, const JointOptions& options, double a, Point<T> start,
                   int before, Clock::time_point began)
      : x_(x),
        part_(part),
        s_(part.s),
        options_(options),
        a_(a),
        b_(a * part.largest),
        began_(began),
        squared_norm_(x.squared_norm()),
        s_squared_norm_(s_.squared_norm()),
        h_step_{Solver::hals,
                sweeps_that_pay(x.nonzeros() + s_.nonzeros(), x.rows() + s_.rows(), x.cols(), options.nmf.rank), false},
        w_step_{Solver::hals, sweeps_that_pay(x.nonzeros(), x.cols(), x.rows(), options.nmf.rank), false},
        g_step_{Solver::hals, sweeps_that_pay(s_.nonzeros(), s_.rows(), s_.cols(), options.nmf.rank), false},
        at_(std::move(start), options.nmf.extrapolate),
        last_(before + options.nmf.max_iterations),
        latest_{.number = before, .projected_gradient_ratio = 1} {
    project_on_h();
    at_.begin(objective());
  }

  void run(JointResult<T>& result) {
    result_ = &result;
    try {
      iterate();
    } catch (const Cancelled&) {
      if (result.nmf.history.empty() || result.nmf.history.back().number < latest_.number)
        result.nmf.history.push_back(latest_);
      result.nmf.stop_reason = StopReason::interrupted;
    }
    result.nmf.objective = at_.objective();
    result.nmf.relative_error = relative(squared_, squared_norm_);
    result.graph_error = relative(s_squared_, s_squared_norm_);
    result.nmf.projected_gradient_ratio = latest_.projected_gradient_ratio;
    Point<T> kept = at_.take();
    result.nmf.w = std::move(kept.w);
    result.nmf.h = std::move(kept.h);
    result.twin = std::move(kept.g);
  }

 private:
  using Standing = typename Iterate<T, Point<T>>::Standing;

  static double relative(double square, double whole) { return whole > 0 ? std::sqrt(square / whole) : 0; }

  void iterate() {
    const int first = latest_.number;
    for (;;) {
      project_on_w_and_g();
      if (latest_.number > first && done()) return;
      update_h();
      project_on_h();
      update_factor(g_step_, shifted(linked_gram_, a_, b_), g_product_, at_.ahead().g);
      if (!options_.keep_w) update_factor(w_step_, h_gram_, w_product_, at_.ahead().w);
      accept_or_restore();
    }
  }

  // X'W, and for the linked items X'W + a S G + b G.
  void project_on_w_and_g() {
    const Point<T>& ahead = at_.ahead();
    x_.transpose_times(ahead.w, h_product_);
    w_gram_ = gram(ahead.w);
    g_gram_ = gram(ahead.g);
    s_.transpose_times(ahead.g, linked_product_);  // S is its own transpose
    multiply(a_, linked_product_);
    add_scaled(b_, ahead.g, linked_product_);
    add_scaled(1, rows_of(h_product_, part_.linked), linked_product_);
  }

  Matrix<double> linked_h_gram() const { return sum_of(shifted(g_gram_, a_, b_), w_gram_); }

  void update_h() {
    Matrix<T>& h = at_.ahead().h;
    Matrix<T> linked = rows_of(h, part_.linked);
    update_factor(h_step_, linked_h_gram(), linked_product_, linked);
    put_rows(linked, part_.linked, h);
    if (!part_.unlinked.empty()) {
      Matrix<T> unlinked = rows_of(h, part_.unlinked);
      update_factor(h_step_, w_gram_, rows_of(h_product_, part_.unlinked), unlinked);
      put_rows(unlinked, part_.unlinked, h);
    }
    at_.run_h_ahead();
  }

  // X H', and a S H + b H of the linked.
  void project_on_h() {
    const Matrix<T>& h = at_.ahead().h;
    x_.times(h, w_product_);
    h_gram_ = gram(h);
    const Matrix<T> linked = rows_of(h, part_.linked);
    linked_gram_ = gram(linked);
    s_.transpose_times(linked, g_product_);
    multiply(a_, g_product_);
    add_scaled(b_, linked, g_product_);
  }

  // <S H, G> from a S H + b H.
  double objective() {
    const Point<T>& point = at_.ahead();
    const Matrix<T> linked = rows_of(point.h, part_.linked);
    squared_ = squared_error(squared_norm_, dot(w_product_, point.w), gram(point.w), h_gram_);
    const double cross = (dot(g_product_, point.g) - b_ * dot(linked, point.g)) / a_;
    s_squared_ = squared_error(s_squared_norm_, cross, gram(point.g), linked_gram_);
    return squared_ + a_ * s_squared_ + b_ * squared_distance(linked, point.g);
  }

  // Up to what sums of this precision can tell.
  bool rose(double objective) const {
    const double whole = squared_norm_ + a_ * s_squared_norm_;
    return objective > at_.objective() + std::numeric_limits<T>::epsilon() * whole;
  }

  void accept_or_restore() {
    const double squared = squared_;
    const double s_squared = s_squared_;
    const double now = objective();
    const bool is_plain = at_.momentum().length() == 0;
    ++latest_.number;
    latest_.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    if (now > at_.objective() && (!is_plain || rose(now))) {
      stuck_ = is_plain;
      squared_ = squared;
      s_squared_ = s_squared;
      at_.restore();
    } else {
      latest_.relative_error = relative(squared_, squared_norm_);
      const double least = std::min(now, at_.objective());
      if (options_.keep_w) {
        at_.accept(least, latest_.number >= last_, {&Point<T>::g});
      } else {
        at_.accept(least, latest_.number >= last_, {&Point<T>::w, &Point<T>::g});
      }
    }
    result_->objectives.push_back(at_.objective());
  }

  bool done() {
    const NmfOptions& limits = options_.nmf;
    if (at_.standing() != Standing::restored) latest_.projected_gradient_ratio = projected_gradient_ratio();
    const bool is_over = latest_.number >= last_ || latest_.seconds >= limits.time_limit || stuck_;
    if (is_over || latest_.projected_gradient_ratio <= limits.tolerance) measure_kept();
    result_->nmf.history.push_back(latest_);
    std::optional<StopReason> ended;
    if (latest_.projected_gradient_ratio <= limits.tolerance || stuck_) {
      ended = StopReason::converged;
    } else if (latest_.number >= last_) {
      ended = StopReason::max_iterations;
    }
    const auto reason = stop_after(latest_, limits, ended);
    if (!reason) return false;
    result_->nmf.stop_reason = *reason;
    if (*reason == StopReason::interrupted) {
      measure_kept();
      result_->nmf.history.back() = latest_;
    }
    return true;
  }

  // The gradient at the kept point, if the products at hand belong to another.
  void measure_kept() {
    if (at_.standing() == Standing::kept) return;
    at_.go_back();
    project_on_w_and_g();
    project_on_h();
    latest_.projected_gradient_ratio = projected_gradient_ratio();
  }

  // That of nmf/alternation.cpp, with the gradient of G beside that of H.
  double projected_gradient_ratio() const {
    if (squared_norm_ == 0) return 0;
    const Point<T>& ahead = at_.ahead();
    const std::vector<double> w_squares = squared_projected_gradient(h_gram_, w_product_, ahead.w);
    const std::vector<double> g_squares =
        squared_projected_gradient(shifted(linked_gram_, a_, b_), g_product_, ahead.g);
    std::vector<double> h_squares =
        squared_projected_gradient(linked_h_gram(), linked_product_, rows_of(ahead.h, part_.linked));
    const std::vector<double> unlinked =
        squared_projected_gradient(w_gram_, rows_of(h_product_, part_.unlinked), rows_of(ahead.h, part_.unlinked));
    double square = 0;
    for (Index c = 0; c < options_.nmf.rank; ++c) {
      const double scale = w_gram_(c, c) > 0 ? w_gram_(c, c) : 1;
      square += (h_squares[c] + unlinked[c] + g_squares[c]) / scale;
      if (!options_.keep_w) square += scale * w_squares[c] / squared_norm_;
    }
    return std::sqrt(square / (static_cast<double>(options_.nmf.rank) * squared_norm_));
  }

  const Data<T>& x_;
  const LinkedPart<T>& part_;
  const SparseData<T> s_;
  const JointOptions& options_;
  const double a_;
  const double b_;
  const Clock::time_point began_;
  const double squared_norm_;
  const double s_squared_norm_;
  const StepOptions h_step_;
  const StepOptions w_step_;
  const StepOptions g_step_;
  Iterate<T, Point<T>> at_;
  Matrix<T> h_product_, linked_product_, w_product_, g_product_;
  Matrix<double> w_gram_, g_gram_, h_gram_, linked_gram_;
  bool stuck_ = false;  // a plain sweep raised the objective by round-off: there is nothing more to gain

  const int last_;        // iteration
  double squared_ = 0;    // |X - W H|^2 of the kept point
  double s_squared_ = 0;  // |S - G'H|^2
  Iteration latest_;
  JointResult<T>* result_ = nullptr;
};

// W D^-1 and D H such that each component has the size that S gives it: with u = h / |h|, |h|^2 = u'S u.
template <class T>
void fit_to_graph(const LinkedPart<T>& part, Matrix<T>& w, Matrix<T>& h) {
  const SparseData<T> s(part.s);
  const Matrix<T> linked = rows_of(h, part.linked);
  Matrix<T> product;
  s.transpose_times(linked, product);
  const Index k = h.cols();
  std::vector<double> squares(static_cast<std::size_t>(k)), sizes(static_cast<std::size_t>(k));
  for (Index j = 0; j < linked.rows(); ++j) {
    for (Index c = 0; c < k; ++c) {
      const double value = linked(j, c);
      squares[c] += value * value;
      sizes[c] += value * static_cast<double>(product(j, c));
    }
  }
  for (Index c = 0; c < k; ++c) sizes[c] = squares[c] > 0 ? sizes[c] / squares[c] : 0;
  const double least = least_size * *std::ranges::max_element(sizes);
  std::vector<double> factors(static_cast<std::size_t>(k), 1);
  for (Index c = 0; c < k; ++c) {
    if (squares[c] > 0 && least > 0) factors[c] = std::sqrt(std::max(sizes[c], least) / squares[c]);
  }
  const auto scale = [&](Matrix<T>& f, bool down) {
    for (Index i = 0; i < f.rows(); ++i) {
      for (Index c = 0; c < k; ++c) f(i, c) = static_cast<T>(down ? f(i, c) / factors[c] : f(i, c) * factors[c]);
    }
  };
  scale(h, false);
  scale(w, true);
}

// From factors of X, H at the scale of X.
template <class T>
void run_joint(const Data<T>& x, const LinkedPart<T>& part, const JointOptions& options, Clock::time_point began,
               JointResult<T>& result) {
  const double share = static_cast<double>(part.linked.size()) / static_cast<double>(x.cols());
  const double a = options.weight * share * x.squared_norm() / squared_norm<T>(part.s.values);
  const int before = result.nmf.history.empty() ? 0 : result.nmf.history.back().number;
  Point<T> start{std::move(result.nmf.w), std::move(result.nmf.h), {}};
  fit_to_graph(part, start.w, start.h);
  start.g = rows_of(start.h, part.linked);
  JointAlternation<T>(x, part, options, a, std::move(start), before, began).run(result);
  // G' over all items, at the scale of unit columns of W.
  Factors<T> factors{std::move(result.nmf.w), std::move(result.nmf.h)};
  const std::vector<double> norms = scale_to_unit_columns(x, factors, options.nmf.rank);
  Matrix<T> twin(x.cols(), options.nmf.rank);
  for (std::size_t e = 0; e < part.linked.size(); ++e) {
    for (Index c = 0; c < options.nmf.rank; ++c)
      twin(part.linked[e], c) = static_cast<T>(result.twin(static_cast<Index>(e), c) * norms[c]);
  }
  result.twin = std::move(twin);
  result.nmf.w = std::move(factors.w);
  result.nmf.h = std::move(factors.h);
  result.scale = norms;
  for (double& value : result.scale) value *= std::exp2(-part.exponent / 2.0);
  result.a = std::ldexp(a, -2 * part.exponent);
  result.b = std::ldexp(a * part.largest, -part.exponent);
}

// Continues `started`, a plain factorization of X.
template <class T>
JointResult<T> joined(const Data<T>& x, SparseView<T> s, const JointOptions& options, NmfResult<T> started) {
  const double before = started.history.empty() ? 0 : started.history.back().seconds;
  const auto began = Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(before));
  JointResult<T> result;
  result.nmf = std::move(started);
  const LinkedPart<T> part(s);
  if (part.linked.empty() || options.weight == 0 || x.squared_norm_over(exponent_of_norm(x)) == 0) return result;
  if (result.nmf.stop_reason == StopReason::interrupted || result.nmf.stop_reason == StopReason::time_limit)
    return result;
  const int exponent = exponent_of_norm(x);
  if (is_moderate<T>(exponent)) {
    run_joint(x, part, options, began, result);
    return result;
  }
  scale_by_power(result.nmf.h.values(), -exponent);
  run_joint<T>(ScaledData<T>(x, exponent), part, options, began, result);
  scale_by_power(result.nmf.h.values(), exponent);
  scale_by_power(result.twin.values(), exponent);
  result.nmf.objective = std::ldexp(result.nmf.objective, 2 * exponent);
  for (double& value : result.objectives) value = std::ldexp(value, 2 * exponent);
  for (double& value : result.scale) value = std::ldexp(value, exponent);
  result.a = std::ldexp(result.a, 2 * exponent);
  result.b = std::ldexp(result.b, 2 * exponent);
  return result;
}

}  // namespace

template <class T>
JointResult<T> factorize_joint(const Data<T>& x, SparseView<T> s, const JointOptions& options) {
  check(x, s, options);
  require(!options.keep_w, "W can only stay where it is given.");
  return joined(x, s, options, factorize(x, options.nmf));
}

template <class T>
JointResult<T> continue_joint(const Data<T>& x, SparseView<T> s, const JointOptions& options, NmfResult<T> started) {
  check(x, s, options);
  check_factors(x, options.nmf.rank, started);
  return joined(x, s, options, std::move(started));
}

template <class T>
JointResult<T> factorize_joint(const Data<T>& x, SparseView<T> s, const JointOptions& options, Matrix<T> w,
                               Matrix<T> h) {
  NmfResult<T> started;
  started.w = std::move(w);
  started.h = std::move(h);
  return continue_joint(x, s, options, std::move(started));
}

#define COPSE_INSTANTIATE(T)                                                                                \
  template JointResult<T> factorize_joint(const Data<T>&, SparseView<T>, const JointOptions&);              \
  template JointResult<T> continue_joint(const Data<T>&, SparseView<T>, const JointOptions&, NmfResult<T>); \
  template JointResult<T> factorize_joint(const Data<T>&, SparseView<T>, const JointOptions&, Matrix<T>, Matrix<T>);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
