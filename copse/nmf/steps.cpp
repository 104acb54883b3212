#include "copse/nmf/steps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <utility>

#include "copse/kernels/gram.h"
#include "copse/nmf/error.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

template <class T>
StepOptions step_of_h(const Data<T>& x, const NmfOptions& options) {
  const Whole whole = x.whole();
  return {options.solver, sweeps_that_pay(whole.nonzeros, whole.rows, whole.cols, options.rank), options.affine};
}

template <class T>
StepOptions step_of_w(const Data<T>& x, const NmfOptions& options) {
  const Whole whole = x.whole();
  return {options.solver, sweeps_that_pay(whole.nonzeros, whole.cols, whole.rows, options.rank), false};
}

}  // namespace

template <class T>
Steps<T>::Steps(const Data<T>& x, const NmfOptions& options, bool with_gradient)
    : x_(x),
      options_(options),
      with_gradient_(with_gradient),
      squared_norm_(x.squared_norm()),
      one_read_(x.is_fetched()),
      h_step_(step_of_h(x, options)),
      w_step_(step_of_w(x, options)) {}

template <class T>
void Steps<T>::pass_w(At& at, bool goes_on) {
  if (one_read_) {
    read_once(at, goes_on ? Read::update : Read::measure);
  } else {
    x_.transpose_times(at.ahead().w, h_product_);
  }
}

template <class T>
void Steps<T>::take_w(const At& at) {
  if (!one_read_) w_gram_ = global_gram(x_, at.ahead().w);
}

template <class T>
void Steps<T>::step_h(At& at) {
  if (one_read_) {
    if (!has_read_next_) read_once(at, Read::update);
    take_read();
  } else {
    update_factor(h_step_, penalized_by_beta(w_gram_), h_product_, at.ahead().h);
  }
  at.run_h_ahead();
}

template <class T>
void Steps<T>::pass_h(const At& at) {
  if (!one_read_) x_.times(at.ahead().h, w_product_);
}

template <class T>
void Steps<T>::take_h(const At& at) {
  if (!one_read_) h_gram_ = global_gram(x_, at.ahead().h);
}

template <class T>
void Steps<T>::step_w(At& at) {
  update_factor(w_step_, penalized_by_alpha(h_gram_), w_product_, at.ahead().w);
}

// X'W, the gradient of H, and X H' and H H' of the H that is there (measure), or of the next (update), which at.ahead()
// then holds before it runs ahead.
template <class T>
void Steps<T>::read_once(At& at, Read what) {
  Factors<T>& ahead = at.ahead();
  const Index k = ahead.h.cols();
  const double length = at.momentum().length();
  has_read_next_ = what == Read::update;
  w_gram_ = global_gram(x_, ahead.w);
  const Matrix<double> gram_of_step = penalized_by_beta(w_gram_);
  struct Sums {
    std::vector<double> squares;
    Matrix<double> gram;
  };
  std::map<Index, Sums> sums;  // of the blocks, in the order of their items
  std::mutex one_at_a_time;
  x_.read_once(
      ahead.w,
      [&](Index first, const Matrix<T>& product, Matrix<T>& h) {
        if (h.rows() == 0) return;
        T* const rows = ahead.h.data() + first * k;
        std::copy_n(rows, h.values().size(), h.data());
        Sums own;
        if (with_gradient_) own.squares = squared_projected_gradient(gram_of_step, product, h);
        if (what == Read::update) {
          update_factor(h_step_, gram_of_step, product, h);
          std::ranges::copy(h.values(), rows);
          if (length > 0) {  // X H' is that of where H runs to
            Matrix<T> further;
            further.reshape(h.rows(), k);
            std::copy_n(at.swept_h().data() + first * k, h.values().size(), further.data());
            run_ahead(h, further, length);
            h = std::move(further);
          }
        }
        own.gram = gram(h);
        const std::lock_guard lock(one_at_a_time);
        sums.emplace(first, std::move(own));
      },
      read_product_);
  h_squares_.assign(static_cast<std::size_t>(k), 0.0);
  read_gram_ = Matrix<double>(k, k);
  for (const auto& [first, block] : sums) {
    for (std::size_t c = 0; c < block.squares.size(); ++c) h_squares_[c] += block.squares[c];
    std::ranges::transform(block.gram.values(), read_gram_.values(), read_gram_.values().begin(), std::plus());
  }
  x_.sum(h_squares_);
  x_.sum(read_gram_.values());
}

template <class T>
void Steps<T>::take_read() {
  std::swap(w_product_, read_product_);
  std::swap(h_gram_, read_gram_);
}

template <class T>
void Steps<T>::leave(At& at) {
  has_read_next_ = false;
  if (one_read_) return;
  pass_w(at, false);
  take_w(at);
}

template <class T>
void Steps<T>::go_back_to_measure(At& at) {
  const auto standing = at.standing();
  at.go_back();
  if (one_read_) {
    read_once(at, Read::measure);
    take_read();
  } else if (standing == At::Standing::further) {
    pass_w(at, false);
    take_w(at);
  } else {
    pass_h(at);
    take_h(at);
  }
}

template <class T>
void Steps<T>::make_room() {
  h_product_ = {};
  w_product_ = {};
}

template <class T>
typename Steps<T>::Value Steps<T>::value(const At& at) const {
  Value value{.w_gram = global_gram(x_, at.ahead().w)};
  double cross = dot(w_product_, at.ahead().w);
  x_.sum({&cross, 1});
  value.squared = squared_error(squared_norm_, cross, value.w_gram, h_gram_);
  value.objective = value.squared + penalties(value.w_gram, h_gram_);
  return value;
}

template <class T>
double Steps<T>::projected_gradient_ratio(const At& at) const {
  if (!with_gradient_) return 1;
  if (squared_norm_ == 0) return 0;
  const std::vector<double> w_squares = projected_gradient(penalized_by_alpha(h_gram_), w_product_, at.ahead().w);
  const std::vector<double> h_squares =
      one_read_ ? h_squares_ : projected_gradient(penalized_by_beta(w_gram_), h_product_, at.ahead().h);
  // A baseline's own 1 is the last row of H, so that the last entry of H H' is n.
  double square = options_.affine ? w_squares.back() / h_gram_(options_.rank, options_.rank) : 0;
  for (Index c = 0; c < options_.rank; ++c) {
    const double scale = w_gram_(c, c) > 0 ? w_gram_(c, c) : 1;
    square += scale * w_squares[c] / squared_norm_ + h_squares[c] / scale;
  }
  return std::sqrt(square / (static_cast<double>(options_.rank) * squared_norm_));
}

template <class T>
std::vector<double> Steps<T>::projected_gradient(const Matrix<double>& gram, const Matrix<T>& product,
                                                 const Matrix<T>& g) const {
  std::vector<double> squares = squared_projected_gradient(gram, product, g);
  x_.sum(squares);
  return squares;
}

// W'W + beta 11': the penalty beta |h_j|_1^2 of an item.
template <class T>
Matrix<double> Steps<T>::penalized_by_beta(Matrix<double> gram) const {
  for (Index a = 0; a < options_.rank; ++a) {
    for (Index b = 0; b < options_.rank; ++b) gram(a, b) += options_.beta;
  }
  return gram;
}

// H H' + alpha I; the baseline is not penalized.
template <class T>
Matrix<double> Steps<T>::penalized_by_alpha(Matrix<double> gram) const {
  for (Index a = 0; a < options_.rank; ++a) gram(a, a) += options_.alpha;
  return gram;
}

// alpha |W|^2 is on the diagonal of W'W, and sum_j |h_j|_1^2 = 1'(H H')1.
template <class T>
double Steps<T>::penalties(const Matrix<double>& w_gram, const Matrix<double>& h_gram) const {
  double sum = 0;
  for (Index a = 0; a < options_.rank; ++a) {
    sum += options_.alpha * w_gram(a, a);
    for (Index b = 0; b < options_.rank; ++b) sum += options_.beta * h_gram(a, b);
  }
  return sum;
}

template class Steps<float>;
template class Steps<double>;

}  // namespace copse
