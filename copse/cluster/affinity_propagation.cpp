#include "copse/cluster/affinity_propagation.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

#include "copse/base/error.h"
#include "copse/base/median.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/base/stopwatch.h"
#include "copse/nmf/stop_after.h"

namespace copse {
namespace {

constexpr Index row_blocks = 16;  // sums over rows are kept for each, and added in their order
constexpr int tries_in_vain = 3;
constexpr double lowest = -std::numeric_limits<double>::infinity();

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw InvalidArgument(otherwise);
}

// s(i, k) for k != i, row after row.
struct Pairs {
  Index items = 0;
  std::vector<Index> offsets = {0};
  Buffer<RowIndex> to = {};
  Buffer<double> s = {};
};

// Noise of the size of a rounding error: exact ties would make messages oscillate.
void break_ties(Pairs& pairs) {
  parallel_blocks(pairs.items, 256, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Random random(0, static_cast<std::uint64_t>(i));
      for (Index p = pairs.offsets[i]; p < pairs.offsets[i + 1]; ++p) {
        const double size = std::numeric_limits<double>::epsilon() * std::abs(pairs.s[p]);
        pairs.s[p] += (size + 100 * std::numeric_limits<double>::min()) * random.normal();
      }
    }
  });
}

// A number that exemplars are never fewer than: each stands for itself and those that are joined to it, and all items
// need one.
Index fewest_exemplars(const Pairs& pairs) {
  std::vector<Index> stands_for(static_cast<std::size_t>(pairs.items), 1);
  for (const RowIndex k : pairs.to) ++stands_for[k];
  std::ranges::sort(stands_for, std::greater());
  Index covered = 0;
  Index number = 0;
  while (covered < pairs.items) covered += stands_for[number++];
  return number;
}

struct Outcome {
  std::vector<Index> labels;
  std::vector<Index> exemplars;
  double preference = 0;
  double damping = 0;
  bool converged = false;
  int iterations = 0;
  StopReason stop_reason = StopReason::converged;
};

// The messages of one run.
class Messages {
 public:
  Messages(const Pairs& pairs, const AffinityOptions& options, const Stopwatch& watch)
      : pairs_(pairs),
        options_(options),
        watch_(watch),
        n_(pairs.items),
        block_((n_ + row_blocks - 1) / row_blocks),
        r_(pairs.s.size()),
        a_(pairs.s.size()),
        own_r_(static_cast<std::size_t>(n_)),
        own_a_(own_r_.size()),
        sums_(own_r_.size()),
        parts_(row_blocks, n_) {}

  Outcome run(double preference, double damping, int iterations, int number) {
    preference_ = preference;
    damping_ = damping;
    std::ranges::fill(r_, 0);
    std::ranges::fill(a_, 0);
    std::ranges::fill(own_r_, 0);
    std::ranges::fill(own_a_, 0);
    std::vector<int> stable(static_cast<std::size_t>(n_), 0);  // iterations since an item last changed its mind
    std::vector<char> chosen(static_cast<std::size_t>(n_), 0);
    Outcome outcome;
    outcome.preference = preference;
    outcome.damping = damping;
    outcome.stop_reason = StopReason::max_iterations;
    for (int iteration = 1; iteration <= iterations; ++iteration) {
      send_responsibilities();
      send_availabilities();
      outcome.iterations = iteration;
      Index clusters = 0;
      bool all_stable = true;
      for (Index i = 0; i < n_; ++i) {
        const char now = own_a_[i] + own_r_[i] > 0 ? 1 : 0;
        stable[i] = now == chosen[i] ? stable[i] + 1 : 1;
        chosen[i] = now;
        clusters += now;
        all_stable = all_stable && stable[i] >= options_.stable_iterations;
      }
      outcome.converged = all_stable && iteration > options_.stable_iterations && clusters > 0;
      const AffinityIteration latest{number, iteration, clusters, watch_.seconds()};
      const auto reason =
          stop_after(latest, options_, outcome.converged ? std::optional(StopReason::converged) : std::nullopt);
      if (reason) {
        outcome.stop_reason = *reason;
        break;
      }
    }
    choose(outcome, chosen);
    return outcome;
  }

 private:
  // r(i, k) = s(i, k) - max over the others k' of a(i, k') + s(i, k').
  void send_responsibilities() {
    const double old = damping_;
    parallel_blocks(n_, block_, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        double first = own_a_[i] + preference_;
        double second = lowest;
        Index best = -1;  // itself
        for (Index p = pairs_.offsets[i]; p < pairs_.offsets[i + 1]; ++p) {
          const double value = a_[p] + pairs_.s[p];
          if (value > first) {
            second = first;
            first = value;
            best = p;
          } else if (value > second) {
            second = value;
          }
        }
        // An item that nobody else may stand for has no second best: it stands for itself, whatever the preference.
        const double rest = second == lowest ? preference_ - std::abs(preference_) - 1 : second;
        for (Index p = pairs_.offsets[i]; p < pairs_.offsets[i + 1]; ++p) {
          r_[p] = old * r_[p] + (1 - old) * (pairs_.s[p] - (p == best ? rest : first));
        }
        own_r_[i] = old * own_r_[i] + (1 - old) * (preference_ - (best < 0 ? rest : first));
      }
    });
  }

  // a(i, k) = min(0, r(k, k) + sum of max(0, r(i', k)) over the others i'), and a(k, k) that sum.
  void send_availabilities() {
    const double old = damping_;
    parallel_blocks(n_, block_, [&](Index begin, Index end) {
      const auto part = parts_.row(begin / block_);
      std::ranges::fill(part, 0);
      for (Index p = pairs_.offsets[begin]; p < pairs_.offsets[end]; ++p) part[pairs_.to[p]] += std::max(0.0, r_[p]);
    });
    const Index blocks = (n_ + block_ - 1) / block_;
    parallel_blocks(n_, 4096, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) {
        double sum = 0;
        for (Index b = 0; b < blocks; ++b) sum += parts_(b, k);
        own_a_[k] = old * own_a_[k] + (1 - old) * sum;
        sums_[k] = sum + own_r_[k];
      }
    });
    parallel_blocks(n_, block_, [&](Index begin, Index end) {
      for (Index p = pairs_.offsets[begin]; p < pairs_.offsets[end]; ++p) {
        a_[p] = old * a_[p] + (1 - old) * std::min(0.0, sums_[pairs_.to[p]] - std::max(0.0, r_[p]));
      }
    });
  }

  // Each item to the exemplar that is most similar; an item without one becomes an exemplar.
  void assign(std::vector<char>& is_exemplar, std::vector<Index>& to) const {
    for (Index i = 0; i < n_; ++i) {
      to[i] = i;
      if (is_exemplar[i] != 0) continue;
      double best = lowest;
      for (Index p = pairs_.offsets[i]; p < pairs_.offsets[i + 1]; ++p) {
        if (is_exemplar[pairs_.to[p]] == 0) continue;
        if (pairs_.s[p] > best || (pairs_.s[p] == best && static_cast<Index>(pairs_.to[p]) < to[i])) {
          best = pairs_.s[p];
          to[i] = pairs_.to[p];
        }
      }
    }
    for (Index i = 0; i < n_; ++i) is_exemplar[i] = is_exemplar[i] != 0 || to[i] == i ? 1 : 0;
  }

  void choose(Outcome& outcome, std::vector<char> is_exemplar) const {
    if (std::ranges::find(is_exemplar, 1) == is_exemplar.end()) {
      // Nobody has come out as an exemplar yet: those whom others would choose.
      for (Index i = 0; i < n_; ++i) {
        double best = own_a_[i] + own_r_[i];
        Index choice = i;
        for (Index p = pairs_.offsets[i]; p < pairs_.offsets[i + 1]; ++p) {
          if (a_[p] + r_[p] > best) {
            best = a_[p] + r_[p];
            choice = pairs_.to[p];
          }
        }
        is_exemplar[choice] = 1;
      }
    }
    std::vector<Index> to(static_cast<std::size_t>(n_));
    assign(is_exemplar, to);
    // In each cluster the item that stands best for all its members; an item that may not stand for one is none.
    std::vector<double> sum(static_cast<std::size_t>(n_), 0);
    std::vector<Index> heard(static_cast<std::size_t>(n_), 0);
    std::vector<Index> size(static_cast<std::size_t>(n_), 0);
    for (Index i = 0; i < n_; ++i) {
      ++size[to[i]];
      for (Index p = pairs_.offsets[i]; p < pairs_.offsets[i + 1]; ++p) {
        const Index k = pairs_.to[p];
        if (to[k] != to[i]) continue;
        sum[k] += pairs_.s[p];
        ++heard[k];
      }
    }
    std::vector<Index> best(static_cast<std::size_t>(n_), -1);
    for (Index k = 0; k < n_; ++k) {
      const Index cluster = to[k];
      if (heard[k] != size[cluster] - 1) continue;
      if (best[cluster] < 0 || sum[k] > sum[best[cluster]]) best[cluster] = k;
    }
    std::ranges::fill(is_exemplar, 0);
    for (Index i = 0; i < n_; ++i) {
      if (to[i] == i) is_exemplar[best[i]] = 1;
    }
    assign(is_exemplar, to);
    std::vector<Index> number(static_cast<std::size_t>(n_), -1);
    for (Index i = 0; i < n_; ++i) {
      if (is_exemplar[i] == 0) continue;
      number[i] = static_cast<Index>(outcome.exemplars.size());
      outcome.exemplars.push_back(i);
    }
    outcome.labels.resize(static_cast<std::size_t>(n_));
    for (Index i = 0; i < n_; ++i) outcome.labels[i] = number[to[i]];
  }

  const Pairs& pairs_;
  const AffinityOptions& options_;
  const Stopwatch& watch_;
  const Index n_;
  const Index block_;
  double preference_ = 0;
  double damping_ = 0;
  Buffer<double> r_, a_;
  std::vector<double> own_r_, own_a_;  // of the diagonal
  std::vector<double> sums_;
  Matrix<double> parts_;
};

// [Kim & Park 2008, section 6]: steps of three times the range of the similarities until the number lies between two
// tries, then halves of what is between.
class Search {
 public:
  Search(const Pairs& pairs, const AffinityOptions& options)
      : pairs_(pairs), options_(options), messages_(pairs, options, watch_) {}

  AffinityResult run() {
    Buffer<double> similarities = pairs_.s;
    const double first = options_.preference.value_or(median<double>(similarities));
    similarities = {};
    double low = 0;   // a preference with too few clusters
    double high = 0;  // and one with too many
    bool has_low = false;
    bool has_high = false;
    double preference = first;
    const auto [least, most] = std::ranges::minmax_element(pairs_.s);
    const double range = pairs_.s.empty() ? 0 : *most - *least;
    const double step = range > 0 ? 3 * range : std::max(1.0, std::abs(first));
    int stretch = 1;
    try {
      for (;;) {
        const Index found = attempt(preference);
        if (options_.k == 0 || found == options_.k || stopped_ || tries_ == options_.max_tries) break;
        if (found < options_.k) {
          low = preference;
          has_low = true;
        } else {
          high = preference;
          has_high = true;
        }
        if (has_low && has_high) {
          const double middle = low + (high - low) / 2;
          if (!(std::abs(high - low) > 1e-9 * std::max(std::abs(low), std::abs(high)))) break;
          preference = middle;
        } else {
          if (in_vain(found)) break;
          preference += (found < options_.k ? step : -step) * stretch;
          stretch *= 2;
        }
      }
    } catch (const Cancelled&) {
      if (tries_ == 0) throw;
      stopped_ = true;
      best_.stop_reason = StopReason::interrupted;
    }
    AffinityResult result;
    result.labels = std::move(best_.labels);
    result.exemplars = std::move(best_.exemplars);
    result.preference = best_.preference;
    result.damping = best_.damping;
    result.converged = best_.converged;
    result.iterations = best_.iterations;
    result.runs = runs_;
    result.stop_reason = best_.stop_reason;
    result.net_similarity = static_cast<double>(result.exemplars.size()) * result.preference;
    for (Index i = 0; i < pairs_.items; ++i) {
      for (Index p = pairs_.offsets[i]; p < pairs_.offsets[i + 1]; ++p) {
        if (result.exemplars[result.labels[i]] == static_cast<Index>(pairs_.to[p]) &&
            result.exemplars[result.labels[i]] != i)
          result.net_similarity += pairs_.s[p];
      }
    }
    return result;
  }

 private:
  Index attempt(double preference) {
    Outcome outcome = messages_.run(preference, damping_, iterations_, runs_ + 1);
    ++runs_;
    // Messages that swing get more damping, and as many more iterations as they are slower; the next try begins there.
    while (outcome.stop_reason == StopReason::max_iterations && (1 - damping_) / 2 >= 1 - options_.most_damping) {
      damping_ += (1 - damping_) / 2;
      iterations_ *= 2;
      outcome = messages_.run(preference, damping_, iterations_, ++runs_);
    }
    const auto found = static_cast<Index>(outcome.exemplars.size());
    stopped_ = outcome.stop_reason == StopReason::interrupted || outcome.stop_reason == StopReason::time_limit;
    const StopReason reason = outcome.stop_reason;
    if (++tries_ == 1 || is_better(outcome)) best_ = std::move(outcome);
    if (stopped_) best_.stop_reason = reason;
    return found;
  }

  // Whether there is no way to as few clusters as are asked for, and some tries in a row came no nearer.
  bool in_vain(Index found) {
    if (options_.k >= fewest_) return false;
    const Index distance = std::abs(found - options_.k);
    tries_without_gain_ = tries_ > 1 && distance >= nearest_ ? tries_without_gain_ + 1 : 0;
    nearest_ = tries_ > 1 ? std::min(nearest_, distance) : distance;
    return tries_without_gain_ == tries_in_vain;
  }

  // The nearer to the number asked for; of equally near ones the one that converged.
  bool is_better(const Outcome& outcome) const {
    const auto distance = [&](const Outcome& one) {
      return std::abs(static_cast<long long>(one.exemplars.size()) - static_cast<long long>(options_.k));
    };
    if (distance(outcome) != distance(best_)) return distance(outcome) < distance(best_);
    return outcome.converged && !best_.converged;
  }

  const Pairs& pairs_;
  const AffinityOptions& options_;
  Stopwatch watch_;
  Messages messages_;
  Outcome best_;
  double damping_ = options_.damping;
  int iterations_ = options_.max_iterations;
  int runs_ = 0;
  int tries_ = 0;
  int tries_without_gain_ = 0;
  Index nearest_ = 0;  // distance from the number asked for
  const Index fewest_ = fewest_exemplars(pairs_);
  bool stopped_ = false;
};

// All pairs alike: messages would not know where to begin. Everybody for himself if that is worth as much, else one
// cluster; with k asked for, the first k - 1 items stand alone.
AffinityResult of_equals(const Pairs& pairs, const AffinityOptions& options) {
  AffinityResult result;
  const double s = pairs.s.empty() ? 0 : pairs.s[0];
  result.preference = options.preference.value_or(s);
  Index clusters = result.preference >= s ? pairs.items : 1;
  if (options.k > 0) clusters = options.k;
  for (Index i = 0; i < pairs.items; ++i) {
    result.labels.push_back(std::min(i, clusters - 1));
    if (i < clusters) result.exemplars.push_back(i);
  }
  result.converged = true;
  result.net_similarity =
      static_cast<double>(clusters) * result.preference + static_cast<double>(pairs.items - clusters) * s;
  return result;
}

AffinityResult propagate(Pairs pairs, const AffinityOptions& options, bool complete) {
  require(pairs.items >= 1, "Affinity propagation needs at least one item.");
  require(options.damping >= 0.5 && options.damping < 1,
          "The damping must be at least 0.5 and less than 1; it is " + std::to_string(options.damping) + ".");
  require(options.most_damping < 1, "The largest damping must be less than 1.");
  require(options.max_iterations >= 1 && options.stable_iterations >= 1 && options.max_tries >= 1,
          "Affinity propagation needs at least one iteration and one run.");
  require(options.k >= 0 && options.k <= pairs.items,
          "The number of clusters must be between 1 and the number of items.");
  require(!options.preference || std::isfinite(*options.preference), "The preference must be a finite number.");
  const bool all_equal = std::ranges::all_of(pairs.s, [&](double s) { return s == pairs.s[0]; });
  if (pairs.items == 1 || (complete && all_equal)) return of_equals(pairs, options);
  break_ties(pairs);
  return Search(pairs, options).run();
}

void check_similarity(double s, Index i, Index k) {
  require(std::isfinite(s), "The similarity of items " + std::to_string(i + 1) + " and " + std::to_string(k + 1) +
                                " is not a finite number.");
}

}  // namespace

AffinityResult affinity_propagation(const Matrix<double>& similarities, const AffinityOptions& options) {
  const Index n = similarities.rows();
  require(similarities.cols() == n, "Similarities must be a square matrix.");
  Pairs pairs;
  pairs.items = n;
  pairs.offsets.resize(static_cast<std::size_t>(n) + 1);
  for (Index i = 0; i <= n; ++i) pairs.offsets[i] = i * (n - 1);
  if (n == 0) pairs.offsets = {0};
  pairs.to.resize(static_cast<std::size_t>(pairs.offsets.back()));
  pairs.s.resize(pairs.to.size());
  for (Index i = 0; i < n; ++i) {
    Index p = pairs.offsets[i];
    for (Index k = 0; k < n; ++k) {
      if (k == i) continue;
      check_similarity(similarities(i, k), i, k);
      pairs.to[p] = static_cast<RowIndex>(k);
      pairs.s[p++] = similarities(i, k);
    }
  }
  return propagate(std::move(pairs), options, true);
}

template <class T>
AffinityResult affinity_propagation(SparseView<T> similarities, const AffinityOptions& options) {
  require(similarities.cols == similarities.rows, "Similarities must be a square matrix.");
  Pairs pairs;
  pairs.items = similarities.cols;
  pairs.to.reserve(static_cast<std::size_t>(similarities.nonzeros()));
  pairs.s.reserve(pairs.to.capacity());
  for (Index i = 0; i < pairs.items; ++i) {
    for (Index p = similarities.offsets[i]; p < similarities.offsets[i + 1]; ++p) {
      const Index k = similarities.indices[p];
      if (k == i) continue;
      check_similarity(static_cast<double>(similarities.values[p]), i, k);
      pairs.to.push_back(similarities.indices[p]);
      pairs.s.push_back(static_cast<double>(similarities.values[p]));
    }
    pairs.offsets.push_back(static_cast<Index>(pairs.to.size()));
  }
  const bool complete = pairs.offsets.back() == pairs.items * (pairs.items - 1);
  return propagate(std::move(pairs), options, complete);
}

template AffinityResult affinity_propagation(SparseView<float>, const AffinityOptions&);
template AffinityResult affinity_propagation(SparseView<double>, const AffinityOptions&);

}  // namespace copse
