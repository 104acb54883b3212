#include "copse/cluster/k_means.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/stopwatch.h"
#include "copse/cluster/k_means_items.h"
#include "copse/cluster/k_means_start.h"

namespace copse {
namespace {

constexpr Index items_per_block = 256;
constexpr Index features_per_block = 2048;
constexpr double infinite = std::numeric_limits<double>::infinity();

// One run. An item belongs to the centre with the highest score x'c - |c|^2 / 2, or x'c where all centres have unit
// length. The objective is `total` plus phi of every cluster, where s is the sum of its n items.
template <class T>
class KMeans {
 public:
  KMeans(const KMeansItems<T>& items, const KMeansOptions& options, const Stopwatch& clock)
      : items_(items),
        options_(options),
        clock_(clock),
        n_(items.rows.items()),
        m_(items.rows.features()),
        k_(options.clusters),
        w_(m_, k_),
        half_(static_cast<std::size_t>(k_), 0.0),
        sums_(k_, m_),
        square_(static_cast<std::size_t>(k_), 0.0),
        sizes_(static_cast<std::size_t>(k_), 0),
        labels_(static_cast<std::size_t>(n_), -1),
        lower_(static_cast<std::size_t>(n_), -infinite),
        upper_(static_cast<std::size_t>(n_), infinite) {}

  // From the centres in w_.
  void run() {
    try {
      batches();
      if (options_.online && stop_ == StopReason::converged) passes();
    } catch (const Cancelled&) {
      // Labels, sums and centres change together, and nobody can stop that.
      if (history.empty()) throw;
      stop_ = StopReason::interrupted;
    }
    // What came and went leaves rounding errors in the sums, below zero where no item is.
    uninterrupted([&] { rebuild(); });
  }

  void spread_out(std::uint64_t stream) {
    SpreadCentres<T> start = spread_centres(items_, k_, options_.start, options_.seed, stream);
    w_ = std::move(start.w);
    k_used_ = start.found;
    centre_lengths();
  }

  void start_at(const Matrix<T>& centres) {
    w_ = centres;
    for (Index c = 0; items_.spherical && c < k_; ++c) {
      double square = 0;
      for (Index i = 0; i < m_; ++i) square += static_cast<double>(w_(i, c)) * static_cast<double>(w_(i, c));
      for (Index i = 0; i < m_ && square > 0; ++i)
        w_(i, c) = static_cast<T>(static_cast<double>(w_(i, c)) / std::sqrt(square));
    }
    centre_lengths();
  }

  double objective() const {
    double sum = items_.total;
    for (Index c = 0; c < k_; ++c) sum += phi(square_[c], sizes_[c]);
    return std::max(0.0, sum);
  }
  const std::vector<Index>& labels() const { return labels_; }
  const std::vector<Index>& sizes() const { return sizes_; }
  StopReason stop_reason() const { return stop_; }
  double centre(Index feature, Index cluster) const { return sums_(cluster, feature) * inverse(cluster); }

  std::vector<MethodIteration> history;

 private:
  double phi(double square, Index size) const {
    if (items_.spherical) return -std::sqrt(std::max(0.0, square));
    return size > 0 ? -square / static_cast<double>(size) : 0;
  }
  double inverse(Index c) const {
    if (items_.spherical) return square_[c] > 0 ? 1 / std::sqrt(square_[c]) : 0;
    return sizes_[c] > 0 ? 1 / static_cast<double>(sizes_[c]) : 0;
  }

  void centre_lengths() {
    if (items_.spherical) return;
    std::fill(half_.begin(), half_.end(), 0.0);
    for (Index i = 0; i < m_; ++i) {
      for (Index c = 0; c < k_; ++c) half_[c] += static_cast<double>(w_(i, c)) * static_cast<double>(w_(i, c)) / 2;
    }
  }

  bool go_on(double before, double now, const MethodIteration& step) {
    history.push_back(step);
    if (options_.progress && !options_.progress(step)) stop_ = StopReason::interrupted;
    if (clock_.seconds() > options_.time_limit) stop_ = StopReason::time_limit;
    if (stop_ != StopReason::converged) return false;
    if (before - now <= options_.tolerance * before && before != infinite) return false;
    if (static_cast<int>(history.size()) >= options_.max_iterations) {
      stop_ = StopReason::max_iterations;
      return false;
    }
    return true;
  }
  MethodIteration step(double objective) const {
    return {static_cast<int>(history.size()) + 1, std::ldexp(objective, 2 * (items_.spherical ? 0 : items_.exponent)),
            clock_.seconds()};
  }

  void batches() {
    double before = infinite;
    std::vector<Index> last;
    while (true) {
      std::vector<Index> next = assign(false);
      fill_empty(next);
      if (next == labels_) return;
      last.swap(labels_);
      labels_ = std::move(next);
      uninterrupted([&] { update(last); });
      const double now = objective();
      // Rounding of the products may move items that lie midway to and fro.
      if (now > before) {
        uninterrupted([&] {
          labels_ = last;
          rebuild();
        });
        return;
      }
      if (!go_on(before, now, step(now))) return;
      before = now;
    }
  }

  // The centre of every item. An item whose bounds tell that no other centre can have come nearer is not read.
  std::vector<Index> assign(bool all) {
    const double slack = sizeof(T) == 4 ? 2e-6 : 1e-13;
    std::vector<Index> next(labels_);
    double longest = 1;
    if (!items_.spherical) longest = std::sqrt(2 * *std::max_element(half_.begin(), half_.end()));
    parallel_blocks(n_, items_per_block, [&](Index begin, Index end) {
      std::vector<Index> open;
      for (Index j = begin; j < end; ++j) {
        if (!(items_.factor[j] > 0)) continue;
        const double noise = slack * (std::sqrt(items_.square[j]) * longest + longest * longest);
        if (all || labels_[j] < 0 || !(lower_[j] - upper_[j] > noise)) open.push_back(j);
      }
      if (open.empty()) return;
      Matrix<T> products;
      items_.rows.products(open, w_, products);
      for (std::size_t p = 0; p < open.size(); ++p) {
        const Index j = open[p];
        const T* row = products.row(static_cast<Index>(p)).data();
        const auto score = [&](Index c) { return items_.factor[j] * static_cast<double>(row[c]) - half_[c]; };
        // The first of equal ones, and no change without a gain.
        Index label = labels_[j] >= 0 ? labels_[j] : 0;
        double best = score(label), second = -infinite;
        for (Index c = 0; c < k_used_or_all(); ++c) {
          if (c == label) continue;
          const double value = score(c);
          if (value > best) {
            second = best;
            best = value;
            label = c;
          } else {
            second = std::max(second, value);
          }
        }
        next[j] = label;
        lower_[j] = best;
        upper_[j] = second;
      }
    });
    return next;
  }
  Index k_used_or_all() const { return k_used_ > 0 ? k_used_ : k_; }

  void fill_empty(std::vector<Index>& next) {
    std::vector<Index> sizes(static_cast<std::size_t>(k_), 0);
    for (const Index label : next) {
      if (label >= 0) ++sizes[label];
    }
    if (std::ranges::count(sizes, Index(0)) == 0) return;
    next = assign(true);
    std::fill(sizes.begin(), sizes.end(), Index(0));
    for (const Index label : next) {
      if (label >= 0) ++sizes[label];
    }
    const double noise = sizeof(T) == 4 ? 1e-6 : 1e-13;
    const auto distance = [&](Index j) { return items_.square[j] - (items_.spherical ? 1 : 2) * lower_[j]; };
    for (Index c = 0; c < k_; ++c) {
      if (sizes[c] > 0) continue;
      Index far = -1;
      for (Index j = 0; j < n_; ++j) {
        if (next[j] < 0 || sizes[next[j]] < 2 || !(distance(j) > noise * items_.square[j])) continue;
        if (far < 0 || distance(j) > distance(far)) far = j;
      }
      if (far < 0) return;
      --sizes[next[far]];
      next[far] = c;
      sizes[c] = 1;
      lower_[far] = infinite;  // it is at its new centre
      moved_to_empty_.push_back(far);
    }
  }

  // Sums, centres and bounds after labels changed from `last` to labels_.
  void update(const std::vector<Index>& last) {
    std::vector<std::vector<Index>> joined(static_cast<std::size_t>(k_)), left(joined.size());
    Index moved = 0;
    for (Index j = 0; j < n_; ++j) {
      if (labels_[j] == last[j]) continue;
      ++moved;
      joined[labels_[j]].push_back(j);
      if (last[j] >= 0) left[last[j]].push_back(j);
    }
    std::vector<char> changed(static_cast<std::size_t>(k_), 0);
    // To add up what moved costs less than to add up all, unless most did.
    const bool all = 2 * moved > n_;
    if (all) {
      for (auto& list : joined) list.clear();
      for (Index j = 0; j < n_; ++j) {
        if (labels_[j] >= 0) joined[labels_[j]].push_back(j);
      }
    }
    parallel_for(k_, [&](Index c) {
      changed[c] = all || !joined[c].empty() || !left[c].empty();
      if (!changed[c]) return;
      const std::span<double> sum = sums_.row(c);
      if (all) {
        std::fill(sum.begin(), sum.end(), 0.0);
        sizes_[c] = 0;
      } else {
        for (const Index j : left[c]) add(sum, j, -1);
        sizes_[c] -= static_cast<Index>(left[c].size());
      }
      for (const Index j : joined[c]) add(sum, j, 1);
      sizes_[c] += static_cast<Index>(joined[c].size());
      measure(c);
    });
    move_centres(changed);
  }

  void rebuild() { update(std::vector<Index>(static_cast<std::size_t>(n_), -1)); }

  void add(std::span<double> sum, Index j, double sign) const {
    items_.visit(j, [&](Index i, double value) { sum[i] += sign * value; });
  }
  void measure(Index c) {
    const std::span<double> sum = sums_.row(c);
    if (sizes_[c] == 0) std::fill(sum.begin(), sum.end(), 0.0);
    double square = 0;
    for (const double value : sum) square += value * value;
    square_[c] = square;
  }

  // Centres from sums, and bounds that follow: a score changes by |x| |step| and by what |c|^2 / 2 does, at most.
  void move_centres(const std::vector<char>& changed) {
    std::vector<Index> moving;
    for (Index c = 0; c < k_; ++c) {
      if (changed[c]) moving.push_back(c);
    }
    const auto count = moving.size();
    std::vector<std::vector<double>> parts(
        static_cast<std::size_t>((m_ + features_per_block - 1) / features_per_block));
    parallel_blocks(m_, features_per_block, [&](Index begin, Index end) {
      std::vector<double>& sums = parts[begin / features_per_block];
      sums.assign(2 * count, 0.0);
      std::vector<double> factors;
      for (const Index c : moving) factors.push_back(inverse(c));
      for (std::size_t p = 0; p < count; ++p) {
        const double* sum = sums_.row(moving[p]).data();
        T* column = w_.data() + moving[p];
        double step = 0, square = 0;
        for (Index i = begin; i < end; ++i) {
          T& place = column[i * k_];
          const T value = static_cast<T>(sum[i] * factors[p]);
          const double difference = static_cast<double>(value) - static_cast<double>(place);
          step += difference * difference;
          square += static_cast<double>(value) * static_cast<double>(value);
          place = value;
        }
        sums[2 * p] = step;
        sums[2 * p + 1] = square;
      }
    });
    std::vector<double> steps(static_cast<std::size_t>(k_), 0.0), shifts(static_cast<std::size_t>(k_), 0.0);
    for (std::size_t p = 0; p < count; ++p) {
      double step = 0, square = 0;
      for (const auto& sums : parts) step += sums[2 * p], square += sums[2 * p + 1];
      const Index c = moving[p];
      steps[c] = std::sqrt(step);
      if (items_.spherical) continue;
      shifts[c] = half_[c] - square / 2;
      half_[c] = square / 2;
    }
    // Of all but one centre: the largest, or the second where that is the one's own.
    const auto largest_two = [](const std::vector<double>& values) {
      const Index first = std::max_element(values.begin(), values.end()) - values.begin();
      double second = -infinite;
      for (std::size_t c = 0; c < values.size(); ++c) {
        if (static_cast<Index>(c) != first) second = std::max(second, values[c]);
      }
      return std::pair{first, second};
    };
    const auto far = largest_two(steps), up = largest_two(shifts);
    parallel_blocks(n_, 16 * items_per_block, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        const Index own = labels_[j];
        if (own < 0) continue;
        const double length = std::sqrt(items_.square[j]);
        lower_[j] += shifts[own] - length * steps[own];
        upper_[j] += length * (own == far.first ? far.second : steps[far.first]) +
                     (own == up.first ? up.second : shifts[up.first]);
      }
    });
    for (const Index j : moved_to_empty_) lower_[j] = -infinite;
    moved_to_empty_.clear();
  }

  // The change of the objective where an item leaves cluster a for b; products are those with the sums.
  double change(Index j, Index a, Index b, double with_a, double with_b) const {
    const double square = items_.square[j];
    return phi(square_[a] - 2 * with_a + square, sizes_[a] - 1) + phi(square_[b] + 2 * with_b + square, sizes_[b] + 1) -
           phi(square_[a], sizes_[a]) - phi(square_[b], sizes_[b]);
  }
  double with_sum(Index j, Index c) const {
    const double* sum = sums_.row(c).data();
    double product = 0;
    items_.visit(j, [&](Index i, double value) { product += value * sum[i]; });
    return product;
  }

  // Single moves that lower the objective: those that a pass over all items suggests, the best first, each checked
  // again by what the moves before it left.
  void passes() {
    while (true) {
      struct Move {
        Index item, to;
        double change;
      };
      std::vector<std::vector<Move>> found(static_cast<std::size_t>((n_ + items_per_block - 1) / items_per_block));
      parallel_blocks(n_, items_per_block, [&](Index begin, Index end) {
        std::vector<Index> open;
        for (Index j = begin; j < end; ++j) {
          if (labels_[j] >= 0 && sizes_[labels_[j]] > 1) open.push_back(j);
        }
        Matrix<T> products;
        items_.rows.products(open, w_, products);
        for (std::size_t p = 0; p < open.size(); ++p) {
          const Index j = open[p], own = labels_[j];
          const T* row = products.row(static_cast<Index>(p)).data();
          const auto with = [&](Index c) {
            const double by = inverse(c);
            return by > 0 ? items_.factor[j] * static_cast<double>(row[c]) / by : 0.0;
          };
          const double with_own = with(own);
          Move best{j, -1, 0};
          for (Index c = 0; c < k_; ++c) {
            if (c == own || sizes_[c] == 0) continue;
            const double value = change(j, own, c, with_own, with(c));
            if (value < best.change) best.to = c, best.change = value;
          }
          if (best.to >= 0) found[begin / items_per_block].push_back(best);
        }
      });
      std::vector<Move> moves;
      for (const auto& some : found) moves.insert(moves.end(), some.begin(), some.end());
      std::stable_sort(moves.begin(), moves.end(), [](const Move& x, const Move& y) { return x.change < y.change; });
      const double before = objective();
      const double least = 1e-12 * std::max(before, 1e-6 * items_.total);
      std::vector<char> changed(static_cast<std::size_t>(k_), 0);
      bool any = false;
      uninterrupted([&] {
        for (const Move& move : moves) {
          const Index own = labels_[move.item];
          if (sizes_[own] < 2) continue;
          const double with_own = with_sum(move.item, own), with_new = with_sum(move.item, move.to);
          if (!(change(move.item, own, move.to, with_own, with_new) < -least)) continue;
          square_[own] += items_.square[move.item] - 2 * with_own;
          square_[move.to] += items_.square[move.item] + 2 * with_new;
          add(sums_.row(own), move.item, -1);
          add(sums_.row(move.to), move.item, 1);
          --sizes_[own];
          ++sizes_[move.to];
          labels_[move.item] = move.to;
          changed[own] = changed[move.to] = 1;
          any = true;
        }
        if (!any) return;
        for (Index c = 0; c < k_; ++c) {
          if (changed[c]) measure(c);
        }
        move_centres(changed);
      });
      if (!any) return;
      const double now = objective();
      if (!go_on(before, now, step(now))) return;
    }
  }

  const KMeansItems<T>& items_;
  const KMeansOptions& options_;
  const Stopwatch& clock_;
  Index n_, m_, k_;
  Index k_used_ = 0;  // centres that the start found; 0: all
  Matrix<T> w_;
  std::vector<double> half_;  // |c|^2 / 2; spherical: 0
  Matrix<double> sums_;
  std::vector<double> square_;  // |s|^2
  std::vector<Index> sizes_;
  std::vector<Index> labels_;
  std::vector<double> lower_, upper_;  // bounds of an item's score with its own centre, and with all others
  std::vector<Index> moved_to_empty_;
  StopReason stop_ = StopReason::converged;
};

template <class T>
void check(const Dataset<T>& items, const KMeansOptions& options) {
  if (options.clusters < 1 || options.clusters > items.items())
    throw InvalidArgument("the number of clusters must be between 1 and the number of items, " +
                          std::to_string(items.items()) + ", and is " + std::to_string(options.clusters));
  if (options.runs < 1) throw InvalidArgument("the number of runs must be at least 1");
  if (options.max_iterations < 1) throw InvalidArgument("the number of iterations must be at least 1");
  if (!(options.tolerance >= 0)) throw InvalidArgument("the tolerance must not be negative");
}

template <class T>
KMeansResult<T> solve(const Dataset<T>& data, KMeansOptions options, const Matrix<T>* centres) {
  check(data, options);
  const Stopwatch clock;
  std::vector<double> mean;
  Matrix<T> shifted;
  if (!data.is_sparse() && !options.spherical) shifted = without_mean(std::get<Matrix<T>>(data.values), mean);
  const ItemRows<T> rows = mean.empty() ? ItemRows<T>(data) : ItemRows<T>(shifted);
  const KMeansItems<T> items = k_means_items(rows, options.spherical);
  const Index n = rows.items(), m = rows.features();
  KMeansResult<T> result;
  result.labels.assign(static_cast<std::size_t>(n), -1);
  if (items.taking_part == 0) {
    result.centres = Matrix<T>(m, 0);
    result.run_objectives = {0};
    return result;
  }
  options.clusters = std::min(options.clusters, items.taking_part);
  const double scale = options.spherical ? 1 : std::ldexp(1.0, items.exponent);
  const auto mean_of = [&](Index i) { return mean.empty() ? 0.0 : mean[i]; };
  for (int run = 0; run < (centres != nullptr ? 1 : options.runs); ++run) {
    std::optional<KMeans<T>> one(std::in_place, items, options, clock);
    try {
      if (centres != nullptr) {
        Matrix<T> given(m, options.clusters);
        for (Index i = 0; i < m; ++i) {
          for (Index c = 0; c < options.clusters; ++c)
            given(i, c) = static_cast<T>((static_cast<double>((*centres)(i, c)) - mean_of(i)) / scale);
        }
        one->start_at(given);
      } else {
        one->spread_out(static_cast<std::uint64_t>(run));
      }
      one->run();
    } catch (const Cancelled&) {
      if (run == 0) throw;
      result.stop_reason = StopReason::interrupted;
      break;
    }
    const double objective = one->objective() * scale * scale;
    result.run_objectives.push_back(objective);
    if (run == 0 || objective < result.objective) {
      result.objective = objective;
      result.best_run = run;
      result.history = std::move(one->history);
      result.labels = one->labels();
      result.stop_reason = one->stop_reason();
      std::vector<Index> number(one->sizes().size(), -1), kept;
      for (std::size_t c = 0; c < number.size(); ++c) {
        if (one->sizes()[c] == 0) continue;
        number[c] = static_cast<Index>(kept.size());
        kept.push_back(static_cast<Index>(c));
      }
      for (Index& label : result.labels) label = label < 0 ? -1 : number[label];
      result.centres = Matrix<T>(m, static_cast<Index>(kept.size()));
      for (Index i = 0; i < m; ++i) {
        for (std::size_t c = 0; c < kept.size(); ++c)
          result.centres(i, static_cast<Index>(c)) = static_cast<T>(scale * one->centre(i, kept[c]) + mean_of(i));
      }
    }
    if (one->stop_reason() == StopReason::interrupted || one->stop_reason() == StopReason::time_limit) {
      result.stop_reason = one->stop_reason();
      break;
    }
  }
  return result;
}

}  // namespace

template <class T>
KMeansResult<T> k_means(const Dataset<T>& items, const KMeansOptions& options) {
  return solve<T>(items, options, nullptr);
}

template <class T>
KMeansResult<T> k_means(const Dataset<T>& items, const KMeansOptions& options, const Matrix<T>& centres) {
  if (centres.rows() != items.features() || centres.cols() != options.clusters)
    throw InvalidArgument("the centres must have a row for each feature and a column for each cluster");
  return solve(items, options, &centres);
}

template <class T>
KMeansResult<T> k_means_rows(Matrix<T> rows, const KMeansOptions& options) {
  Dataset<T> items;
  items.values = std::move(rows);
  return solve<T>(items, options, nullptr);
}

#define COPSE_INSTANTIATE(T)                                                                   \
  template KMeansResult<T> k_means(const Dataset<T>&, const KMeansOptions&);                   \
  template KMeansResult<T> k_means(const Dataset<T>&, const KMeansOptions&, const Matrix<T>&); \
  template KMeansResult<T> k_means_rows(Matrix<T>, const KMeansOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
