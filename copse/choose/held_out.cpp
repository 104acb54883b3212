#include "copse/choose/held_out.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/choose/parts.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/assign.h"

namespace copse {
namespace {

constexpr Index held_out_rows_per_block = 32;
constexpr int sweeps = 3;  // over the coordinates of a row, for one product with the data
// Of what tells a coefficient, against all that would with nothing hidden. Where a component lies on one item or
// feature, its hidden entries would be foretold by next to nothing, and a few of them would outweigh all others: such a
// coefficient is 0.
constexpr double least_seen = 0.1;
constexpr std::size_t few_hidden = 16;  // entries of a row: fewer are taken out of its Gram matrix one by one
constexpr double hidden_per_nonzero = 4, enough_hidden = 1e6, enough_hidden_nonzeros = 1e5;
constexpr double first_tolerance = 1e-3;  // of the fit that the masked one starts from
constexpr double first_step = 0.5, step_growth = 1.05, largest_growth = 1.01, step_fall = 1.5;

// Hidden entries of each row, with their values.
struct Hidden {
  std::vector<Index> offsets{0};
  std::vector<Index> others;
  std::vector<double> values;
};

// Rows are items and `others` features, or the other way round.
Hidden turned(const Hidden& hidden, Index count) {
  Hidden result;
  std::vector<Index> next(static_cast<std::size_t>(count) + 1);
  for (const Index other : hidden.others) ++next[other + 1];
  for (Index i = 0; i < count; ++i) next[i + 1] += next[i];
  result.offsets = next;
  result.others.resize(hidden.others.size());
  result.values.resize(hidden.values.size());
  for (std::size_t row = 0; row + 1 < hidden.offsets.size(); ++row) {
    for (Index p = hidden.offsets[row]; p < hidden.offsets[row + 1]; ++p) {
      const Index place = next[hidden.others[p]]++;
      result.others[place] = static_cast<Index>(row);
      result.values[place] = hidden.values[p];
    }
  }
  return result;
}

void add_scaled(double factor, const double* from, Index count, double* to) {
  for (Index b = 0; b < count; ++b) to[b] += factor * from[b];
}

// One half of an iteration: rows of f for the other factor g, product = X0 g with the hidden entries of X0 zero.
// Columns from `frozen` on are constants. `penalty`, k x k, is that of a row f: f' penalty f. f changes in place.
void update_rows(const Matrix<double>& product, const Matrix<double>& g, const Hidden& hidden, Index frozen,
                 const Matrix<double>& penalty, Matrix<double>& f) {
  const Matrix<double> whole = gram(g);
  const Index k = g.cols();
  parallel_blocks(f.rows(), held_out_rows_per_block, [&](Index begin, Index end) {
    std::vector<double> own(static_cast<std::size_t>(k * k)), slope(static_cast<std::size_t>(k));
    std::vector<double> other(static_cast<std::size_t>(std::max(k, k * k)));
    GramScratch<double> scratch;
    for (Index j = begin; j < end; ++j) {
      std::ranges::copy(whole.values(), own.begin());
      const std::span others(hidden.others.data() + hidden.offsets[j],
                             static_cast<std::size_t>(hidden.offsets[j + 1] - hidden.offsets[j]));
      if (others.size() < few_hidden) {
        for (const Index i : others) {
          std::ranges::copy(g.row(i), other.begin());
          for (Index a = 0; a < k; ++a) {
            if (other[a] != 0) add_scaled(-other[a], other.data() + a, k - a, own.data() + a * k + a);
          }
        }
      } else {
        gram_of_some(g, others, scratch, other.data());
        for (Index a = 0; a < k; ++a) add_scaled(-1, other.data() + a * k + a, k - a, own.data() + a * k + a);
      }
      for (Index a = 0; a < k; ++a) {
        for (Index b = 0; b < a; ++b) own[a * k + b] = own[b * k + a];
      }
      add_scaled(1, penalty.data(), k * k, own.data());
      const auto coefficients = f.row(j);
      for (Index a = 0; a < k; ++a) slope[a] = -product(j, a);
      for (Index a = 0; a < k; ++a) {
        if (coefficients[a] != 0) add_scaled(coefficients[a], own.data() + a * k, k, slope.data());
      }
      for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (Index a = 0; a < frozen; ++a) {
          const double curvature = own[a * k + a];
          const double before = coefficients[a];
          const bool is_told = curvature - penalty(a, a) > least_seen * whole(a, a);
          coefficients[a] = is_told ? std::max(0.0, before - slope[a] / curvature) : 0;
          const double change = coefficients[a] - before;
          if (change != 0) add_scaled(change, own.data() + a * k, k, slope.data());
        }
      }
    }
  });
}

// f += step (f - before), not below 0, in the first `columns` columns.
void go_beyond(const Matrix<double>& before, double step, Index columns, Matrix<double>& f) {
  for (Index j = 0; j < f.rows(); ++j) {
    for (Index c = 0; c < columns; ++c) f(j, c) = std::max(0.0, f(j, c) + step * (f(j, c) - before(j, c)));
  }
}

// Sum of (x - w'h)^2 over the hidden entries, and of x^2 and (w'h)^2.
struct HiddenSums {
  double error = 0, square = 0, model = 0;
  HiddenSums& operator+=(const HiddenSums& other) {
    error += other.error;
    square += other.square;
    model += other.model;
    return *this;
  }
};
HiddenSums hidden_sums(const Hidden& hidden, const Matrix<double>& w, const Matrix<double>& h) {
  return sum_blocks(h.rows(), held_out_rows_per_block, HiddenSums{}, [&](Index begin, Index end) {
    HiddenSums sums;
    for (Index j = begin; j < end; ++j) {
      for (Index p = hidden.offsets[j]; p < hidden.offsets[j + 1]; ++p) {
        double model = 0;
        for (Index c = 0; c < w.cols(); ++c) model += w(hidden.others[p], c) * h(j, c);
        const double x = hidden.values[p];
        sums += {(x - model) * (x - model), x * x, model * model};
      }
    }
    return sums;
  });
}

// In double precision: where a model explains nearly all, what is left of X - W H drowns in the rounding of floats, and
// a fit would seem to be at rest.
template <class T>
Dataset<double> in_double(const Dataset<T>& data) {
  if (const auto* sparse = std::get_if<SparseMatrix<T>>(&data.values)) {
    SparseMatrix<double> copy{.rows = sparse->rows, .cols = sparse->cols, .offsets = sparse->offsets};
    copy.indices = sparse->indices;
    copy.values.assign(sparse->values.begin(), sparse->values.end());
    return {.values = std::move(copy)};
  }
  const auto& dense = std::get<Matrix<T>>(data.values);
  Matrix<double> copy(dense.rows(), dense.cols());
  std::ranges::copy(dense.values(), copy.values().begin());
  return {.values = std::move(copy)};
}

// X with the hidden entries zero, and these.
template <class T>
Dataset<T> without_hidden(const Dataset<T>& data, const Mask& mask, Hidden& hidden) {
  Dataset<T> seen{.values = data.values};
  std::vector<std::vector<std::pair<Index, double>>> found(static_cast<std::size_t>(data.items()));
  parallel_blocks(data.items(), held_out_rows_per_block, [&](Index begin, Index end) {
    std::vector<double> item(static_cast<std::size_t>(data.features()));
    for (Index j = begin; j < end; ++j) {
      std::ranges::fill(item, 0);
      visit_nonzeros(data, j, [&](Index i, T value) { item[i] = static_cast<double>(value); });
      for (Index i = 0; i < data.features(); ++i) {
        if (mask.hides(i, j)) found[j].emplace_back(i, item[i]);
      }
      if (auto* sparse = std::get_if<SparseMatrix<T>>(&seen.values)) {
        for (Index p = sparse->offsets[j]; p < sparse->offsets[j + 1]; ++p) {
          if (mask.hides(sparse->indices[p], j)) sparse->values[p] = 0;
        }
      } else {
        for (const auto& [i, value] : found[j]) std::get<Matrix<T>>(seen.values)(j, i) = 0;
      }
    }
  });
  for (const auto& entries : found) {
    for (const auto& [i, value] : entries) {
      hidden.others.push_back(i);
      hidden.values.push_back(value);
    }
    hidden.offsets.push_back(static_cast<Index>(hidden.others.size()));
  }
  return seen;
}

Matrix<double> with_column(const Matrix<double>& f, std::span<const double> column) {
  Matrix<double> wider(f.rows(), f.cols() + 1);
  for (Index i = 0; i < f.rows(); ++i) {
    std::ranges::copy(f.row(i), wider.row(i).begin());
    wider(i, f.cols()) = column[static_cast<std::size_t>(i)];
  }
  return wider;
}

template <class T>
Matrix<double> in_double(const Matrix<T>& f) {
  Matrix<double> copy(f.rows(), f.cols());
  std::ranges::copy(f.values(), copy.values().begin());
  return copy;
}

// NMF of X0, as if what is hidden were 0: a few per cent of the entries are wrong, so that little is left to do. No
// need for more than the precision of the data. Where there are penalties, the factors are at the scale at which they
// are the least.
template <class T>
void start_from_zeros(const Data<T>& x, const NmfOptions& options, Matrix<double>& w, Matrix<double>& h) {
  const NmfResult<T> found = factorize(x, {.rank = options.rank,
                                           .tolerance = first_tolerance,
                                           .seed = options.seed,
                                           .alpha = options.alpha,
                                           .beta = options.beta,
                                           .affine = options.affine});
  if (found.stop_reason == StopReason::interrupted) throw Cancelled();
  w = in_double(found.w);
  h = in_double(found.h);
  for (std::size_t c = 0; c < found.penalty.size(); ++c) {
    if (found.penalty[c] == 0) continue;  // a dead component
    const double norm = std::sqrt(options.beta) / found.penalty[c];
    const auto column = static_cast<Index>(c);
    for (Index i = 0; i < w.rows(); ++i) w(i, column) *= norm;
    for (Index j = 0; j < h.rows(); ++j) h(j, column) /= norm;
  }
  if (options.affine) w = with_column(w, std::vector<double>(found.baseline.begin(), found.baseline.end()));
  if (options.affine) h = with_column(h, std::vector<double>(static_cast<std::size_t>(h.rows()), 1.0));
}

// Of the first `free` of k coordinates: alpha |w|^2 of a row of W, or beta (1'h)^2 of one of H'.
Matrix<double> row_penalty(Index k, Index free, double alpha, double beta) {
  Matrix<double> penalty(k, k);
  for (Index a = 0; a < free; ++a) {
    for (Index b = 0; b < free; ++b) penalty(a, b) = beta + (a == b ? alpha : 0);
  }
  return penalty;
}

}  // namespace

double share_to_hide(double cells, double nonzeros, double most) {
  const double enough = std::max(enough_hidden / cells, nonzeros > 0 ? enough_hidden_nonzeros / nonzeros : 0);
  return std::max(std::min({most, hidden_per_nonzero * nonzeros / cells, enough}), 1 / cells);
}

bool Mask::hides(Index feature, Index item) const {
  // SplitMix64's finisher.
  std::uint64_t z = mixed_seed(seed, static_cast<std::uint64_t>(feature), static_cast<std::uint64_t>(item));
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53 < share;
}

template <class T>
struct HeldOut<T>::Parts {
  Dataset<T> seen;  // zero where entries are hidden
  Dataset<double> seen_in_double;
  Hidden by_item, by_feature;
  std::unique_ptr<Data<T>> first_x;  // of `seen`
  std::unique_ptr<Data<double>> x;   // of the same in double
};

template <class T>
HeldOut<T>::HeldOut(const Dataset<T>& data, const Mask& mask) {
  if (!(mask.share > 0 && mask.share < 1)) throw InvalidArgument("The hidden share must be between 0 and 1.");
  auto parts = std::make_unique<Parts>();
  parts->seen = without_hidden(data, mask, parts->by_item);
  parts->by_feature = turned(parts->by_item, data.features());
  parts->seen_in_double = in_double(parts->seen);
  parts->first_x = in_memory(parts->seen);
  parts->x = in_memory(parts->seen_in_double);
  parts_ = std::move(parts);
}

template <class T>
HeldOut<T>::~HeldOut() = default;

template <class T>
HeldOutError HeldOut<T>::error(const NmfOptions& options) const {
  const Data<double>& x = *parts_->x;
  const Hidden &by_item = parts_->by_item, &by_feature = parts_->by_feature;
  if (options.rank < 1 || options.rank > std::min(x.rows(), x.cols()))
    throw InvalidArgument("Hold-out needs at least one component and at most as many as items or features.");
  const double seen_square = x.squared_norm();

  // Affine: the last column of H' is 1 and stays, that of W is the baseline.
  const Index free = options.rank, k = options.rank + (options.affine ? 1 : 0);
  Matrix<double> w, h;
  start_from_zeros(*parts_->first_x, options, w, h);
  const Matrix<double> w_penalty = row_penalty(k, free, options.alpha, 0),
                       h_penalty = row_penalty(k, free, 0, options.beta);

  // The point from which the next update starts lies beyond the last two, as far as that goes well: components that
  // are alike take thousands of plain updates [Ang & Gillis 2019].
  HeldOutError result;
  HiddenSums hidden;
  Matrix<double> product, last_w = w, last_h = h, ahead_w = w;
  double previous = std::numeric_limits<double>::infinity(), objective = 0, step = first_step, largest_step = 1;
  for (result.iterations = 1; result.iterations <= options.max_iterations; ++result.iterations) {
    check_cancelled();
    x.transpose_times(ahead_w, product);
    update_rows(product, ahead_w, by_item, free, h_penalty, h);
    const Matrix<double> updated_h = h;
    go_beyond(last_h, step, free, h);
    x.times(h, product);
    w = ahead_w;
    update_rows(product, h, by_feature, k, w_penalty, w);
    // |X0 - W H|^2 over all cells counts (W H)^2 of the hidden ones too.
    hidden = hidden_sums(by_item, w, h);
    const double cross = dot(product, w);
    const Matrix<double> gw = gram(w), gh = gram(h);
    const double error = seen_square - 2 * cross + dot(gw, gh) - hidden.model;
    result.seen = seen_square > 0 ? std::max(0.0, error) / seen_square : 0;
    const double penalties = dot(gw, w_penalty) + dot(gh, h_penalty);
    objective = result.seen + (seen_square > 0 ? penalties / seen_square : 0);
    const bool fell = objective < previous;
    if (step == 0 && previous - objective <= options.tolerance * objective) break;
    ahead_w = w;
    if (fell && previous - objective > options.tolerance * objective) {
      go_beyond(last_w, step, k, ahead_w);
      largest_step = std::min(1.0, largest_step * largest_growth);
      step = std::min(largest_step, std::max(step, first_step) * step_growth);
    } else {
      // Too far, or at rest: the next update is a plain one, and tells.
      largest_step = std::max(first_step, step / step_fall);
      step = 0;
      h = updated_h;
    }
    last_w = w;
    last_h = updated_h;
    previous = objective;
  }
  result.hidden = hidden.square > 0 ? hidden.error / hidden.square : std::numeric_limits<double>::quiet_NaN();
  return result;
}

template <class T>
double bi_cross_validation(const Dataset<T>& data, std::uint64_t split_seed, const NmfOptions& options) {
  const auto halves = [&](const Dataset<T>& whole, std::uint64_t seed) {
    const auto keys = item_keys(whole);
    std::array<std::vector<Index>, 2> parts;
    parts[0] = draw_items(keys, 0.5, seed);
    parts[1] = other_items(parts[0], whole.items());
    return parts;
  };
  const auto items = halves(data, mixed_seed(split_seed, 1));
  const Dataset<T> by_feature = transposed(data);
  const auto features = halves(by_feature, mixed_seed(split_seed, 2));
  // block[a][b]: features of part a, items of part b; and the same turned, with features as items.
  std::array<std::array<Dataset<T>, 2>, 2> block, block_turned;
  for (int a = 0; a < 2; ++a) {
    const Dataset<T> rows = transposed(part_of<T>(by_feature, features[a]));
    for (int b = 0; b < 2; ++b) {
      block[a][b] = part_of<T>(rows, items[b]);
      block_turned[a][b] = transposed(block[a][b]);
    }
  }
  double error = 0, square = 0;
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      // A = block[a][b], D the block that shares nothing with it.
      const NmfResult<T> d = factorize(*in_memory(block[1 - a][1 - b]), options);
      const Matrix<T> h_a = assign_items<T>(*in_memory(block[1 - a][b]), d.w);         // items of A x k
      const Matrix<T> w_a = assign_items<T>(*in_memory(block_turned[a][1 - b]), d.h);  // features of A x k
      const auto x = in_memory(block[a][b]);
      Matrix<T> product;
      x->times(h_a, product);
      const double own = x->squared_norm();
      error += own - 2 * dot(product, w_a) + dot(gram(w_a), gram(h_a));
      square += own;
    }
  }
  return square > 0 ? std::max(0.0, error) / square : std::numeric_limits<double>::quiet_NaN();
}

#define COPSE_INSTANTIATE(T) \
  template class HeldOut<T>; \
  template double bi_cross_validation(const Dataset<T>&, std::uint64_t, const NmfOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
