#include "copse/choose/survey.h"

#include <algorithm>
#include <cmath>
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
#include "copse/choose/prediction_strength.h"
#include "copse/choose/sketch.h"

namespace copse {
namespace {

// Streams of random numbers, one for each purpose.
enum Purpose : std::uint64_t { halves = 1, fit, null_set, shuffled_set, part, hidden, watched, looked_at };

constexpr std::size_t pairs_up_to = 2000;  // items of which all pairs are looked at
constexpr double cheap_null = 2e9;         // multiplications that one data set of the box may take
constexpr int few_nulls = 10;

// Rows of unit length, each feature added to one of a few columns with a sign of its own: inner products are kept on
// average (count sketch).
template <class T>
Matrix<float> sketch(const Matrix<T>& components) {
  const Index width = sketch_columns(components.cols());
  const bool exact = width == components.cols();
  Matrix<float> result(components.rows(), width);
  for (Index c = 0; c < components.rows(); ++c) {
    const auto row = result.row(c);
    for (Index i = 0; i < components.cols(); ++i) {
      const std::uint64_t hash = mixed_seed(0, static_cast<std::uint64_t>(i)) >> 20;
      const auto value = static_cast<float>(components(c, i));
      if (exact) {
        row[i] = value;
      } else {
        row[static_cast<Index>(hash % sketch_width)] += (hash / sketch_width) % 2 == 0 ? value : -value;
      }
    }
    double square = 0;
    for (const float value : row) square += static_cast<double>(value) * value;
    for (float& value : row) value = square > 0 ? static_cast<float>(value / std::sqrt(square)) : 0;
  }
  return result;
}

std::vector<std::int32_t> short_labels(const std::vector<Index>& labels) { return {labels.begin(), labels.end()}; }

// The two fits of a split, and how far each foretells the other: strength in both directions, recurrence in both.
template <class T>
std::vector<double> foretold(const Dataset<T>& data, const Clusterer<T>& method, std::span<const Index> first, Index k,
                             std::uint64_t seed) {
  const Dataset<T> a = part_of<T>(data, first), b = part_of<T>(data, other_items(first, data.items()));
  const ClusterFit<T> fit_a = method.fit(a, k, mixed_seed(seed, 0)), fit_b = method.fit(b, k, mixed_seed(seed, 1));
  const std::vector<Index> of_b = fit_a.predict(b), of_a = fit_b.predict(a);
  return {prediction_strength(fit_b.labels, of_b, k), prediction_strength(fit_a.labels, of_a, k),
          recurrence(fit_b.labels, of_b, k), recurrence(fit_a.labels, of_a, k)};
}

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

// Made when they are first asked for. What was drawn last is kept: the runs of one number follow each other, and see
// the same data for every k.
template <class T>
struct Survey<T>::Nulls {
  struct Source {
    std::mutex mutex;
    std::unique_ptr<NullData<T>> null;
    int set = -1;
    std::shared_ptr<const Dataset<T>> drawn;
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
std::shared_ptr<const Dataset<T>> Survey<T>::null_of(RunKind kind, int number) {
  const bool shuffled = kind == RunKind::shuffled_split || is_shuffled(options_.null, data_.is_sparse());
  auto& source = shuffled ? null_->shuffled : null_->asked;
  const auto n = static_cast<double>(data_.items()), m = static_cast<double>(data_.features());
  const int set = !shuffled && n * m * std::min(n, m) > cheap_null ? number % few_nulls : number;
  const std::lock_guard lock(source.mutex);
  isolated([&] {
    if (!source.null) source.null = null_data(data_, shuffled ? Null::shuffled : Null::box);
    if (source.set == set) return;
    const std::uint64_t seed =
        mixed_seed(options_.seed, shuffled ? shuffled_set : null_set, static_cast<std::uint64_t>(set));
    source.set = -1;
    source.drawn = std::make_shared<const Dataset<T>>(source.null->draw(seed));
    source.set = set;
  });
  return source.drawn;
}

template <class T>
RunRecord Survey<T>::perform(const RunKey& key) {
  const Stopwatch clock;
  RunRecord record{.key = key};
  const auto number = static_cast<std::uint64_t>(key.number), k = static_cast<std::uint64_t>(key.k);
  const std::uint64_t own_seed =
      mixed_seed(mixed_seed(options_.seed, fit, static_cast<std::uint64_t>(key.kind)), k, number);
  const std::uint64_t half_seed = mixed_seed(options_.seed, halves, number);
  try {
    switch (key.kind) {
      case RunKind::split:
        record.values = foretold(data_, method_, draw_items(keys_, 0.5, half_seed), key.k, own_seed);
        break;
      case RunKind::null_split:
      case RunKind::shuffled_split: {
        const auto null = null_of(key.kind, key.number);
        record.values = foretold(*null, method_, draw_items(item_keys(*null), 0.5, half_seed), key.k, own_seed);
        break;
      }
      case RunKind::resample: {
        const auto items = resampled_items(key.number);
        const ClusterFit<T> found = method_.fit(part_of<T>(data_, items), key.k, own_seed);
        record.labels = short_labels(found.labels);
        if (found.components.rows() > 0) record.components = sketch(found.components);
        record.values = {found.relative_error};
        break;
      }
      case RunKind::start: {
        const ClusterFit<T> found = method_.fit(data_, key.k, own_seed);
        record.labels = short_labels(found.labels);
        record.values = {found.relative_error};
        if (found.coefficients.rows() > 0) record.values.push_back(separability(found.coefficients));
        break;
      }
      case RunKind::hold_out: {
        NmfOptions options = options_.hold_out;
        options.rank = key.k;
        options.seed = own_seed;
        const double cells = static_cast<double>(data_.items()) * static_cast<double>(data_.features());
        const Mask mask{mixed_seed(options_.seed, hidden, number),
                        share_to_hide(cells, static_cast<double>(data_.nonzeros()), options_.hidden_share)};
        const HeldOutError error = held_out_error(data_, mask, options);
        record.values = {error.hidden, error.seen};
        break;
      }
      case RunKind::bi_cross: {
        NmfOptions options;
        options.rank = key.k;
        options.seed = own_seed;
        record.values = {bi_cross_validation(data_, mixed_seed(options_.seed, hidden, number), options)};
        break;
      }
      case RunKind::gap:
        record.values = {variation(data_, keys_, method_.fit(data_, key.k, own_seed).labels, options_.seed)};
        break;
      case RunKind::null_gap: {
        const auto null = null_of(key.kind, key.number);
        record.values = {variation<T>(*null, item_keys(*null), method_.fit(*null, key.k, own_seed).labels, own_seed)};
        break;
      }
    }
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    record.failure = error.what();
  } catch (const std::bad_alloc&) {
    record.failure = "There was not enough memory for this run.";
  }
  record.seconds = clock.seconds();
  return record;
}

template <class T>
void Survey<T>::perform(const std::vector<RunKey>& keys, const std::function<void(RunRecord)>& take) {
  std::mutex mutex;
  for (std::size_t begin = 0; begin < keys.size();) {
    std::size_t end = begin;
    while (end < keys.size() && keys[end].number == keys[begin].number) ++end;
    // Large k take longest: they start first.
    std::vector<RunKey> batch(keys.begin() + static_cast<std::ptrdiff_t>(begin),
                              keys.begin() + static_cast<std::ptrdiff_t>(end));
    std::ranges::stable_sort(batch, [](const RunKey& a, const RunKey& b) { return a.k > b.k; });
    parallel_for(static_cast<Index>(batch.size()), [&](Index e) {
      RunRecord record = perform(batch[e]);
      const std::lock_guard lock(mutex);
      take(std::move(record));
    });
    begin = end;
  }
}

template double separability(const Matrix<float>&);
template double separability(const Matrix<double>&);
template class Survey<float>;
template class Survey<double>;

}  // namespace copse
