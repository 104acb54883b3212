#include "copse/tree/scorer.h"

#include <algorithm>
#include <cmath>

#include "copse/base/parallel.h"
#include "copse/tree/constants.h"

namespace copse {
namespace {

bool needs_trial(Score score) { return score == Score::mndcg || score == Score::error || score == Score::rank1_gain; }

// [Steele et al. 2014], splitmix.
std::uint64_t mix(std::uint64_t key, std::uint64_t step) {
  key += 0x9e3779b97f4a7c15u * (step + 1);
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
  return key ^ (key >> 31);
}

}  // namespace

template <class T>
Scorer<T>::Scorer(const TreeData<T>& x, const TreeOptions& options, SplitMemory<T>* memory, Index sure_size,
                  std::chrono::steady_clock::time_point deadline)
    : x_(x), options_(options), memory_(memory), sure_size_(sure_size) {
  if (options.score == Score::mndcg) mndcg_.emplace(x.rows());
  trial_.rank2 = {.start = options.start,
                  .tolerance = options.tolerance,
                  .max_iterations = options.max_iterations,
                  .seed = options.seed,
                  .deadline = deadline};
  trial_.leading = options.score == Score::rank1_gain || options.score == Score::rank1;
}

template <class T>
std::uint64_t Scorer<T>::root_key() {
  return mix(0, 0);
}

template <class T>
std::uint64_t Scorer<T>::child_key(std::uint64_t key, int side) {
  return mix(key, static_cast<std::uint64_t>(side));
}

template <class T>
std::unique_ptr<Trial<T>> Scorer<T>::try_items(std::span<const RowIndex> items, PartOfNode<T> data, std::uint64_t key,
                                               int attempt) const {
  const std::uint64_t own_key = attempt == 0 ? key : mix(key, 2 + static_cast<std::uint64_t>(attempt));
  TreeCost cost;
  auto trial = std::make_unique<Trial<T>>();
  trial->key = key;
  trial->split = try_split<T>(x_, items, std::move(data), own_key, trial_, memory_, cost);
  // All are whole numbers, so that the order of these sums does not matter.
  const std::lock_guard lock(mutex_);
  cost_.factorizations += cost.factorizations;
  cost_.iterations += cost.iterations;
  cost_.entries_read += cost.entries_read;
  return trial;
}

template <class T>
std::unique_ptr<Trial<T>> Scorer<T>::split(std::span<const RowIndex> items, std::uint64_t key, int attempt) const {
  return try_items(items, {}, key, attempt);
}

template <class T>
Scored<T> Scorer<T>::compute(Side<T>& side, std::uint64_t key) const {
  Scored<T> result;
  if (static_cast<Index>(side.items.size()) < options_.smallest_split) {
    result.leaf = Leaf::too_small;
    return result;
  }
  if (!needs_trial(options_.score)) {
    result.score = options_.score == Score::fit     ? side.squared_norm - side.explained
                   : options_.score == Score::rank1 ? side.squared_norm - side.leading
                                                    : side.rank2_error;
    return result;
  }
  result.trial = try_items(side.items, std::move(side.data), key, 0);
  const auto& [first, second] = result.trial->split.sides;
  if (!result.trial->split.two_sided()) {
    result.leaf = Leaf::one_sided;
  } else if (options_.score == Score::mndcg) {
    result.score = (*mndcg_)(side.topic.terms, first.topic.terms, second.topic.terms);
    if (result.score == permanent) result.leaf = Leaf::one_sided;
  } else if (options_.score == Score::error) {
    // |A|^2 = |A1|^2 + |A2|^2 cancels.
    const double gain = result.trial->split.gain;
    result.score = std::isnan(gain) ? first.explained + second.explained - side.explained : gain;
  } else {
    result.score = first.leading + second.leading - side.leading;
  }
  if (result.leaf != Leaf::open) result.trial.reset();
  return result;
}

template <class T>
void Scorer<T>::for_each(Index count, const std::function<void(Index)>& body) const {
  if (x_.nodes_at_once()) return parallel_for(count, body);
  for (Index i = 0; i < count; ++i) body(i);
}

template <class T>
const Scored<T>& Scorer<T>::score(Trial<T>& trial, int side) const {
  auto& known = trial.scores[side];
  if (!known) known = compute(trial.split.sides[side], child_key(trial.key, side));
  return *known;
}

// A side that is sure to be split has its own sides scored at once, so that the smaller of them keep other threads at
// work where the work of the larger can't be shared.
template <class T>
void Scorer<T>::score_both(Trial<T>& trial) const {
  for_each(2, [&](Index s) {
    const Scored<T>& side = score(trial, static_cast<int>(s));
    if (!side.trial || !(side.score > 0)) return;
    // The split of an unbalanced trial may be another one, without outliers.
    if (static_cast<Index>(trial.split.sides[s].items.size()) >= sure_size_ && !is_unbalanced(side.trial->split))
      score_both(*side.trial);
  });
}

// At least half of the splits that are left go to the leaves that are best now.
template <class T>
void Scorer<T>::work_ahead(std::span<Trial<T>* const> next, Index left) const {
  const auto is_done = [](const Trial<T>* trial) { return !trial || (trial->scores[0] && trial->scores[1]); };
  if (left < 2 || next.empty() || is_done(next.front())) return;
  std::vector<Trial<T>*> chosen;
  for (Trial<T>* trial : next.first(std::min(next.size(), static_cast<std::size_t>(left + 1) / 2))) {
    if (chosen.size() < leaves_at_once && !is_done(trial)) chosen.push_back(trial);
  }
  for_each(static_cast<Index>(chosen.size()), [&](Index task) { score_both(*chosen[task]); });
}

template <class T>
bool Scorer<T>::is_unbalanced(const TrialSplit<T>& split) const {
  const auto& [larger, smaller] = split.sides;
  return static_cast<double>(larger.items.size()) >= options_.imbalance * static_cast<double>(smaller.items.size());
}

template <class T>
TreeCost Scorer<T>::cost() const {
  const std::lock_guard lock(mutex_);
  return cost_;
}

template class Scorer<float>;
template class Scorer<double>;

}  // namespace copse
