#include "copse/nmf/start.h"

#include <algorithm>
#include <cmath>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/gram.h"
#include "copse/nmf/scaled_data.h"
#include "copse/nmf/singular.h"

namespace copse {
namespace {

constexpr Index start_rows_per_block = 512;
// The stream of the first row. H draws from streams far away from those of W.
template <class T>
std::uint64_t stream_of_w(const Data<T>& x) {
  return static_cast<std::uint64_t>(x.whole().first_row);
}
template <class T>
std::uint64_t stream_of_h(const Data<T>& x) {
  return (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(x.whole().first_col);
}

// Calls write(value, random) for every entry, row by row.
template <class T, class Write>
void for_each_entry(Matrix<T>& f, std::uint64_t seed, std::uint64_t first_stream, const Write& write) {
  parallel_blocks(f.rows(), start_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Random random(seed, first_stream + static_cast<std::uint64_t>(i));
      for (T& value : f.row(i)) write(value, random);
    }
  });
}

template <class T>
void scale(Matrix<T>& f, double factor) {
  for (T& value : f.values()) value = static_cast<T>(value * factor);
}

// The mean entry of X, from X 1.
template <class T>
double mean_entry(const Data<T>& x) {
  Matrix<T> ones(x.cols(), 1);
  std::fill(ones.values().begin(), ones.values().end(), T(1));
  Matrix<T> sums;
  x.times(ones, sums);
  double total = 0;
  for (const T value : sums.values()) total += value;
  x.sum({&total, 1});
  return total / (static_cast<double>(x.whole().rows) * static_cast<double>(x.whole().cols));
}

// The parts of a singular vector: positive entries, and negative entries with their sign turned.
struct PartNorms {
  double positive = 0;
  double negative = 0;
  PartNorms& operator+=(const PartNorms& other) {
    positive += other.positive;
    negative += other.negative;
    return *this;
  }
};

template <class T>
PartNorms part_norms(const Data<T>& x, const Matrix<T>& f, Index c) {
  PartNorms squares = sum_blocks(f.rows(), start_rows_per_block, PartNorms{}, [&](Index begin, Index end) {
    PartNorms part;
    for (Index i = begin; i < end; ++i) {
      const double value = f(i, c);
      (value > 0 ? part.positive : part.negative) += value * value;
    }
    return part;
  });
  double values[2] = {squares.positive, squares.negative};
  x.sum(values);
  return {std::sqrt(values[0]), std::sqrt(values[1])};
}

// Column c becomes factor times the part with the given sign.
template <class T>
void keep_part(Matrix<T>& f, Index c, double sign, double factor) {
  for (Index i = 0; i < f.rows(); ++i) f(i, c) = static_cast<T>(std::max(0.0, sign * f(i, c)) * factor);
}

}  // namespace

bool starts_from_sample(const NmfOptions& options) {
  return options.start == Start::sample || (options.start == Start::automatic && options.solver == Solver::hals);
}

template <class T>
Factors<T> random_start(const Data<T>& x, Index rank, std::uint64_t seed) {
  Factors<T> start{Matrix<T>(x.rows(), rank), Matrix<T>(x.cols(), rank)};
  const auto uniform = [](T& value, Random& random) { value = static_cast<T>((random.bits() + 0.5) * 0x1p-32); };
  for_each_entry(start.w, seed, stream_of_w(x), uniform);
  for_each_entry(start.h, seed, stream_of_h(x), uniform);
  // |W H|^2 = <W'W, H H'>.
  const double fitted = dot(global_gram(x, start.w), global_gram(x, start.h));
  const int exponent = exponent_of_norm(x);
  const int apart = exponent == 0 ? 1 : exponent;  // |X|^2 itself is added up in another order
  const double square = std::ldexp(x.squared_norm_over(apart), 2 * (apart - exponent));
  const double factor = std::sqrt(std::sqrt(square / fitted));
  scale(start.w, factor);
  scale(start.h, std::ldexp(factor, exponent));
  return start;
}

template <class T>
Factors<T> singular_start(const Data<T>& x, Index rank, Start kind, std::uint64_t seed, int power_iterations) {
  SingularTriplets<T> triplets = leading_singular_triplets(x, rank, seed, power_iterations);
  Factors<T> start{std::move(triplets.u), std::move(triplets.v)};
  const int exponent = exponent_of_norm(x);
  for (Index c = 0; c < rank; ++c) {
    // The leading pair has one sign (Perron-Frobenius), up to round-off, which the same rule takes away.
    const PartNorms u = part_norms(x, start.w, c);
    const PartNorms v = part_norms(x, start.h, c);
    const bool positive = u.positive * v.positive >= u.negative * v.negative;
    const double sign = positive ? 1 : -1;
    const double u_norm = positive ? u.positive : u.negative;
    const double v_norm = positive ? v.positive : v.negative;
    const double product = triplets.weights[static_cast<std::size_t>(c)] * u_norm * v_norm;
    const double weight = std::sqrt(std::ldexp(product, -exponent));
    keep_part(start.w, c, sign, u_norm > 0 ? weight / u_norm : 0.0);
    keep_part(start.h, c, sign, v_norm > 0 ? std::ldexp(weight, exponent) / v_norm : 0.0);
  }
  if (kind == Start::nndsvd) return start;

  const double mean = mean_entry(x);
  const auto fill_with = [&](double most) {
    return [kind, most](T& value, Random& random) {
      if (value > 0) return;
      value = static_cast<T>(kind == Start::nndsvda ? most : most * random.uniform() / 100);
    };
  };
  for_each_entry(start.w, seed, stream_of_w(x), fill_with(std::ldexp(mean, -exponent)));
  for_each_entry(start.h, seed, stream_of_h(x), fill_with(mean));
  return start;
}

template <class T>
void append_baseline(const Data<T>& x, Factors<T>& factors) {
  Matrix<T> ones(x.cols(), 1);
  std::fill(ones.values().begin(), ones.values().end(), T(1));
  Matrix<T> sums;
  x.times(ones, sums);
  scale(sums, 0.5 / static_cast<double>(x.whole().cols));
  append_columns(factors.w, sums);
  append_columns(factors.h, ones);
}

template <class T>
Factors<T> plain_start(const Data<T>& x, const NmfOptions& options, std::uint64_t seed) {
  const bool singular =
      options.start == Start::nndsvd || options.start == Start::nndsvda || options.start == Start::nndsvdar;
  Factors<T> start =
      singular ? singular_start(x, options.rank, options.start, seed) : random_start(x, options.rank, seed);
  if (options.affine) append_baseline(x, start);
  return start;
}

#define COPSE_INSTANTIATE(T)                                                            \
  template Factors<T> random_start(const Data<T>&, Index, std::uint64_t);               \
  template Factors<T> singular_start(const Data<T>&, Index, Start, std::uint64_t, int); \
  template Factors<T> plain_start(const Data<T>&, const NmfOptions&, std::uint64_t);    \
  template void append_baseline(const Data<T>&, Factors<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
