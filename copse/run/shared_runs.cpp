#include "copse/run/shared_runs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/stopwatch.h"
#include "copse/nmf/start.h"

namespace copse {
namespace {

// What everyone learns of all runs, by adding up.
struct RunFacts {
  explicit RunFacts(int runs) : is_done(static_cast<std::size_t>(runs), 0), objectives(is_done), errors(is_done) {}

  std::vector<double> is_done, objectives, errors;
  double interrupted = 0, out_of_time = 0;

  void add_up(const Team& team) {
    for (auto* list : {&is_done, &objectives, &errors}) team.sum(*list);
    team.sum({&interrupted, 1});
    team.sum({&out_of_time, 1});
  }
  // The first with the least objective; -1: there is none.
  int best() const {
    int best = -1;
    for (std::size_t r = 0; r < is_done.size(); ++r) {
      if (is_done[r] > 0 && (best < 0 || objectives[r] < objectives[best])) best = static_cast<int>(r);
    }
    return best;
  }
};

// The `size` values of `owner` go to the first, into `all`.
template <class Value>
void collect_from(const Team& team, int owner, std::span<const Value> values, Index size, std::span<Value> all) {
  std::vector<Index> starts(static_cast<std::size_t>(team.size()) + 1, 0);
  std::fill(starts.begin() + owner + 1, starts.end(), size);
  team.collect(team.rank() == owner ? values : std::span<const Value>(), starts, all);
}

template <class Value>
void hand_over(const Team& team, int owner, std::vector<Value>& values) {
  double size = team.rank() == owner ? static_cast<double>(values.size()) : 0;
  team.sum({&size, 1});
  std::vector<Value> all(team.rank() == 0 ? static_cast<std::size_t>(size) : 0);
  collect_from(team, owner, std::span<const Value>(values), static_cast<Index>(size), std::span(all));
  values = std::move(all);
}

template <class T>
void hand_over(const Team& team, int owner, Matrix<T>& factor, Index rows, Index k) {
  Matrix<T> all;
  if (team.rank() == 0) all.reshape(rows, k);
  collect_from(team, owner, std::span<const T>(factor.values()), rows * k, std::span<T>(all.values()));
  factor = std::move(all);
}

template <class T>
void hand_over(const Team& team, int owner, Index rows, Index items, Index k, NmfResult<T>& result) {
  hand_over(team, owner, result.w, rows, k);
  hand_over(team, owner, result.h, items, k);
  hand_over(team, owner, result.baseline);
  hand_over(team, owner, result.penalty);
  hand_over(team, owner, result.history);
  std::vector<double> numbers{static_cast<double>(result.stop_reason), result.relative_error, result.objective,
                              result.projected_gradient_ratio};
  hand_over(team, owner, numbers);
  if (team.rank() > 0) return;
  result.stop_reason = static_cast<StopReason>(static_cast<int>(numbers[0]));
  result.relative_error = numbers[1], result.objective = numbers[2], result.projected_gradient_ratio = numbers[3];
}

}  // namespace

template <class T>
NmfResult<T> spread_runs(const Data<T>& x, const NmfOptions& options, const Team& team) {
  const Stopwatch clock;
  RunFacts facts(options.runs);
  NmfResult<T> best;
  double least = std::numeric_limits<double>::infinity();
  for (int r = team.rank(); r < options.runs; r += team.size()) {
    NmfOptions one = options;
    one.runs = 1;
    one.seed = seed_of_run(options.seed, r);
    one.time_limit = std::max(options.time_limit - clock.seconds(), std::numeric_limits<double>::min());
    try {
      NmfResult<T> result = factorize(x, one);
      facts.is_done[r] = 1, facts.objectives[r] = result.objective, facts.errors[r] = result.relative_error;
      const StopReason reason = result.stop_reason;
      facts.interrupted += reason == StopReason::interrupted, facts.out_of_time += reason == StopReason::time_limit;
      if (result.objective < least || best.w.rows() == 0) {
        least = result.objective;
        best = std::move(result);
      }
      if (reason == StopReason::interrupted || reason == StopReason::time_limit) break;
    } catch (const Cancelled&) {
      facts.interrupted = 1;
      break;
    }
  }
  facts.add_up(team);
  const int run = facts.best();
  if (run < 0) throw Cancelled();
  // Whoever stops the others' runs stops no message.
  uninterrupted([&] { hand_over(team, run % team.size(), x.rows(), x.cols(), options.rank, best); });
  if (team.rank() > 0) return {};
  best.run_errors.clear();
  for (std::size_t r = 0; r < facts.errors.size(); ++r) {
    if (facts.is_done[r] == 0) continue;
    if (static_cast<int>(r) == run) best.best_run = static_cast<int>(best.run_errors.size());
    best.run_errors.push_back(facts.errors[r]);
  }
  if (facts.interrupted > 0)
    best.stop_reason = StopReason::interrupted;
  else if (facts.out_of_time > 0)
    best.stop_reason = StopReason::time_limit;
  return best;
}

template NmfResult<float> spread_runs(const Data<float>&, const NmfOptions&, const Team&);
template NmfResult<double> spread_runs(const Data<double>&, const NmfOptions&, const Team&);

}  // namespace copse
