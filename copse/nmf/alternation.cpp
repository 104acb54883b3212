#include "copse/nmf/alternation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/matrix/more_of_data.h"
#include "copse/nmf/breathe.h"
#include "copse/nmf/revive.h"
#include "copse/nmf/steps.h"

namespace copse {
namespace {

constexpr double least_revival_gain = 1e-4;   // of the squared error: less is not worth a component
constexpr double exact_squared_error = 1e-6;  // of |X|^2: nothing is left to revive from
constexpr double slow_gain = 3e-3;            // of what W H explains, in one iteration: time for a breath
constexpr Index rows_per_block = 512;

// How the point ahead was reached, if not by steps from the kept one.
enum class Detour { none, revival, breath };

template <class T>
class Alternation {
 public:
  Alternation(const Data<T>& x, const NmfOptions& options, Factors<T> start,
              std::chrono::steady_clock::time_point began, const Course& course)
      : x_(x),
        options_(options),
        with_gradient_(course.with_gradient),
        began_(began),
        steps_(x, options, course.with_gradient),
        at_(std::move(start), options.extrapolate && options.solver == Solver::hals),
        revivals_left_(course.with_gradient ? 2 * options.rank : 0),
        breath_(course.breathes ? Breath::waits : Breath::none) {}

  Run<T> run() {
    try {
      while (with_gradient_ || latest_.number < options_.max_iterations) {
        steps_.pass_w(at_, !breath_is_due());
        if (!begin()) break;
        steps_.pass_h(at_);
        end();
      }
    } catch (const Cancelled&) {
      if (latest_.number == 0) throw;
      if (run_.history.empty() || run_.history.back().number < latest_.number) run_.history.push_back(latest_);
      run_.stop_reason = StopReason::interrupted;
    }
    return take_run();
  }

  // The parts of an iteration, for whoever makes the products for several at once: X'W of w() is put into h_product(),
  // and begin() is called; X H' of h() is put into w_product(), and end(). At last, when begin() returns false,
  // take_run().
  const Matrix<T>& w() const { return at_.ahead().w; }
  const Matrix<T>& h() const { return at_.ahead().h; }
  Matrix<T>& h_product() { return steps_.h_product(); }
  Matrix<T>& w_product() { return steps_.w_product(); }
  bool begin() {
    steps_.take_w(at_);
    if (latest_.number > 0 && done()) return false;
    if (breath_is_due()) take_breath();
    steps_.step_h(at_);
    return true;
  }
  void end() {
    steps_.take_h(at_);
    steps_.step_w(at_);
    accept_or_restore();
  }
  Run<T> take_run() {
    run_.objective = at_.objective();
    run_.factors = at_.take();
    return std::move(run_);
  }

 private:
  using Standing = typename Steps<T>::At::Standing;

  void accept_or_restore() {
    const auto value = steps_.value(at_);
    const Detour detour = std::exchange(detour_, Detour::none);
    latest_.number += detour == Detour::breath ? 1 + breath_alternations : 1;
    // Clocks differ, and all must see the same.
    double clock[2] = {std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(), 1};
    x_.sum(clock);
    latest_.seconds = clock[0] / clock[1];
    if (value.objective > at_.objective() && (at_.momentum().length() > 0 || detour != Detour::none)) {
      if (detour == Detour::revival) revivals_left_ = 0;
      at_.restore();
      return;
    }
    const double squared_norm = steps_.squared_norm();
    if (breath_ != Breath::none) {
      const double gain = at_.objective() - value.objective;
      breath_ = gain < slow_gain * (squared_norm - value.squared) ? Breath::due : Breath::waits;
    }
    squared_ = value.squared;
    latest_.relative_error = squared_norm > 0 ? std::sqrt(squared_ / squared_norm) : 0;
    at_.accept(value.objective, latest_.number >= options_.max_iterations, {&Factors<T>::w});
    find_dead(value.w_gram);
  }

  // The components of the kept iterate that are zero in a factor, and the norm of the others in W.
  void find_dead(const Matrix<double>& w_gram) {
    dead_.clear();
    double squares = 0;
    for (Index c = 0; c < options_.rank; ++c) {
      if (w_gram(c, c) > 0 && steps_.h_gram()(c, c) > 0) {
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
    if (dead_.empty() || at_.standing() == Standing::restored || revivals_left_ == 0 ||
        squared_ <= exact_squared_error * steps_.squared_norm())
      return false;
    const std::uint64_t seed = options_.seed + static_cast<std::uint64_t>(--revivals_left_);
    at_.go_back();
    const bool revived =
        revive_components<T>(x_, at_.ahead(), dead_, live_norm_, squared_, least_revival_gain, seed) > 0;
    if (revived) {
      detour_ = Detour::revival;
    } else {
      revivals_left_ = 0;
    }
    steps_.leave(at_);
    return revived;
  }

  bool breath_is_due() const {
    return breath_ == Breath::due && latest_.number + breath_alternations < options_.max_iterations;
  }

  // Goes on from where a breath leads to. Should the objective be higher there, the kept iterate is taken up again.
  void take_breath() {
    breath_ = Breath::none;
    if (detour_ == Detour::revival || at_.objective() <= exact_squared_error * steps_.squared_norm()) return;
    steps_.make_room();  // what the breath does not need is in the way of its components
    const Alternating<T> alternating = [&](const NmfOptions& plain, Factors<T> factors) {
      return alternate(x_, plain, std::move(factors), began_, {.with_gradient = false}).factors;
    };
    at_.jump([&](const Factors<T>& kept) { return breathe(x_, options_, kept, alternating); });
    detour_ = Detour::breath;
    steps_.leave(at_);
  }

  // Completes the record of the latest iterate, now that X'W is known. When a run ends, the record is that of the kept
  // iterate itself.
  bool done() {
    if (at_.standing() != Standing::restored) latest_.projected_gradient_ratio = steps_.projected_gradient_ratio(at_);
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
      if (detour_ == Detour::none) revive();
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
    if (!with_gradient_ || at_.standing() == Standing::kept) return;
    steps_.go_back_to_measure(at_);
    latest_.projected_gradient_ratio = steps_.projected_gradient_ratio(at_);
  }

  const Data<T>& x_;
  const NmfOptions& options_;
  const bool with_gradient_;
  const std::chrono::steady_clock::time_point began_;
  Steps<T> steps_;
  typename Steps<T>::At at_;
  Detour detour_ = Detour::none;
  Index revivals_left_;
  enum class Breath { none, waits, due } breath_;  // due when the latest iterate gained little

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
  const auto& by_column = dynamic_cast<const MultipliesByColumn<T>&>(x);
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
    multiply_all([&] { by_column.transpose_times_by_column(factors, products); }, std::mem_fn(&One::w),
                 std::mem_fn(&One::h_product));
    std::vector<char> goes_on(going.size());
    parallel_for(static_cast<Index>(going.size()), [&](Index f) { goes_on[f] = going[f]->begin() ? 1 : 0; });
    std::size_t f = 0;
    std::erase_if(going, [&](const One*) { return goes_on[f++] == 0; });
    if (going.empty()) break;
    multiply_all([&] { by_column.times_by_column(factors, products); }, std::mem_fn(&One::h),
                 std::mem_fn(&One::w_product));
    parallel_for(static_cast<Index>(going.size()), [&](Index one) { going[one]->end(); });
  }
  std::vector<Run<T>> runs;
  for (const auto& one : all) runs.push_back(one->take_run());
  return runs;
}

template <class T>
bool can_alternate_together(const Data<T>& x) {
  return dynamic_cast<const MultipliesByColumn<T>*>(&x) != nullptr;
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
template bool can_alternate_together(const Data<float>&);
template bool can_alternate_together(const Data<double>&);
template Run<float> alternate(const Data<float>&, const NmfOptions&, Factors<float>,
                              std::chrono::steady_clock::time_point, const Course&);
template Run<double> alternate(const Data<double>&, const NmfOptions&, Factors<double>,
                               std::chrono::steady_clock::time_point, const Course&);

}  // namespace copse
