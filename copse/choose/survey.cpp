#include "copse/choose/survey.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/isolated.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/base/stopwatch.h"
#include "copse/choose/gap.h"
#include "copse/choose/held_out.h"
#include "copse/choose/parts.h"
#include "copse/choose/perturbed.h"
#include "copse/choose/prediction_strength.h"
#include "copse/choose/sketch.h"

namespace copse {
namespace {

// Streams of random numbers, one for each purpose.
enum Purpose : std::uint64_t { halves = 1, fit, null_set, shuffled_set, part, hidden, watched, looked_at, noise };

constexpr std::size_t pairs_up_to = 2000;  // items of which all pairs are looked at
constexpr int tasks_per_thread = 4;        // at the same time: some take longer than others

std::vector<std::int32_t> short_labels(const std::vector<Index>& labels) { return {labels.begin(), labels.end()}; }

// Two halves of the items, each with the other to foretell.
template <class T>
class Halves {
 public:
  Halves(const Dataset<T>& data, std::span<const Index> first, const Clusterer<T>& method, Index largest)
      : a_(part_of<T>(data, first)),
        b_(part_of<T>(data, other_items(first, data.items()))),
        of_a_(method.over(a_, largest, &b_)),
        of_b_(method.over(b_, largest, &a_)) {}

  // For each request: how far each half foretells the other, values_of_split values, see RunRecord.
  void foretell(std::span<const FitRequest> requests, std::span<RunRecord> records) {
    std::vector<FitRequest> seeds_of_a, seeds_of_b;
    for (const auto& [k, seed] : requests) {
      seeds_of_a.push_back({k, mixed_seed(seed, 0)});
      seeds_of_b.push_back({k, mixed_seed(seed, 1)});
    }
    const auto a = of_a_->fits(seeds_of_a), b = of_b_->fits(seeds_of_b);
    for (std::size_t r = 0; r < requests.size(); ++r) records[r].values = foretold(a[r], b[r], requests[r].k);
  }

 private:
  static std::vector<double> foretold(const ClusterFit<T>& a, const ClusterFit<T>& b, Index k) {
    return {prediction_strength(b.labels, a.predicted, k),
            prediction_strength(a.labels, b.predicted, k),
            recurrence(b.labels, a.predicted, k),
            recurrence(a.labels, b.predicted, k),
            static_cast<double>(returning_clusters(b.labels, a.predicted, k)),
            static_cast<double>(returning_clusters(a.labels, b.predicted, k))};
  }

  Dataset<T> a_, b_;
  std::unique_ptr<Fitter<T>> of_a_, of_b_;
};

// Items, and a method on them.
template <class T>
struct FittedItems {
  FittedItems(Dataset<T> own, const Clusterer<T>& method, Index largest)
      : items(std::move(own)), fitter(method.over(items, largest)) {}

  Dataset<T> items;
  std::unique_ptr<Fitter<T>> fitter;
};

// The items of a survey, by what they hold.
template <class T>
std::vector<Index> items_in_order(const Dataset<T>& data, const SurveyOptions& options) {
  std::vector<Index> order = content_order(data);
  const Index count = items_looked_at(data.items(), options);
  if (count == data.items()) return order;
  std::vector<std::uint64_t> places(order.size());
  std::iota(places.begin(), places.end(), std::uint64_t(0));
  std::vector<Index> drawn = draw_count(places, static_cast<std::size_t>(count), mixed_seed(options.seed, looked_at));
  for (Index& place : drawn) place = order[place];
  return drawn;
}

template <class T>
double variation(const Dataset<T>& data, std::span<const std::uint64_t> keys, const std::vector<Index>& labels,
                 std::uint64_t seed) {
  const auto items = draw_count(keys, pairs_up_to, seed);
  std::vector<Index> own(items.size());
  std::ranges::transform(items, own.begin(), [&](Index j) { return labels[j]; });
  return within_variation(euclidean_distances<T>(data, items), own);
}

template <class T>
bool once_only(RunKind kind, const Clusterer<T>& method) {
  return kind == RunKind::gap || (kind == RunKind::start && !method.is_random());
}

// One fit or two for each run, and nothing else that takes long.
bool fits_side_by_side(RunKind kind) {
  return is_split(kind) || kind == RunKind::resample || kind == RunKind::perturbed || kind == RunKind::start;
}

bool is_shuffled(Null null, bool sparse) { return null == Null::shuffled || (null == Null::automatic && sparse); }

}  // namespace

bool is_split(RunKind kind) {
  return kind == RunKind::split || kind == RunKind::null_split || kind == RunKind::shuffled_split;
}

template <class T>
double separability(const Matrix<T>& h) {
  if (h.rows() == 0) return 0;
  double total = 0;
  for (Index j = 0; j < h.rows(); ++j) {
    double sum = 0;
    for (const T value : h.row(j)) sum += static_cast<double>(value);
    if (!(sum > 0)) {
      total += std::log(static_cast<double>(h.cols()));
      continue;
    }
    for (const T value : h.row(j)) {
      const double share = static_cast<double>(value) / sum;
      if (share > 0) total -= share * std::log(share);
    }
  }
  return total / static_cast<double>(h.rows());
}

// What data without clusters is drawn from, made when it is first asked for.
template <class T>
struct Survey<T>::Nulls {
  struct Source {
    std::mutex mutex;
    std::unique_ptr<NullData<T>> null;
  };
  Source asked, shuffled;
};

template <class T>
Survey<T>::Survey(const Dataset<T>& data, const Clusterer<T>& method, SurveyOptions options)
    : order_(items_in_order(data, options)),
      data_(part_of<T>(data, order_)),
      method_(method),
      options_(std::move(options)),
      keys_(item_keys(data_)) {
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw InvalidArgument(sentence);
  };
  require(data.items() >= 1 && data.features() >= 1, "A survey needs data.");
  require(!options_.ks.empty(), "A survey needs at least one number of clusters.");
  require(std::ranges::is_sorted(options_.ks) && options_.ks.front() >= 1,
          "The numbers of clusters must rise and be at least 1.");
  require(options_.runs >= 1, "A survey needs at least one run.");
  require(options_.resample_share > 0 && options_.resample_share <= 1, "The share of a sample is above 0, at most 1.");
  require(options_.hidden_share > 0 && options_.hidden_share < 1, "The hidden share is above 0 and below 1.");
  require(options_.perturbation > 0 && options_.perturbation < 1, "The perturbation is above 0 and below 1.");
  null_ = std::make_unique<Nulls>();
}

template <class T>
Survey<T>::~Survey() = default;

template <class T>
std::vector<RunKey> Survey<T>::plan() const {
  const auto n = data_.items(), m = data_.features();
  std::vector<RunKey> keys;
  for (int number = 0; number < options_.runs; ++number) {
    for (const RunKind kind : options_.kinds) {
      if (once_only(kind, method_) && number > 0) continue;
      if (kind == RunKind::hold_out && number >= options_.hold_out_runs) continue;
      if (kind == RunKind::start && number >= options_.start_runs) continue;
      if (kind == RunKind::perturbed && number >= options_.perturbed_runs) continue;
      if (kind == RunKind::shuffled_split && is_shuffled(options_.null, data_.is_sparse())) continue;
      Index items = n, features = m;
      if (is_split(kind)) items = n / 2;
      if (kind == RunKind::resample) items = static_cast<Index>(resampled_items(0).size());
      if (kind == RunKind::bi_cross) {
        items = n / 2;
        features = m / 2;
      }
      for (const Index k : options_.ks) {
        if (k <= method_.most(items, features)) keys.push_back({kind, k, number});
      }
    }
  }
  return keys;
}

template <class T>
void Survey<T>::look_at(std::span<const Index> more) {
  std::vector<Index>& ks = options_.ks;
  ks.insert(ks.end(), more.begin(), more.end());
  std::ranges::sort(ks);
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
}

template <class T>
std::vector<Index> Survey<T>::resampled_items(int number) const {
  return draw_items(keys_, options_.resample_share,
                    mixed_seed(options_.seed, part, static_cast<std::uint64_t>(number)));
}

template <class T>
std::vector<Index> Survey<T>::watched_items() const {
  return draw_count(keys_, pairs_up_to, mixed_seed(options_.seed, watched));
}

template <class T>
Dataset<T> Survey<T>::null_of(RunKind kind, int number) {
  const bool shuffled = kind == RunKind::shuffled_split || is_shuffled(options_.null, data_.is_sparse());
  auto& source = shuffled ? null_->shuffled : null_->asked;
  {
    const std::lock_guard lock(source.mutex);
    isolated([&] {
      if (!source.null) source.null = null_data(data_, shuffled ? Null::shuffled : Null::box);
    });
  }
  return source.null->draw(
      mixed_seed(options_.seed, shuffled ? shuffled_set : null_set, static_cast<std::uint64_t>(number)));
}

template <class T>
typename Survey<T>::Run Survey<T>::runs_of(RunKind kind, int number, Index largest) {
  const std::uint64_t half_seed = mixed_seed(options_.seed, halves, static_cast<std::uint64_t>(number));
  const std::uint64_t hidden_seed = mixed_seed(options_.seed, hidden, static_cast<std::uint64_t>(number));
  const auto foretelling = [&](const Dataset<T>& data, std::span<const std::uint64_t> keys) -> Run {
    auto cut = std::make_shared<Halves<T>>(data, draw_items(keys, 0.5, half_seed), method_, largest);
    return
        [cut](std::span<const FitRequest> requests, std::span<RunRecord> records) { cut->foretell(requests, records); };
  };
  // fits() of the fitter, each handed to keep(found, record).
  const auto fitting = [](std::shared_ptr<Fitter<T>> fitter, auto keep) -> Run {
    return [fitter, keep](std::span<const FitRequest> requests, std::span<RunRecord> records) {
      const std::vector<ClusterFit<T>> found = fitter->fits(requests);
      for (std::size_t r = 0; r < found.size(); ++r) keep(found[r], records[r]);
    };
  };
  // One after the other: run(request, record).
  const auto each = [](auto run) -> Run {
    return [run](std::span<const FitRequest> requests, std::span<RunRecord> records) {
      for (std::size_t r = 0; r < requests.size(); ++r) run(requests[r], records[r]);
    };
  };
  switch (kind) {
    case RunKind::split:
      return foretelling(data_, keys_);
    case RunKind::null_split:
    case RunKind::shuffled_split: {
      const Dataset<T> null = null_of(kind, number);
      return foretelling(null, item_keys(null));
    }
    case RunKind::resample:
    case RunKind::perturbed: {
      const bool is_part = kind == RunKind::resample;
      const std::uint64_t noise_seed = mixed_seed(options_.seed, noise, static_cast<std::uint64_t>(number));
      auto items = std::make_shared<FittedItems<T>>(
          is_part ? part_of<T>(data_, resampled_items(number)) : perturbed(data_, options_.perturbation, noise_seed),
          method_, largest);
      const std::shared_ptr<Fitter<T>> fitter(items, items->fitter.get());
      return fitting(fitter, [is_part](const ClusterFit<T>& found, RunRecord& record) {
        if (is_part) record.labels = short_labels(found.labels);
        if (found.components.rows() > 0) record.components = sketch(found.components);
        record.values = {found.relative_error};
      });
    }
    case RunKind::start: {
      return fitting(method_.over(data_, largest), [](const ClusterFit<T>& found, RunRecord& record) {
        record.labels = short_labels(found.labels);
        record.values = {found.relative_error};
        if (found.coefficients.rows() > 0) record.values.push_back(separability(found.coefficients));
      });
    }
    case RunKind::hold_out: {
      const double cells = static_cast<double>(data_.items()) * static_cast<double>(data_.features());
      const Mask mask{hidden_seed, share_to_hide(cells, static_cast<double>(data_.nonzeros()), options_.hidden_share)};
      auto held_out = std::make_shared<HeldOut<T>>(data_, mask);
      return each([this, held_out](const FitRequest& request, RunRecord& record) {
        NmfOptions options = options_.hold_out;
        options.rank = request.k;
        options.seed = request.seed;
        const HeldOutError error = held_out->error(options);
        record.values = {error.hidden, error.seen};
      });
    }
    case RunKind::bi_cross:
      return each([this, hidden_seed](const FitRequest& request, RunRecord& record) {
        record.values = {bi_cross_validation(data_, hidden_seed, {.rank = request.k, .seed = request.seed})};
      });
    case RunKind::gap: {
      std::shared_ptr<Fitter<T>> all = method_.over(data_, largest);
      return each([this, all](const FitRequest& request, RunRecord& record) {
        record.values = {variation<T>(data_, keys_, all->fit(request.k, request.seed).labels, options_.seed)};
      });
    }
    case RunKind::null_gap: {
      auto null = std::make_shared<FittedItems<T>>(null_of(kind, number), method_, largest);
      return each([null](const FitRequest& request, RunRecord& record) {
        const std::vector<Index> labels = null->fitter->fit(request.k, request.seed).labels;
        record.values = {variation<T>(null->items, item_keys(null->items), labels, request.seed)};
      });
    }
  }
  throw InvalidArgument("This kind of run is unknown.");
}

template <class T>
void Survey<T>::perform(RunKind kind, int number, std::span<const Index> ks, const Take& take) {
  Run run;
  const auto kind_seed = mixed_seed(options_.seed, fit, static_cast<std::uint64_t>(kind));
  // Why it failed; empty: it did not.
  const auto attempt = [&](std::span<const FitRequest> requests, std::span<RunRecord> records) -> std::string {
    try {
      if (!run) run = runs_of(kind, number, ks.back());
      run(requests, records);
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      return error.what();
    } catch (const std::bad_alloc&) {
      return "There was not enough memory for this run.";
    }
    return {};
  };
  for (std::size_t begin = 0, end = 0; begin < ks.size(); begin = end) {
    const Stopwatch clock;
    std::vector<RunRecord> records;
    std::vector<FitRequest> requests;
    Index components = 0;
    do {
      const Index k = ks[end++];
      components += k;
      records.push_back({.key = {kind, k, number}});
      requests.push_back({k, mixed_seed(kind_seed, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(number))});
    } while (end < ks.size() && fits_side_by_side(kind) && components + ks[end] <= components_at_once);
    const std::string failure = attempt(requests, records);
    // Of several, one is to blame.
    for (std::size_t r = 0; !failure.empty() && r < records.size(); ++r)
      records[r].failure = records.size() == 1 ? failure : attempt({&requests[r], 1}, {&records[r], 1});
    for (RunRecord& record : records) {
      record.seconds = clock.seconds() / static_cast<double>(records.size());
      take(std::move(record));
    }
  }
}

template <class T>
RunRecord Survey<T>::perform(const RunKey& key) {
  RunRecord result;
  perform(key.kind, key.number, std::span(&key.k, 1), [&](RunRecord record) { result = std::move(record); });
  return result;
}

template <class T>
void Survey<T>::perform(const std::vector<RunKey>& keys, const Take& take) {
  std::map<int, std::map<RunKind, std::vector<Index>>> by_number;
  for (const RunKey& key : keys) by_number[key.number][key.kind].push_back(key.k);
  std::mutex mutex;
  const Take take_alone = [&](RunRecord record) {
    const std::lock_guard lock(mutex);
    take(std::move(record));
  };
  // Numbers one after the other, so that every k has about as many runs as another at any time; as many at once as give
  // every thread something to do.
  struct Task {
    RunKind kind;
    int number;
    std::span<const Index> ks;
  };
  std::vector<Task> tasks;
  const auto perform_tasks = [&] {
    parallel_for(static_cast<Index>(tasks.size()),
                 [&](Index t) { perform(tasks[t].kind, tasks[t].number, tasks[t].ks, take_alone); });
    tasks.clear();
  };
  for (auto& [number, by_kind] : by_number) {
    for (auto& [kind, ks] : by_kind) {
      std::ranges::sort(ks);
      tasks.push_back({kind, number, ks});
    }
    if (static_cast<int>(tasks.size()) >= tasks_per_thread * thread_count()) perform_tasks();
  }
  perform_tasks();
}

template double separability(const Matrix<float>&);
template double separability(const Matrix<double>&);
template class Survey<float>;
template class Survey<double>;

}  // namespace copse
