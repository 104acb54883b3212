#include "copse/tree/rank2_nmf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/nnls/two_columns.h"
#include "copse/tree/pair_kernels.h"
#include "copse/tree/singular_rays.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 16384;
constexpr int memory = 3;               // iterates that an extrapolation combines
constexpr int momentum = 2;             // ways more to go from a saddle point
constexpr Index items_in_sample = 500;  // at least
constexpr Index max_stride = 32;
constexpr Index coarse_stride = 16;  // from here on a second, finer sample follows
constexpr Index refinement = 4;
constexpr double coarse_tolerance = 5e-2;
constexpr double fine_tolerance = 1e-2;

// Scales the two columns of f to unit norm, given their squared norms; a column of zeros stays.
template <class T>
void scale_columns(Matrix<T>& f, double squared1, double squared2) {
  const T s1 = squared1 > 0 ? static_cast<T>(1 / std::sqrt(squared1)) : T(0);
  const T s2 = squared2 > 0 ? static_cast<T>(1 / std::sqrt(squared2)) : T(0);
  parallel_blocks(f.rows(), rows_per_block,
                  [&](Index begin, Index end) { scale_rows(s1, s2, end - begin, f.data() + 2 * begin); });
}

// Uniform in [0, 1), then scaled to unit columns; one stream of random numbers per block of rows.
template <class T>
Matrix<T> random_pairs(Index rows, std::uint64_t seed) {
  Matrix<T> w;
  w.reshape(rows, 2);
  const auto squares = sum_blocks(rows, rows_per_block, PairSums<2>{}, [&](Index begin, Index end) {
    Random random(seed, static_cast<std::uint64_t>(begin / rows_per_block));
    PairSums<2> part;
    for (Index e = 2 * begin; e < 2 * end; ++e) {
      const double value = random.uniform();
      w.data()[e] = static_cast<T>(value);
      part.values[e % 2] += value * value;
    }
    return part;
  });
  scale_columns(w, squares.values[0], squares.values[1]);
  return w;
}

struct Step {
  double squared_gradient = 0;  // of the projected gradient at w
  double squared_xh = 0;        // |X H'|^2
};

// g = argmin |X - G H|, G >= 0, with unit columns, and the projected gradient W H H' - X H' at w.
template <class T>
Step alternate(const Sweep<T>& sweep, const Matrix<T>& w, Matrix<T>& g) {
  const TwoColumns<T> solve(sweep.a, sweep.b, sweep.c);
  g.reshape(w.rows(), 2);
  const auto sums = sum_blocks(w.rows(), rows_per_block, PairSums<4>{}, [&](Index begin, Index end) {
    return solve_rows<T>(sweep.xh.data() + 2 * begin, w.data() + 2 * begin, solve, static_cast<T>(sweep.a),
                         static_cast<T>(sweep.b), static_cast<T>(sweep.c), end - begin, g.data() + 2 * begin);
  });
  scale_columns(g, sums.values[0], sums.values[1]);
  return {sums.values[2], sums.values[3]};
}

// Anderson's extrapolation of the fixed point W = g(W): of the last iterates, the combination sum a_i g_i, sum a_i = 1,
// with the least |sum a_i (g_i - w_i)|.
template <class T>
class Extrapolation {
 public:
  void restart() { count_ = 0; }

  // Adds the pair (w, g) and writes the next w.
  void next(const Matrix<T>& g, Matrix<T>& w) {
    const int before = newest_, newest = add(g, w);
    if (count_ == 1) {
      w = images_[newest];
      return;
    }
    std::array<const T*, memory> images{};
    for (int i = 0; i < memory; ++i) images[i] = images_[std::min(i, count_ - 1)].data();
    auto squares = write_sum(images, combine(newest), w);
    if (goes_back(newest, w)) {
      // Alternation approaches a minimum from one side, so the fixed point behind is a saddle point. Go on instead; the
      // way between two images is smoother than a step, and gets longer each time.
      const T* last = images_[before].data();
      squares = write_sum({images_[newest].data(), last, last}, {1 + momentum, -momentum, 0}, w);
    }
    scale_columns(w, squares.values[0], squares.values[1]);
  }

  const Matrix<T>& newest_image() const { return images_[newest_]; }
  int count() const { return count_; }

 private:
  int add(const Matrix<T>& g, const Matrix<T>& w) {
    newest_ = count_ < memory ? count_ : (newest_ + 1) % memory;
    count_ = std::min(count_ + 1, memory);
    images_[newest_] = g;
    Matrix<T>& step = steps_[newest_];
    step.reshape(w.rows(), 2);
    const auto products = sum_blocks(w.rows(), rows_per_block, PairSums<memory>{}, [&](Index begin, Index end) {
      std::array<const T*, memory> others{};
      for (int i = 0; i < memory; ++i) others[i] = steps_[std::min(i, count_ - 1)].data() + 2 * begin;
      return step_rows<T>(g.data() + 2 * begin, w.data() + 2 * begin, others, end - begin, step.data() + 2 * begin);
    });
    for (int i = 0; i < count_; ++i) gram_[newest_][i] = gram_[i][newest_] = products.values[i];
    return newest_;
  }

  static PairSums<2> write_sum(const std::array<const T*, memory>& arrays, const std::array<T, memory>& weights,
                               Matrix<T>& w) {
    return sum_blocks(w.rows(), rows_per_block, PairSums<2>{}, [&](Index begin, Index end) {
      auto rows = arrays;
      for (const T*& row : rows) row += 2 * begin;
      return combine_rows<T>(rows, weights, end - begin, w.data() + 2 * begin);
    });
  }

  // Whether w is behind the newest image, seen in the direction of the newest step.
  bool goes_back(int newest, const Matrix<T>& w) {
    way_.reshape(w.rows(), 2);
    const auto products = sum_blocks(w.rows(), rows_per_block, PairSums<memory>{}, [&](Index begin, Index end) {
      const T* step = steps_[newest].data() + 2 * begin;
      return step_rows<T>(w.data() + 2 * begin, images_[newest].data() + 2 * begin, {step, step, step}, end - begin,
                          way_.data() + 2 * begin);
    });
    return products.values[0] < 0;
  }

  // min |f_new - sum_i y_i (f_new - f_i)|: normal equations of size count - 1 <= 2, a little regularised.
  std::array<T, memory> combine(int newest) const {
    std::array<int, memory - 1> others{};
    int size = 0;
    for (int i = 0; i < count_; ++i) {
      if (i != newest) others[size++] = i;
    }
    const auto difference = [&](int i, int j) {
      return gram_[newest][newest] - gram_[newest][i] - gram_[newest][j] + gram_[i][j];
    };
    std::array<double, memory - 1> y{};
    double a = difference(others[0], others[0]);
    const double u = gram_[newest][newest] - gram_[newest][others[0]];
    if (size == 1) {
      y[0] = a > 0 ? u / a : 0;
    } else {
      double c = difference(others[1], others[1]);
      const double b = difference(others[0], others[1]);
      const double ridge = 1e-8 * (a + c);
      a += ridge, c += ridge;
      const double v = gram_[newest][newest] - gram_[newest][others[1]];
      const double determinant = a * c - b * b;
      if (determinant > 0) y = {(c * u - b * v) / determinant, (a * v - b * u) / determinant};
    }
    std::array<T, memory> weight{};
    double rest = 1;
    for (int i = 0; i < size; ++i) {
      weight[others[i]] = static_cast<T>(y[i]);
      rest -= y[i];
    }
    weight[newest] = static_cast<T>(rest);
    return weight;
  }

  int count_ = 0;
  int newest_ = 0;
  std::array<Matrix<T>, memory> images_;
  std::array<Matrix<T>, memory> steps_;
  Matrix<T> way_;
  std::array<std::array<double, memory>, memory> gram_{};
};

// The alternation W -> argmin |X - W H(W)| with extrapolation.
template <class T>
class Alternation {
 public:
  Alternation(const NodeData<T>& x, Matrix<T> w) : x_(x), w_(std::move(w)) {}

  // |W H|^2 of the starting W. This read is the first of run().
  double fitted_at_start() {
    x_.sweep(w_, sweep_);
    ++iterations_;
    has_swept_ = true;
    return sweep_.fitted;
  }

  // Until |projected gradient| <= tolerance * first; first = 0 takes the value at the start.
  StopReason run(double tolerance, double first, int max_iterations) {
    // Below this the gradient is rounding error of X H'.
    constexpr double rounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());  // of the fit, relative
    constexpr double noise = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (;;) {
      check_cancelled();
      if (!std::exchange(has_swept_, false)) {
        x_.sweep(w_, sweep_);
        ++iterations_;
      }
      const Step step = alternate(sweep_, w_, g_);
      gradient_ = std::sqrt(step.squared_gradient);
      if (first == 0) first = gradient_;
      first_ = first;
      if (gradient_ <= std::max(tolerance * first, noise * std::sqrt(step.squared_xh))) return StopReason::converged;
      if (iterations_ >= max_iterations) return StopReason::max_iterations;
      if (extrapolation_.count() > 1 && sweep_.fitted < fitted_ * (1 - rounding)) {
        // The extrapolated point is worse than the one before: fall back to that one's plain step.
        w_ = extrapolation_.newest_image();
        extrapolation_.restart();
        continue;
      }
      fitted_ = sweep_.fitted;
      extrapolation_.next(g_, w_);
    }
  }

  Matrix<T>& w() { return w_; }
  Sweep<T>& sweep() { return sweep_; }
  int iterations() const { return iterations_; }
  double ratio() const { return first_ > 0 ? gradient_ / first_ : 0; }

 private:
  const NodeData<T>& x_;
  Matrix<T> w_, g_;
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
  // The two largest squared singular values, their sum as far as known, and whether a sample told.
  double two_leading = std::numeric_limits<double>::infinity();
  bool from_sample = false;
};

// As the seeds do: one alternation from random factors; the first gradient is the one after it.
template <class T>
StartingPoint<T> random_start(const NodeData<T>& x, std::uint64_t seed) {
  StartingPoint<T> start{.w = {}, .first = 0, .entries_read = static_cast<double>(x.entries())};
  Sweep<T> sweep{.h = random_pairs<T>(x.items(), seed), .xh = {}};
  x.spread(sweep);
  alternate(sweep, sweep.xh, start.w);
  return start;
}

// Most of the way is made on samples of the items. The first gradient is the seeds' all the same: that after one
// alternation from random factors, scaled from the sample to all items, since a gradient is a sum over items.
template <class T>
StartingPoint<T> singular_start(const NodeData<T>& x, Index stride, const Rank2Options& options) {
  const auto sample = stride > 1 ? x.sample(stride) : nullptr;
  const NodeData<T>& part = sample ? *sample : x;
  const double entries = static_cast<double>(part.entries());

  // Always the same random numbers: this start has no seed.
  Sweep<T> sweep{.h = random_pairs<T>(part.items(), 0), .xh = {}};
  part.spread(sweep);
  if (sample && std::ranges::all_of(sweep.xh.values(), [](T value) { return value == 0; }))
    return singular_start(x, 1, options);  // a sample of empty items tells nothing
  Matrix<T> random, g;
  alternate(sweep, sweep.xh, random);
  part.sweep(random, sweep);
  const double first = std::sqrt(alternate(sweep, random, g).squared_gradient);
  SingularRays<T> rays = singular_rays(part, sweep.xh);
  // Of a sample the noise is larger, and with it the estimate.
  const double two_leading = rays.two_leading * static_cast<double>(stride);
  constexpr int reads = 2 + singular_rays_reads;
  if (two_leading < options.least_fitted) return {{}, 0, reads * entries, two_leading, stride > 1};
  if (!sample) return {std::move(rays.w), first, reads * entries, two_leading, false};

  StartingPoint<T> start{.w = {},
                         .first = first * static_cast<double>(stride),
                         .entries_read = reads * entries,
                         .two_leading = two_leading,
                         .from_sample = true};
  const auto alternate_on = [&](const NodeData<T>& items, Index every, Matrix<T> w, double tolerance) {
    Alternation<T> alternation(items, std::move(w));
    alternation.run(tolerance, start.first / static_cast<double>(every), options.max_iterations);
    start.entries_read += alternation.iterations() * static_cast<double>(items.entries());
    start.w = Matrix<T>(static_cast<Index>(x.terms().size()), 2);
    for (Index i = 0; i < alternation.w().rows(); ++i)
      std::ranges::copy(alternation.w().row(i), start.w.row(items.terms()[i]).begin());
  };
  alternate_on(part, stride, std::move(rays.w), coarse_tolerance);
  if (stride < coarse_stride) return start;
  const auto finer = x.sample(stride / refinement);
  Matrix<T> w(static_cast<Index>(finer->terms().size()), 2);
  for (Index i = 0; i < w.rows(); ++i) std::ranges::copy(start.w.row(finer->terms()[i]), w.row(i).begin());
  alternate_on(*finer, stride / refinement, std::move(w), fine_tolerance);
  return start;
}

}  // namespace

template <class T>
Rank2Result<T> rank2_nmf(const NodeData<T>& x, const Rank2Options& options) {
  StartingPoint<T> start =
      options.start == Rank2Start::random
          ? random_start(x, options.seed)
          : singular_start(x, std::clamp<Index>(x.items() / items_in_sample, 1, max_stride), options);
  const double entries = static_cast<double>(x.entries());
  Rank2Result<T> result;
  const auto give_up = [&] {
    result.given_up = true;
    result.fitted = start.two_leading;
    result.entries_read = start.entries_read;
    return result;
  };
  if (start.two_leading < options.least_fitted) return give_up();
  Alternation<T> all(x, std::move(start.w));
  if (start.from_sample && options.least_fitted > 0 && all.fitted_at_start() < options.least_fitted) {
    start.two_leading = two_leading(x, all.w());
    start.entries_read += two_leading_reads * entries;
    if (start.two_leading < options.least_fitted) {
      start.entries_read += entries;
      return give_up();
    }
  }
  result.stop_reason = all.run(options.tolerance, start.first, options.max_iterations);
  result.iterations = all.iterations();
  result.entries_read = start.entries_read + all.iterations() * entries;
  result.projected_gradient_ratio = all.ratio();
  result.fitted = all.sweep().fitted;
  result.h = std::move(all.sweep().h);
  result.w = std::move(all.w());
  for (Index i = 0; i < result.w.rows(); ++i)
    result.inner += static_cast<double>(result.w(i, 0)) * static_cast<double>(result.w(i, 1));
  return result;
}

template Rank2Result<float> rank2_nmf(const NodeData<float>&, const Rank2Options&);
template Rank2Result<double> rank2_nmf(const NodeData<double>&, const Rank2Options&);

}  // namespace copse
