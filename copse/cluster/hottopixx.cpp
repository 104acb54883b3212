#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/base/stopwatch.h"
#include "copse/cluster/separable.h"
#include "copse/cluster/separable_fit.h"
#include "copse/nmf/stop_after.h"

namespace copse {
namespace {

// Rows of C that go through the gradients side by side: each depends on itself alone, so the order of threads does not
// matter, and one read of the data serves all of a tile.
constexpr Index tile_rows = 16;

using Lane = std::array<float, tile_rows>;

// The candidates are the columns of x that are not zero, each divided by its sum; `features` has them feature by
// feature: column r lists the candidates that have feature r.
struct Candidates {
  std::vector<Index> column;      // of x
  std::vector<Index> twin;        // the first candidate that equals this one
  SparseMatrix<double> features;  // candidates x features
  std::vector<float> uses;        // 1 / (features of each candidate)
};

// For every column the first one that equals it up to rounding, of float too: their directions agree to 1e-6.
std::vector<Index> first_of_equals(const SparseMatrix<double>& x) {
  const auto entries = [&](Index j) {
    return std::pair(std::span(x.indices).subspan(x.offsets[j], x.offsets[j + 1] - x.offsets[j]),
                     std::span(x.values).subspan(x.offsets[j], x.offsets[j + 1] - x.offsets[j]));
  };
  std::map<std::vector<RowIndex>, std::vector<Index>> by_rows;  // columns with entries in the same rows
  std::vector<Index> first(static_cast<std::size_t>(x.cols));
  for (Index j = 0; j < x.cols; ++j) {
    first[j] = j;
    const auto [rows, values] = entries(j);
    std::vector<Index>& alike = by_rows[{rows.begin(), rows.end()}];
    for (const Index other : alike) {
      const auto others = entries(other).second;
      double apart = 0;
      for (std::size_t e = 0; e < values.size(); ++e) apart += std::abs(values[e] - others[e]);
      if (apart > 1e-6) continue;
      first[j] = other;
      break;
    }
    if (first[j] == j) alike.push_back(j);
  }
  return first;
}

Candidates candidates_of(const Columns& columns) {
  Candidates candidates;
  for (Index j = 0; j < columns.count(); ++j) {
    if (columns.sums[j] > 0) candidates.column.push_back(j);
  }
  SparseMatrix<double> chosen = select_columns<double>(columns.x, candidates.column);
  for (Index i = 0; i < chosen.cols; ++i) {
    const double sum = columns.sums[candidates.column[i]];
    for (Index p = chosen.offsets[i]; p < chosen.offsets[i + 1]; ++p) chosen.values[p] /= sum;
    candidates.uses.push_back(1 / static_cast<float>(chosen.offsets[i + 1] - chosen.offsets[i]));
  }
  candidates.twin = first_of_equals(chosen);
  candidates.features = transpose<double>(chosen);
  return candidates;
}

class Descent {
 public:
  Descent(const Candidates& candidates, const SeparableOptions& options)
      : features_(candidates.features),
        uses_(candidates.uses),
        options_(options),
        f_(features_.rows),
        tiles_((f_ + tile_rows - 1) / tile_rows),
        c_(static_cast<std::size_t>(tiles_ * f_)),
        cost_(static_cast<std::size_t>(f_)) {
    for (Lane& lane : c_) lane.fill(0);
    // Distinct, and small beside the errors that they choose among.
    for (Index i = 0; i < f_; ++i) {
      Random random(options.seed, static_cast<std::uint64_t>(i));
      cost_[i] = static_cast<float>(0.01 * random.uniform());
    }
  }

  // One pass over all features, in random order; returns the mean of |x_i - (C X)_i|_1 over the candidates.
  double epoch(int number) {
    const float step = static_cast<float>(options_.primal_step * std::pow(options_.decay, number));
    std::vector<Index> order(static_cast<std::size_t>(features_.cols));
    std::iota(order.begin(), order.end(), Index(0));
    Random random(options_.seed, (std::uint64_t(1) << 40) + static_cast<std::uint64_t>(number));
    for (std::size_t e = order.size(); e > 1; --e) {
      std::swap(order[e - 1], order[static_cast<std::size_t>(random.below(static_cast<Index>(e)))]);
    }
    const double error = sum_blocks(tiles_, 1, 0.0, [&](Index tile, Index) {
      double sum = 0;
      for (const Index r : order) sum += update(tile, r, step);
      return sum;
    });
    project();
    double trace = 0;
    for (Index i = 0; i < f_; ++i) trace += static_cast<double>(diagonal(i));
    beta_ += static_cast<float>(options_.dual_step * std::pow(options_.decay, number) *
                                (trace - static_cast<double>(std::min(options_.anchors, f_))));
    return error / static_cast<double>(f_);
  }

  float diagonal(Index i) const { return entry(i, i); }

 private:
  float& entry(Index i, Index j) { return c_[(i / tile_rows) * f_ + j][i % tile_rows]; }
  const float& entry(Index i, Index j) const { return c_[(i / tile_rows) * f_ + j][i % tile_rows]; }

  // C += step (sign(x_r - C x_r) x_r' - diag(uses (cost + beta)) on the candidates that have feature r).
  double update(Index tile, Index r, float step) {
    Lane* const c = c_.data() + tile * f_;
    const Index begin = features_.offsets[r];
    const Index end = features_.offsets[r + 1];
    Lane left{};
    for (Index p = begin; p < end; ++p) {
      const Lane& from = c[features_.indices[p]];
      const auto value = static_cast<float>(features_.values[p]);
      for (Index l = 0; l < tile_rows; ++l) left[l] -= value * from[l];
    }
    const auto first = features_.indices.begin() + begin;
    const auto last = features_.indices.begin() + end;
    const auto mine = std::lower_bound(first, last, static_cast<RowIndex>(tile * tile_rows));
    for (auto own = mine; own != last && static_cast<Index>(*own) < (tile + 1) * tile_rows; ++own) {
      const Index lane = static_cast<Index>(*own) - tile * tile_rows;
      left[lane] += static_cast<float>(features_.values[begin + (own - first)]);
    }
    double error = 0;
    for (Index l = 0; l < tile_rows; ++l) {
      error += std::abs(static_cast<double>(left[l]));
      left[l] = left[l] > 0 ? step : left[l] < 0 ? -step : 0;
    }
    for (Index p = begin; p < end; ++p) {
      Lane& to = c[features_.indices[p]];
      const auto value = static_cast<float>(features_.values[p]);
      for (Index l = 0; l < tile_rows; ++l) to[l] += value * left[l];
    }
    for (auto own = mine; own != last && static_cast<Index>(*own) < (tile + 1) * tile_rows; ++own) {
      const Index i = *own;
      entry(i, i) -= step * uses_[i] * (cost_[i] + beta_);
    }
    return error;
  }

  void project() {
    parallel_blocks(f_, 16, [&](Index begin, Index end) {
      std::vector<float> column(static_cast<std::size_t>(f_));
      for (Index j = begin; j < end; ++j) {
        for (Index i = 0; i < f_; ++i) column[i] = entry(i, j);
        squash(column, j);
        for (Index i = 0; i < f_; ++i) entry(i, j) = column[i];
      }
    });
  }

  const SparseMatrix<double>& features_;
  const std::vector<float>& uses_;
  const SeparableOptions& options_;
  const Index f_;
  const Index tiles_;
  std::vector<Lane> c_;  // tile after tile of rows, each candidate after candidate
  std::vector<float> cost_;
  float beta_ = 0;
};

}  // namespace

void squash(std::span<float> z, Index d) {
  const float own = z[d];
  std::vector<float> above;
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (static_cast<Index>(i) != d && z[i] > own && z[i] > 0) above.push_back(z[i]);
  }
  std::ranges::sort(above, std::greater<>());
  // y_d is the mean of z_d and of those that it holds down.
  double sum = own;
  double count = 1;
  for (const float value : above) {
    if (static_cast<double>(value) <= sum / count) break;
    sum += static_cast<double>(value);
    count += 1;
  }
  const auto top = static_cast<float>(std::clamp(sum / count, 0.0, 1.0));
  for (float& value : z) value = std::clamp(value, 0.0F, top);
  z[d] = top;
}

template <class T>
SeparableResult<T> hottopixx(SparseView<T> x, const SeparableOptions& options) {
  const Stopwatch watch;
  if (options.anchors < 1) throw InvalidArgument("The number of anchors must be at least 1.");
  if (options.epochs < 1) throw InvalidArgument("Hottopixx needs at least one epoch.");
  if (!(options.primal_step > 0 && options.dual_step > 0 && options.decay > 0 && options.decay <= 1))
    throw InvalidArgument("The steps of Hottopixx must be above 0, and their decay above 0 and at most 1.");
  const Columns columns(x);
  const Candidates candidates = candidates_of(columns);
  const auto f = static_cast<double>(candidates.column.size());
  if (4 * f * f > options.memory_limit) {
    throw InvalidArgument("Hottopixx keeps a square matrix of its " + std::to_string(candidates.column.size()) +
                          " candidates in memory, which takes " + std::to_string(std::llround(4 * f * f / 1e9)) +
                          " GB, more than the limit of " + std::to_string(std::llround(options.memory_limit / 1e9)) +
                          " GB. Keep fewer features, or use XRAY.");
  }
  SeparableResult<T> result;
  Descent descent(candidates, options);
  result.stop_reason = StopReason::max_iterations;
  try {
    for (int number = 0; number < options.epochs && !candidates.column.empty(); ++number) {
      const double error = descent.epoch(number);
      const SeparableIteration latest{number + 1, error, watch.seconds()};
      result.history.push_back(latest);
      const bool is_last = number + 1 == options.epochs;
      const auto reason =
          stop_after(latest, options, is_last ? std::optional(StopReason::max_iterations) : std::nullopt);
      if (reason) {
        result.stop_reason = *reason;
        break;
      }
    }
  } catch (const Cancelled&) {
    if (result.history.empty()) throw;
    result.stop_reason = StopReason::interrupted;
  }
  uninterrupted([&] {
    // Equal columns share one diagonal among them: they count together, for the first of them.
    std::vector<double> shares(candidates.column.size());
    for (std::size_t i = 0; i < shares.size(); ++i)
      shares[candidates.twin[i]] += static_cast<double>(descent.diagonal(static_cast<Index>(i)));
    std::vector<Index> order;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (candidates.twin[i] == static_cast<Index>(i)) order.push_back(static_cast<Index>(i));
    }
    std::ranges::stable_sort(order, [&](Index a, Index b) { return shares[a] > shares[b]; });
    order.resize(std::min(order.size(), static_cast<std::size_t>(options.anchors)));
    AnchorFit fit(columns);
    for (const Index i : order) fit.add(candidates.column[i]);
    result.anchors = fit.anchors();
    result.h = Matrix<T>(columns.count(), static_cast<Index>(result.anchors.size()));
    if (result.anchors.empty()) return;
    std::ranges::transform(fit.coefficients().values(), result.h.values().begin(),
                           [](double value) { return static_cast<T>(value); });
    result.relative_error = fit.relative_error();
  });
  return result;
}

template SeparableResult<float> hottopixx(SparseView<float>, const SeparableOptions&);
template SeparableResult<double> hottopixx(SparseView<double>, const SeparableOptions&);

}  // namespace copse
