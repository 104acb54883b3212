#include "copse/tree/rank2_nmf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/nnls/two_columns.h"
#include "copse/tree/constants.h"
#include "copse/tree/pair_rows.h"
#include "copse/tree/singular_rays.h"
#include "copse/tree/support.h"

namespace copse {
namespace {

constexpr int memory = extrapolated_iterates;

// 1 / |column|, or 0 for a column of zeros.
double inverse_norm(double squared) { return squared > 0 ? 1 / std::sqrt(squared) : 0; }

// Scales the columns of w to unit norm, given W'W; a column of zeros stays.
template <class T>
Matrix<T> unit_columns(const Matrix<T>& w, const PairGram& ww) {
  Matrix<T> scaled(w.rows(), 2);
  add_product(w, {inverse_norm(ww.a), 0, 0, inverse_norm(ww.c)}, scaled);
  return scaled;
}

// Uniform in [0, 1); one stream of random numbers per item.
template <class T>
Matrix<T> random_pairs(const NodeData<T>& x, std::uint64_t seed) {
  Matrix<T> h;
  h.reshape(x.items(), 2);
  const std::span<const RowIndex> numbers = x.numbers();
  parallel_blocks(h.rows(), pair_rows_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      Random random(seed, numbers.empty() ? static_cast<std::uint64_t>(j) : numbers[j]);
      for (T& entry : h.row(j)) entry = static_cast<T>(random.uniform());
    }
  });
  return h;
}

// What an alternation W -> G, where G = argmin |X - G H|, G >= 0 for the H of a sweep, finds on the way. The norms are
// those for unit columns of W: the gradient W H H' - X H' and X H' grow as a column of W shrinks.
struct Step {
  double gradient = 0;  // |projected gradient| at W
  double xh = 0;        // |X H'|
};

// Anderson's extrapolation of the fixed point W = g(W): of the last iterates, the combination sum a_i g_i, sum a_i = 1,
// with the least |sum a_i (g_i - w_i)|. A read gives g for W with columns of any length, and if a column of W is
// scaled, that of g is scaled alike. So nothing is scaled on the way, and two passes over the rows are all that it
// takes.
template <class T>
class Extrapolation {
 public:
  // The first pass: g(w) from the sweep at w. next() or back() must follow.
  Step add(const Sweep<T>& sweep, const Matrix<T>& w, const PairGram& ww) {
    fresh_ = count_ == 0 ? 0 : (newest_ + 1) % memory;
    Matrix<T>&g = images_[fresh_], &step = steps_[fresh_];
    g.reshape(w.rows(), 2);
    step.reshape(w.rows(), 2);
    const TwoColumns<T> solve(sweep.hh.a, sweep.hh.b, sweep.hh.c);
    const auto sums = sum_blocks(w.rows(), pair_rows_per_block, PairSums<7>{}, [&](Index begin, Index end) {
      std::array<const T*, memory> others{};
      for (int i = 0; i < memory; ++i) others[i] = (i < count_ ? steps_[i] : step).data() + 2 * begin;
      return alternate_rows<T>(sweep.xh.data() + 2 * begin, w.data() + 2 * begin, solve, static_cast<T>(sweep.hh.a),
                               static_cast<T>(sweep.hh.b), static_cast<T>(sweep.hh.c), others, end - begin,
                               {g.data() + 2 * begin, step.data() + 2 * begin});
    });
    for (int i = 0; i < memory; ++i) products_[i] = sums.values[4 + i];
    return {std::sqrt(sums.values[0] * ww.a + sums.values[1] * ww.c),
            std::sqrt(sums.values[2] * ww.a + sums.values[3] * ww.c)};
  }

  // The second pass: the next w, and its W'W.
  PairGram next(Matrix<T>& w) {
    const int before = newest_;
    newest_ = fresh_;
    count_ = std::min(count_ + 1, memory);
    for (int i = 0; i < count_; ++i) gram_[newest_][i] = gram_[i][newest_] = products_[i];
    const auto [ww, ahead] = write_sum(combine(), w);
    if (count_ == 1 || ahead >= 0) return ww;
    // Alternation approaches a minimum from one side, so the fixed point behind is a saddle point. Go on instead; the
    // way between two images is smoother than a step, and gets longer each time.
    std::array<double, memory> onwards{};
    onwards[newest_] = 1 + momentum, onwards[before] = -momentum;
    return write_sum(onwards, w).first;
  }

  // Instead of next(), where w is worse than the one before: w becomes that one's image, and all else is forgotten.
  PairGram back(Matrix<T>& w) {
    std::array<double, memory> newest{};
    newest[newest_] = 1;
    const PairGram ww = write_sum(newest, w).first;
    count_ = 0;
    return ww;
  }

  int count() const { return count_; }

 private:
  // w = max(0, sum of weights_i * images_i); W'W, and (w - g)'step for the newest g and step.
  std::pair<PairGram, double> write_sum(const std::array<double, memory>& weights, Matrix<T>& w) const {
    std::array<const T*, memory> images{};
    std::array<T, memory> factors{};
    for (int i = 0; i < memory; ++i) {
      images[i] = images_[std::min(i, count_ - 1)].data();
      factors[i] = static_cast<T>(weights[i]);
    }
    const auto sums = sum_blocks(w.rows(), pair_rows_per_block, PairSums<4>{}, [&](Index begin, Index end) {
      auto rows = images;
      for (const T*& row : rows) row += 2 * begin;
      return combine_rows<T>(rows, factors, images_[newest_].data() + 2 * begin, steps_[newest_].data() + 2 * begin,
                             end - begin, w.data() + 2 * begin);
    });
    return {{sums.values[0], sums.values[1], sums.values[2]}, sums.values[3]};
  }

  // min |f_new - sum_i y_i (f_new - f_i)|: normal equations of size count - 1 <= 2, a little regularised.
  std::array<double, memory> combine() const {
    std::array<int, memory - 1> others{};
    int size = 0;
    for (int i = 0; i < count_; ++i) {
      if (i != newest_) others[size++] = i;
    }
    const auto difference = [&](int i, int j) {
      return gram_[newest_][newest_] - gram_[newest_][i] - gram_[newest_][j] + gram_[i][j];
    };
    std::array<double, memory - 1> y{};
    if (size > 0) {
      double a = difference(others[0], others[0]);
      const double u = gram_[newest_][newest_] - gram_[newest_][others[0]];
      if (size == 1) {
        y[0] = a > 0 ? u / a : 0;
      } else {
        double c = difference(others[1], others[1]);
        const double b = difference(others[0], others[1]);
        const double ridge = 1e-8 * (a + c);
        a += ridge, c += ridge;
        const double v = gram_[newest_][newest_] - gram_[newest_][others[1]];
        const double determinant = a * c - b * b;
        if (determinant > 0) y = {(c * u - b * v) / determinant, (a * v - b * u) / determinant};
      }
    }
    std::array<double, memory> weight{};
    weight[newest_] = 1;
    for (int i = 0; i < size; ++i) {
      weight[others[i]] = y[i];
      weight[newest_] -= y[i];
    }
    return weight;
  }

  int count_ = 0;
  int newest_ = 0;
  int fresh_ = 0;  // what add() wrote and next() has not taken up yet
  std::array<Matrix<T>, memory> images_;
  std::array<Matrix<T>, memory> steps_;
  std::array<double, memory> products_{};  // of the fresh step with the others
  std::array<std::array<double, memory>, memory> gram_{};
};

// The alternation W -> argmin |X - W H(W)| with extrapolation.
template <class T>
class PairAlternation {
 public:
  PairAlternation(const NodeData<T>& x, Matrix<T> w) : x_(x), w_(std::move(w)), ww_(pair_gram(w_)) {}

  // One read at the starting W; it is the first of run(), too.
  const Sweep<T>& first_sweep() {
    read();
    has_swept_ = true;
    return sweep_;
  }

  // |projected gradient| at the starting W, after first_sweep().
  double first_gradient() { return extrapolation_.add(sweep_, w_, ww_).gradient; }

  // Until |projected gradient| <= tolerance * first; first = 0 takes the value at the start.
  StopReason run(double tolerance, double first, const Rank2Options& options) {
    // Below this the gradient is rounding error of X H'.
    constexpr double rounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());  // of the fit, relative
    constexpr double noise = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (;;) {
      check_time(x_, options.deadline);
      if (!std::exchange(has_swept_, false)) read();
      const Step step = extrapolation_.add(sweep_, w_, ww_);
      gradient_ = step.gradient;
      if (first == 0) first = gradient_;
      first_ = first;
      if (gradient_ <= std::max(tolerance * first, noise * step.xh)) return StopReason::converged;
      if (iterations_ >= options.max_iterations) return StopReason::max_iterations;
      if (extrapolation_.count() > 1 && sweep_.fitted < fitted_ * (1 - rounding)) {
        ww_ = extrapolation_.back(w_);
        continue;
      }
      fitted_ = sweep_.fitted;
      ww_ = extrapolation_.next(w_);
    }
  }

  const Matrix<T>& w() const { return w_; }
  const PairGram& ww() const { return ww_; }
  Sweep<T>& sweep() { return sweep_; }
  int iterations() const { return iterations_; }
  double first() const { return first_; }
  double ratio() const { return first_ > 0 ? gradient_ / first_ : 0; }

 private:
  void read() {
    x_.sweep(w_, ww_, sweep_);
    ++iterations_;
  }

  const NodeData<T>& x_;
  Matrix<T> w_;
  PairGram ww_;  // W'W
  Sweep<T> sweep_;
  Extrapolation<T> extrapolation_;
  int iterations_ = 0;
  bool has_swept_ = false;  // the sweep belongs to w_ already
  double first_ = 0, gradient_ = 0, fitted_ = -1;
};

// Where the alternation over all items begins.
template <class T>
struct StartingPoint {
  Matrix<T> w;
  double first = 0;         // the first value of |projected gradient|
  double entries_read = 0;  // of the data
};

// As [Kuang & Park 2013] do: W = argmin |X - W H| for a random H; unit columns.
template <class T>
Matrix<T> random_start(const NodeData<T>& x, std::uint64_t seed) {
  Sweep<T> sweep{.h = random_pairs(x, seed), .xh = {}, .hh = {}};
  x.spread(sweep);
  Extrapolation<T> alternation;
  alternation.add(sweep, sweep.xh, {});  // of G = argmin |X - G H| alone, whatever W is
  Matrix<T> w;
  w.reshape(sweep.xh.rows(), 2);
  const PairGram ww = alternation.next(w);
  return unit_columns(w, ww);
}

// What W of a sample says of all features. A feature that is zero in both columns would stay so, and with it items
// that have no others: none is quite zero.
template <class T>
Matrix<T> spread_rows(const Matrix<T>& found, std::span<const RowIndex> terms, Index rows) {
  const T least = static_cast<T>(least_row / std::sqrt(static_cast<double>(rows)));
  Matrix<T> w(rows, 2);
  std::ranges::fill(w.values(), least);
  for (Index i = 0; i < found.rows(); ++i) {
    if (found(i, 0) > least || found(i, 1) > least) std::ranges::copy(found.row(i), w.row(terms[i]).begin());
  }
  return w;
}

// How well a split tells the items apart, lower is better: the share of |W H|^2 that is lost when every item keeps its
// larger coefficient only, divided by the entropy of the two sides. A split that loses little because it sets little
// aside is no good: its larger side has all topics still, and each split that follows loses again.
template <class T>
double loss_of_split(const Sweep<T>& sweep, const PairGram& ww, std::span<const double> squared_norms) {
  if (!(ww.a > 0 && ww.c > 0 && sweep.fitted > 0)) return std::numeric_limits<double>::infinity();
  const double norm1 = std::sqrt(ww.a), norm2 = std::sqrt(ww.c), inner = ww.b / (norm1 * norm2);
  double kept = 0;
  std::array<double, 2> mass{};
  for (Index j = 0; j < sweep.h.rows(); ++j) {
    const double h1 = norm1 * static_cast<double>(sweep.h(j, 0)), h2 = norm2 * static_cast<double>(sweep.h(j, 1));
    mass[h2 > h1] += squared_norms[j];
    // w'x of the larger one, as h meets the KKT conditions.
    const double product = std::max(h1, h2) + inner * std::min(h1, h2);
    kept += product * product;
  }
  double entropy = 0;
  for (const double part : mass) {
    const double share = part / (mass[0] + mass[1]);
    if (share > 0) entropy -= share * std::log(share);
  }
  return entropy > 0 ? (1 - kept / sweep.fitted) / entropy : std::numeric_limits<double>::infinity();
}

// Most of the way is made on samples of the items. The first gradient is the random start's all the same: that after
// one alternation from random factors. A gradient is a sum over items, and so is that of a sample on average. A large
// node has several minima: there the random factors are a second start, and the better split goes on.
template <class T>
StartingPoint<T> singular_start(const NodeData<T>& x, const SampleStrides& strides, const Rank2Options& options) {
  const auto sample = strides.first > 1 ? x.sample(strides.first) : nullptr;
  if (sample && sample->items() == 0) return singular_start(x, {}, options);  // no item has an entry
  const NodeData<T>& part = sample ? *sample : x;
  const double entries = static_cast<double>(part.entries());

  // Always the same random numbers: this start has no seed.
  PairAlternation<T> random(part, random_start(part, 0));
  const Matrix<T>& space = random.first_sweep().xh;
  const double first = random.first_gradient();
  Matrix<T> rays = singular_rays(part, space);
  constexpr int reads = 2 + singular_rays_reads;
  if (!sample) return {std::move(rays), first, reads * entries};

  StartingPoint<T> start{.w = {}, .first = first, .entries_read = reads * entries};
  const auto run = [&](PairAlternation<T>& alternation, const NodeData<T>& items, double tolerance) {
    alternation.run(tolerance, first, options);
    start.entries_read += alternation.iterations() * static_cast<double>(items.entries());
    items.share_rows(alternation.sweep().h);
    return loss_of_split(alternation.sweep(), alternation.ww(), items.squared_norms());
  };
  const auto take = [&](const PairAlternation<T>& alternation, const NodeData<T>& items) {
    start.w = spread_rows(unit_columns(alternation.w(), alternation.ww()), items.terms(),
                          static_cast<Index>(x.terms().size()));
  };
  PairAlternation<T> singular(part, std::move(rays));
  const double loss = run(singular, part, coarse_tolerance);
  const bool is_better = x.items() < large_node || !(run(random, part, coarse_tolerance) < loss);
  take(is_better ? singular : random, part);
  if (strides.second == 1) return start;
  const auto finer = x.sample(strides.second);
  Matrix<T> w(static_cast<Index>(finer->terms().size()), 2);
  for (Index i = 0; i < w.rows(); ++i) std::ranges::copy(start.w.row(finer->terms()[i]), w.row(i).begin());
  PairAlternation<T> alternation(*finer, std::move(w));
  run(alternation, *finer, fine_tolerance);
  take(alternation, *finer);
  return start;
}

// The factors with unit columns of W, and H accordingly.
template <class T>
void write_factors(const NodeData<T>& x, PairAlternation<T>& from, Rank2Result<T>& result) {
  const PairGram ww = from.ww();
  result.fitted = from.sweep().fitted;
  result.w = unit_columns(from.w(), ww);
  result.inner = ww.b * inverse_norm(ww.a) * inverse_norm(ww.c);
  x.share_rows(from.sweep().h);
  result.h = Matrix<T>(from.sweep().h.rows(), 2);
  add_product(from.sweep().h, {std::sqrt(ww.a), 0, 0, std::sqrt(ww.c)}, result.h);
  result.projected_gradient_ratio = from.ratio();
}

}  // namespace

template <class T>
Rank2Result<T> rank2_nmf(const NodeData<T>& x, const Rank2Options& options) {
  StartingPoint<T> start;
  if (options.start == Rank2Start::random) {
    start.w = random_start(x, options.seed);
    start.entries_read = static_cast<double>(x.entries());
  } else {
    start = singular_start(x, sample_strides(x.items()), options);
  }
  const double entries = static_cast<double>(x.entries());
  Rank2Result<T> result;
  std::optional<Matrix<T>> w = std::move(start.w);
  for (int restarts = 0; w; ++restarts) {
    PairAlternation<T> all(x, std::move(*w));
    result.stop_reason = all.run(options.tolerance, start.first, options);
    start.first = all.first();
    result.iterations += all.iterations();
    write_factors(x, all, result);
    w.reset();
    if (restarts < max_restarts) w = supported_start(x, result, start.entries_read);
  }
  result.entries_read = start.entries_read + result.iterations * entries;
  return result;
}

template <class T>
Rank2Result<T> NodeData<T>::factorize(const Rank2Options& options) const {
  return rank2_nmf(*this, options);
}

#define COPSE_INSTANTIATE(T)                                                  \
  template Rank2Result<T> rank2_nmf(const NodeData<T>&, const Rank2Options&); \
  template Rank2Result<T> NodeData<T>::factorize(const Rank2Options&) const;
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
