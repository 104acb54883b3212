#include "copse/nmf/alternation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"
#include "copse/nmf/breathe.h"
#include "copse/nmf/error.h"
#include "copse/nmf/factors.h"
#include "copse/nmf/momentum.h"
#include "copse/nmf/revive.h"
#include "copse/nmf/step.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr double least_revival_gain = 1e-4;   // of the squared error: less is not worth a component
constexpr double exact_squared_error = 1e-6;  // of |X|^2: nothing is left to revive from
constexpr double slow_gain = 3e-3;            // of what W H explains, in one iteration: time for a breath
constexpr Index rows_per_block = 512;

template <class T>
class Alternation {
 public:
  Alternation(const Data<T>& x, const NmfOptions& options, Factors<T> start,
              std::chrono::steady_clock::time_point began, const Course& course)
      : x_(x),
        options_(options),
        with_gradient_(course.with_gradient),
        began_(began),
        squared_norm_(x.squared_norm()),
        whole_(x.whole()),
        one_read_(x.prefers_one_read()),
        h_step_{options.solver, sweeps_that_pay(whole_.nonzeros, whole_.rows, whole_.cols, options.rank),
                options.affine},
        w_step_{options.solver, sweeps_that_pay(whole_.nonzeros, whole_.cols, whole_.rows, options.rank), false},
        momentum_(options.extrapolate && options.solver == Solver::hals),
        kept_(start),
        ahead_(std::move(start)),
        revivals_left_(course.with_gradient ? 2 * options.rank : 0),
        breath_left_(course.breathes) {}

  Run<T> run() {
    try {
      iterate();
    } catch (const Cancelled&) {
      if (latest_.number == 0) throw;
      if (run_.history.empty() || run_.history.back().number < latest_.number) run_.history.push_back(latest_);
      run_.stop_reason = StopReason::interrupted;
    }
    return take_run();
  }

  // The same in parts, where somebody else makes the products: X'W of w() is put into h_product(), and begin() is
  // called; X H' of h() is put into w_product(), and end(). At last, when begin() returns false, take_run().
  const Matrix<T>& w() const { return ahead_.w; }
  const Matrix<T>& h() const { return ahead_.h; }
  Matrix<T>& h_product() { return h_product_; }
  Matrix<T>& w_product() { return w_product_; }
  bool begin() {
    w_gram_ = global_gram(x_, ahead_.w);
    if (latest_.number > 0 && done()) return false;
    update_h();
    return true;
  }
  void end() {
    h_gram_ = global_gram(x_, ahead_.h);
    step_w();
  }
  Run<T> take_run() {
    run_.factors = std::move(kept_);
    run_.objective = objective_;
    return std::move(run_);
  }

 private:
  void iterate() {
    for (;;) {
      if (!with_gradient_ && latest_.number == options_.max_iterations) return;
      const bool is_breath = slow_ && breath_left_ && latest_.number + breath_alternations < options_.max_iterations;
      look(is_breath);
      if (latest_.number > 0 && done()) return;
      if (is_breath) take_breath();
      step_h();
      step_w();
    }
  }

  // What there is to know before H is updated: X'W. Where one read serves all, it updates H as well, as if nothing
  // would come between; what comes between is rare.
  void look(bool no_further) {
    if (one_read_) {
      read_once(no_further ? Read::measure : Read::update);
    } else {
      project_on_w();
    }
  }

  // The new H, and X H' and H H' of it.
  void step_h() {
    if (one_read_) {
      if (std::exchange(elsewhere_, false)) read_once(Read::update);
      take_read();
      return;
    }
    update_h();
    project_on_h();
  }

  void update_h() {
    update_factor(h_step_, penalized_by_beta(w_gram_), h_product_, ahead_.h);
    run_ahead(momentum_, swept_h_, ahead_.h);
  }

  void step_w() {
    update_factor(w_step_, penalized_by_alpha(h_gram_), w_product_, ahead_.w);
    accept_or_restore();
  }

  enum class Read { measure, update };

  // X'W, the gradient of H, and X H' and H H' of the H that is there (measure), or of the next (update). W'W is that of
  // the W before, X H' and H H' wait in read_product_ and read_gram_. Rows of H change in place: whoever goes back,
  // goes back to the kept iterate.
  void read_once(Read what) {
    elsewhere_ = what == Read::measure;
    w_gram_ = global_gram(x_, ahead_.w);
    const Matrix<double> gram_of_step = penalized_by_beta(w_gram_);
    const Index k = ahead_.h.cols();
    if (swept_h_.rows() != ahead_.h.rows() && !momentum_.idle()) swept_h_ = Matrix<T>(ahead_.h.rows(), k);
    const auto blocks = static_cast<std::size_t>(x_.item_blocks());
    std::vector<std::vector<double>> squares(blocks);
    std::vector<Matrix<double>> grams(blocks);
    x_.read_once(
        ahead_.w,
        [&](Index block, Index first, const Matrix<T>& product, Matrix<T>& h) {
          std::copy_n(ahead_.h.data() + first * k, h.values().size(), h.data());
          if (with_gradient_) squares[block] = squared_projected_gradient(gram_of_step, product, h);
          if (what == Read::update) {
            update_factor(h_step_, gram_of_step, product, h);
            if (!momentum_.idle()) run_rows_ahead(first, h);
            std::ranges::copy(h.values(), ahead_.h.data() + first * k);
          }
          grams[block] = gram(h);
        },
        read_product_);
    h_squares_.assign(static_cast<std::size_t>(k), 0.0);
    read_gram_ = Matrix<double>(k, k);
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::size_t c = 0; c < squares[b].size(); ++c) h_squares_[c] += squares[b][c];
      std::ranges::transform(grams[b].values(), read_gram_.values(), read_gram_.values().begin(), std::plus());
    }
    x_.sum(h_squares_);
    x_.sum(read_gram_.values());
  }

  void take_read() {
    std::swap(w_product_, read_product_);
    std::swap(h_gram_, read_gram_);
  }

  // What run_ahead() does with momentum, for the rows of H from `first` on.
  void run_rows_ahead(Index first, Matrix<T>& h) {
    T* before = swept_h_.data() + first * h.cols();
    Matrix<T> ahead = h;
    if (momentum_.length() > 0) {
      std::copy_n(before, h.values().size(), ahead.data());
      run_ahead(h, ahead, momentum_.length());
    }
    std::ranges::copy(h.values(), before);
    h = std::move(ahead);
  }

  // R = X'W and W'W.
  void project_on_w() {
    x_.transpose_times(ahead_.w, h_product_);
    w_gram_ = global_gram(x_, ahead_.w);
  }

  // Q = X H' and H H'.
  void project_on_h() {
    x_.times(ahead_.h, w_product_);
    h_gram_ = global_gram(x_, ahead_.h);
  }

  // The pair (ahead.w, ahead.h) is the new iterate, from which W runs ahead, unless the objective rose: then the kept
  // iterate is taken up again. Its objective needs nothing new.
  void accept_or_restore() {
    const Matrix<double> w_gram = global_gram(x_, ahead_.w);
    double cross = dot(w_product_, ahead_.w);
    x_.sum({&cross, 1});
    const double squared = squared_error(squared_norm_, cross, w_gram, h_gram_);
    const double objective = squared + penalties(w_gram, h_gram_);
    restored_ = objective > objective_ && (momentum_.length() > 0 || revived_ || breathed_);
    if (restored_ && revived_) revivals_left_ = 0;
    latest_.number += breathed_ ? 1 + breath_alternations : 1;
    revived_ = breathed_ = false;
    // Clocks differ, and all must see the same.
    double clock[2] = {std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(), 1};
    x_.sum(clock);
    latest_.seconds = clock[0] / clock[1];
    if (restored_) {
      ahead_ = kept_;
      w_is_ahead_ = false;
      momentum_.rose();
      return;
    }
    slow_ = objective_ - objective < slow_gain * (squared_norm_ - squared);
    objective_ = objective;
    squared_ = squared;
    latest_.relative_error = squared_norm_ > 0 ? std::sqrt(squared / squared_norm_) : 0;
    // `kept` changes by exchange only: a run that is cancelled in the middle finds it whole.
    std::swap(kept_, ahead_);
    ahead_.h = kept_.h;
    w_is_ahead_ = momentum_.length() > 0 && latest_.number < options_.max_iterations;
    run_ahead(kept_.w, ahead_.w, w_is_ahead_ ? momentum_.length() : 0);
    momentum_.fell();
    find_dead(w_gram);
  }

  // The components of the kept iterate that are zero in a factor, and the norm of the others in W.
  void find_dead(const Matrix<double>& w_gram) {
    dead_.clear();
    double squares = 0;
    for (Index c = 0; c < options_.rank; ++c) {
      if (w_gram(c, c) > 0 && h_gram_(c, c) > 0) {
        squares += w_gram(c, c);
      } else {
        dead_.push_back(c);
      }
    }
    const Index live = options_.rank - static_cast<Index>(dead_.size());
    live_norm_ = live > 0 ? std::sqrt(squares / static_cast<double>(live)) : 1;
  }

  // Gives dead components a new start; false where there is none to give. Should the objective rise for it, they stay
  // dead.
  bool revive() {
    if (dead_.empty() || restored_ || revivals_left_ == 0 || squared_ <= exact_squared_error * squared_norm_)
      return false;
    const std::uint64_t seed = options_.seed + static_cast<std::uint64_t>(--revivals_left_);
    ahead_ = kept_;
    w_is_ahead_ = false;
    revived_ = revive_components<T>(x_, ahead_, dead_, live_norm_, squared_, least_revival_gain, seed) > 0;
    if (!revived_) revivals_left_ = 0;
    leave();
    return revived_;
  }

  // Goes on from where a breath leads to. Should the objective be higher there, the kept iterate is taken up again.
  void take_breath() {
    breath_left_ = false;
    if (revived_ || objective_ <= exact_squared_error * squared_norm_) return;
    // What the breath does not need makes room for its components.
    ahead_ = {};
    swept_h_ = {};
    h_product_ = {};
    w_product_ = {};
    ahead_ = breathe(x_, options_, kept_, began_);
    momentum_.rest();
    breathed_ = true;
    leave();
  }

  // The products at hand belong to another point than `ahead`.
  void leave() {
    if (one_read_) {
      elsewhere_ = true;
    } else {
      project_on_w();
    }
  }

  // Completes the record of the latest iterate, now that X'W is known. When a run ends, the record is that of the kept
  // iterate itself.
  bool done() {
    if (!restored_) latest_.projected_gradient_ratio = projected_gradient_ratio();
    const bool is_over = latest_.number >= options_.max_iterations || latest_.seconds >= options_.time_limit;
    if (is_over || latest_.projected_gradient_ratio <= options_.tolerance) measure_kept();
    run_.history.push_back(latest_);
    double asks_to_stop = options_.progress && !options_.progress(latest_) ? 1 : 0;
    x_.sum({&asks_to_stop, 1});
    const bool go_on = asks_to_stop == 0;
    if (latest_.projected_gradient_ratio <= options_.tolerance && !revive()) {
      run_.stop_reason = StopReason::converged;
    } else if (!go_on) {
      run_.stop_reason = StopReason::interrupted;
    } else if (latest_.number >= options_.max_iterations) {
      run_.stop_reason = StopReason::max_iterations;
    } else if (latest_.seconds >= options_.time_limit) {
      run_.stop_reason = StopReason::time_limit;
    } else {
      if (!revived_) revive();
      return false;
    }
    if (!go_on) {
      measure_kept();
      run_.history.back() = latest_;
    }
    return true;
  }

  // The gradient at the kept iterate, if the products at hand belong to another point.
  void measure_kept() {
    if (!with_gradient_ || !(w_is_ahead_ || restored_)) return;
    ahead_ = kept_;
    if (one_read_) {
      read_once(Read::measure);
      take_read();
    } else {
      if (w_is_ahead_) project_on_w();
      if (restored_) project_on_h();
    }
    w_is_ahead_ = restored_ = false;
    latest_.projected_gradient_ratio = projected_gradient_ratio();
  }

  // |projected gradient| at (ahead.w, ahead.h) in coordinates that have no scale (dcnmf 5.3): X / |X|, columns of W of
  // unit norm, and sqrt(n) w0. With d = |w_c|, the gradient of w_c is multiplied by d and that of h_c divided by it.
  double projected_gradient_ratio() const {
    if (!with_gradient_) return 1;
    if (squared_norm_ == 0) return 0;
    const std::vector<double> w_squares = projected_gradient(penalized_by_alpha(h_gram_), w_product_, ahead_.w);
    const std::vector<double> h_squares =
        one_read_ ? h_squares_ : projected_gradient(penalized_by_beta(w_gram_), h_product_, ahead_.h);
    // A baseline's own 1 is the last row of H, so that the last entry of H H' is n.
    double square = options_.affine ? w_squares.back() / h_gram_(options_.rank, options_.rank) : 0;
    for (Index c = 0; c < options_.rank; ++c) {
      const double scale = w_gram_(c, c) > 0 ? w_gram_(c, c) : 1;
      square += scale * w_squares[c] / squared_norm_ + h_squares[c] / scale;
    }
    return std::sqrt(square / (static_cast<double>(options_.rank) * squared_norm_));
  }

  std::vector<double> projected_gradient(const Matrix<double>& gram, const Matrix<T>& product,
                                         const Matrix<T>& g) const {
    std::vector<double> squares = squared_projected_gradient(gram, product, g);
    x_.sum(squares);
    return squares;
  }

  // W'W + beta 11': the penalty beta |h_j|_1^2 of an item.
  Matrix<double> penalized_by_beta(Matrix<double> gram) const {
    for (Index a = 0; a < options_.rank; ++a) {
      for (Index b = 0; b < options_.rank; ++b) gram(a, b) += options_.beta;
    }
    return gram;
  }

  // H H' + alpha I; the baseline is not penalized.
  Matrix<double> penalized_by_alpha(Matrix<double> gram) const {
    for (Index a = 0; a < options_.rank; ++a) gram(a, a) += options_.alpha;
    return gram;
  }

  // alpha |W|^2 is on the diagonal of W'W, and sum_j |h_j|_1^2 = 1'(H H')1.
  double penalties(const Matrix<double>& w_gram, const Matrix<double>& h_gram) const {
    double sum = 0;
    for (Index a = 0; a < options_.rank; ++a) {
      sum += options_.alpha * w_gram(a, a);
      for (Index b = 0; b < options_.rank; ++b) sum += options_.beta * h_gram(a, b);
    }
    return sum;
  }

  const Data<T>& x_;
  const NmfOptions& options_;
  const bool with_gradient_;
  const std::chrono::steady_clock::time_point began_;
  const double squared_norm_;
  const Whole whole_;
  const bool one_read_;  // the products and the step of H between them are one read of X
  const StepOptions h_step_;
  const StepOptions w_step_;
  Momentum momentum_;

  Factors<T> kept_;      // the latest iterate, whole at any moment
  Factors<T> ahead_;     // where the next one is being made
  Matrix<T> swept_h_;    // H as the solver left it, before it ran ahead
  Matrix<T> h_product_;  // X'W and
  Matrix<T> w_product_;  // X H', each with a place of its own: one for both would be given back and cleared every time
  Matrix<T> read_product_;         // X H' and
  Matrix<double> read_gram_;       // H H' of a read that is not taken up yet
  std::vector<double> h_squares_;  // of the projected gradient of H, found by a read
  bool elsewhere_ = false;         // what was read is not the step from `ahead`
  Matrix<double> w_gram_;          // W'W and
  Matrix<double> h_gram_;          // H H'
  bool w_is_ahead_ = false;
  bool restored_ = false;  // the kept iterate was taken up again: X H' and H H' belong to another
  bool revived_ = false;   // ahead_ holds a component that was given a new start
  Index revivals_left_;
  bool slow_ = false;      // the latest iterate gained little
  bool breathed_ = false;  // ahead_ comes from a breath
  bool breath_left_;

  double objective_ = std::numeric_limits<double>::infinity();
  double squared_ = 0;       // |X - W H|^2 of the kept iterate
  std::vector<Index> dead_;  // its components that are zero in a factor
  double live_norm_ = 1;     // of the others in W
  Iteration latest_{.projected_gradient_ratio = 1};
  Run<T> run_;
};

// The columns of matrices with equally many rows side by side. Rows begin with cache lines.
template <class T>
void put_side_by_side(const std::vector<const Matrix<T>*>& parts, Matrix<T>& whole) {
  constexpr Index line = 64 / sizeof(T);
  Index columns = 0;
  for (const Matrix<T>* part : parts) columns += part->cols();
  whole = Matrix<T>(parts.front()->rows(), (columns + line - 1) / line * line);
  parallel_blocks(whole.rows(), rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      T* to = whole.row(i).data();
      for (const Matrix<T>* part : parts) to = std::ranges::copy(part->row(i), to).out;
    }
  });
}

// The other way: each part has its number of columns.
template <class T>
void take_apart(const Matrix<T>& whole, const std::vector<Matrix<T>*>& parts, const std::vector<Index>& columns) {
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p]->reshape(whole.rows(), columns[p]);
  parallel_blocks(whole.rows(), rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const T* from = whole.row(i).data();
      for (Matrix<T>* part : parts) {
        std::copy_n(from, part->cols(), part->row(i).data());
        from += part->cols();
      }
    }
  });
}

}  // namespace

template <class T>
std::vector<Run<T>> alternate_together(const Data<T>& x, std::span<const NmfOptions> options,
                                       std::vector<Factors<T>> starts, std::chrono::steady_clock::time_point began) {
  std::vector<std::unique_ptr<Alternation<T>>> all;
  for (std::size_t f = 0; f < starts.size(); ++f)
    all.push_back(std::make_unique<Alternation<T>>(x, options[f], std::move(starts[f]), began, Course{}));
  std::vector<Alternation<T>*> going;
  for (const auto& one : all) going.push_back(one.get());
  Matrix<T> factors, products;
  // For the alternations that go on: product(a) = multiply(factor(a)).
  const auto multiply_all = [&](auto multiply, auto factor, auto product) {
    std::vector<const Matrix<T>*> parts;
    std::vector<Matrix<T>*> own;
    std::vector<Index> columns;
    for (Alternation<T>* one : going) {
      parts.push_back(&factor(*one));
      own.push_back(&product(*one));
      columns.push_back(parts.back()->cols());
    }
    put_side_by_side(parts, factors);
    multiply();
    take_apart(products, own, columns);
  };
  using One = Alternation<T>;
  for (;;) {
    multiply_all([&] { x.transpose_times_by_column(factors, products); }, std::mem_fn(&One::w),
                 std::mem_fn(&One::h_product));
    std::vector<char> goes_on(going.size());
    parallel_for(static_cast<Index>(going.size()), [&](Index f) { goes_on[f] = going[f]->begin() ? 1 : 0; });
    std::size_t f = 0;
    std::erase_if(going, [&](const One*) { return goes_on[f++] == 0; });
    if (going.empty()) break;
    multiply_all([&] { x.times_by_column(factors, products); }, std::mem_fn(&One::h), std::mem_fn(&One::w_product));
    parallel_for(static_cast<Index>(going.size()), [&](Index one) { going[one]->end(); });
  }
  std::vector<Run<T>> runs;
  for (const auto& one : all) runs.push_back(one->take_run());
  return runs;
}

template <class T>
Run<T> alternate(const Data<T>& x, const NmfOptions& options, Factors<T> start,
                 std::chrono::steady_clock::time_point began, const Course& course) {
  return Alternation<T>(x, options, std::move(start), began, course).run();
}

template std::vector<Run<float>> alternate_together(const Data<float>&, std::span<const NmfOptions>,
                                                    std::vector<Factors<float>>, std::chrono::steady_clock::time_point);
template std::vector<Run<double>> alternate_together(const Data<double>&, std::span<const NmfOptions>,
                                                     std::vector<Factors<double>>,
                                                     std::chrono::steady_clock::time_point);
template Run<float> alternate(const Data<float>&, const NmfOptions&, Factors<float>,
                              std::chrono::steady_clock::time_point, const Course&);
template Run<double> alternate(const Data<double>&, const NmfOptions&, Factors<double>,
                               std::chrono::steady_clock::time_point, const Course&);

}  // namespace copse
