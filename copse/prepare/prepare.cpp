#include "copse/prepare/prepare.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "copse/base/error.h"
#include "copse/prepare/drop.h"
#include "copse/prepare/feature_sums.h"
#include "copse/prepare/item_sums.h"
#include "copse/prepare/rules.h"

namespace copse {
namespace {

std::string name_of(Index number, const std::vector<std::string>& names) {
  const std::string ordinal = std::to_string(number + 1);
  return names.empty() ? ordinal : ordinal + " ('" + names[number] + "')";
}

template <class T>
void check_entries(const Dataset<T>& data) {
  const auto is_good = [](T value) { return value > 0 && std::isfinite(value); };
  const Index bad = sum_blocks(data.items(), 1024, Index(0), [&](Index begin, Index end) {
    Index count = 0;
    for (Index j = begin; j < end; ++j) visit_nonzeros(data, j, [&](Index, T value) { count += !is_good(value); });
    return count;
  });
  if (bad == 0) return;
  for (Index j = 0; j < data.items(); ++j) {  // the first of them
    visit_nonzeros(data, j, [&](Index i, T value) {
      if (is_good(value)) return;
      throw InvalidArgument("feature " + name_of(i, data.feature_names) + " of item " + name_of(j, data.item_names) +
                            " is " + std::to_string(value) + "; expected a finite number that is not negative");
    });
  }
}

// Replaces every entry by update(item, feature, value), which must keep zero as it is.
template <class T, class Update>
void update_entries(Dataset<T>& data, const Update& update) {
  if (auto* x = std::get_if<SparseMatrix<T>>(&data.values)) {
    parallel_blocks(x->cols, 1024, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        for (Index p = x->offsets[j]; p < x->offsets[j + 1]; ++p)
          x->values[p] = static_cast<T>(update(j, static_cast<Index>(x->indices[p]), x->values[p]));
      }
    });
  } else {
    auto& items = std::get<Matrix<T>>(data.values);
    parallel_blocks(items.rows(), 64, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        for (Index i = 0; i < items.cols(); ++i) items(j, i) = static_cast<T>(update(j, i, items(j, i)));
      }
    });
  }
}

template <class T>
void multiply_features(Dataset<T>& data, const std::vector<double>& factors, PrepareReport& report) {
  update_entries(data, [&](Index, Index i, T value) { return factors[i] * static_cast<double>(value); });
  if (report.feature_factors.empty()) report.feature_factors.assign(factors.size(), 1);
  for (std::size_t i = 0; i < factors.size(); ++i) report.feature_factors[i] *= factors[i];
}

template <class T>
std::vector<double> idf_factors(const Dataset<T>& data, Weighting weighting) {
  auto factors = feature_sums(data, [](Index, Index, T) { return 1.0; });
  for (double& factor : factors) factor = idf(weighting, static_cast<double>(data.items()), factor);
  return factors;
}

template <class T>
std::vector<double> max_factors(const Dataset<T>& data) {
  std::vector<double> factors(static_cast<std::size_t>(data.features()), 0);
  for (Index j = 0; j < data.items(); ++j)
    visit_nonzeros(data, j, [&](Index i, T value) { factors[i] = std::max(factors[i], static_cast<double>(value)); });
  for (double& factor : factors) factor = factor > 0 ? 1 / factor : 1;
  return factors;
}

struct FeatureMoments {
  std::vector<double> mean, deviation;  // n - 1; 0 for a constant feature
};
template <class T>
FeatureMoments feature_moments(const Dataset<T>& data) {
  const auto items = static_cast<double>(data.items());
  FeatureMoments moments;
  moments.mean = feature_sums(data, [](Index, Index, T value) { return static_cast<double>(value); });
  for (double& value : moments.mean) value /= items;
  const auto holders = feature_sums(data, [](Index, Index, T) { return 1.0; });
  moments.deviation = feature_sums(data, [&](Index, Index i, T value) {
    const double difference = static_cast<double>(value) - moments.mean[i];
    return difference * difference;
  });
  for (std::size_t i = 0; i < holders.size(); ++i)
    moments.deviation[i] = feature_deviation(items, holders[i], moments.mean[i], moments.deviation[i]);
  return moments;
}

template <class T>
std::vector<double> deviation_factors(const Dataset<T>& data) {
  auto factors = feature_moments(data).deviation;
  for (double& factor : factors) factor = factor > 0 ? 1 / factor : 1;
  return factors;
}

template <class T>
void select_features(Dataset<T>& data, const PrepareOptions& options, PrepareReport& report) {
  const Index count = data.features();
  if (options.select_features >= count) return;
  const FeatureMoments moments = feature_moments(data);
  std::vector<double> worth(static_cast<std::size_t>(count), -1);
  for (Index i = 0; i < count; ++i) {
    const double mean = moments.mean[i], deviation = moments.deviation[i];
    if (!(mean > 0)) continue;
    worth[i] = options.select_by == FeatureSelection::variation ? deviation / mean : deviation * deviation / mean;
  }
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index(0));
  std::ranges::stable_sort(order, std::ranges::greater(), [&](Index i) { return worth[i]; });
  std::vector<char> kept(static_cast<std::size_t>(count), 0);
  for (Index e = 0; e < options.select_features; ++e) kept[order[e]] = 1;
  keep_features(data, kept, report);
  report.unselected_features = count - options.select_features;
}

template <class T>
std::vector<double> item_totals(const Dataset<T>& data) {
  std::vector<double> totals(static_cast<std::size_t>(data.items()));
  parallel_blocks(data.items(), 1024, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j)
      totals[j] = item_sum(data, j, [](Index, T value) { return static_cast<double>(value); });
  });
  return totals;
}

// Multiplies each item by factor(item).
template <class T, class Factor>
void scale_items(Dataset<T>& data, const Factor& factor) {
  std::vector<double> factors(static_cast<std::size_t>(data.items()));
  parallel_blocks(data.items(), 1024, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) factors[j] = factor(j);
  });
  update_entries(data, [&](Index j, Index, T value) { return factors[j] * static_cast<double>(value); });
}

// Divides each item by its total and multiplies it by `size`.
template <class T>
void divide_by_totals(Dataset<T>& data, const std::vector<double>& totals, double size) {
  scale_items(data, [&](Index j) { return totals[j] > 0 ? size / totals[j] : 1.0; });
}

template <class T>
void take_logarithms(Dataset<T>& data) {
  update_entries(data, [](Index, Index, T value) { return std::log1p(static_cast<double>(value)); });
}

// The median of measure(item) over the items where it is above zero.
template <class T, class Measure>
double median_of_items(const Dataset<T>& data, const Measure& measure) {
  std::vector<double> values(static_cast<std::size_t>(data.items()));
  parallel_blocks(data.items(), 1024, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) values[j] = measure(j);
  });
  return median_above_zero(std::move(values));
}

template <class T>
double median_norm(const Dataset<T>& data) {
  return median_of_items(data, [&](Index j) { return item_norm(data, j).value(); });
}

template <class T>
void scale_to_unit(Dataset<T>& data, bool damped) {
  scale_items(data, [&](Index j) { return unit_factor(item_norm(data, j), damped); });
}

// X't, where `totals` is t.
template <class T>
double degree_of(const Dataset<T>& data, const std::vector<double>& totals, Index item) {
  return item_sum(data, item, [&](Index i, T value) { return static_cast<double>(value) * totals[i]; });
}

// X 1, so that X't are the degrees; divided by their median if they are to be damped.
template <class T>
std::vector<double> totals_for_degrees(const Dataset<T>& data, bool damped) {
  auto totals = feature_sums(data, [](Index, Index, T value) { return static_cast<double>(value); });
  if (!damped) return totals;
  const double median = median_of_items(data, [&](Index j) { return degree_of(data, totals, j); });
  for (double& total : totals) total /= median;
  return totals;
}

template <class T>
void divide_by_degree(Dataset<T>& data, const std::vector<double>& totals, bool damped) {
  scale_items(data, [&](Index j) { return degree_factor(degree_of(data, totals, j), damped); });
}

template <class T>
void count_empty(const Dataset<T>& data, PrepareReport& report) {
  const auto holders = feature_sums(data, [](Index, Index, T) { return 1.0; });
  report.empty_features += std::count(holders.begin(), holders.end(), 0.0);
  for (Index j = 0; j < data.items(); ++j) {
    bool empty = true;
    visit_nonzeros(data, j, [&](Index, T) { empty = false; });
    report.empty_items += empty;
  }
}

}  // namespace

PrepareOptions text_preparation() {
  return {.min_feature_total = 3,
          .min_item_total = 1,
          .drop_empty = true,
          .weighting = Weighting::text,
          .unit_items = true};
}

template <class T>
PrepareReport prepare(Dataset<T>& data, const PrepareOptions& options) {
  check_entries(data);
  if (!(options.library_size >= 0) || std::isinf(options.library_size) || options.select_features < 0)
    throw InvalidArgument("a library size and a number of features to select must not be negative");
  std::vector<double> totals;
  if (options.library_size > 0) totals = item_totals(data);
  PrepareReport report;
  report.kept_features.resize(static_cast<std::size_t>(data.features()));
  report.kept_items.resize(static_cast<std::size_t>(data.items()));
  std::iota(report.kept_features.begin(), report.kept_features.end(), Index(0));
  std::iota(report.kept_items.begin(), report.kept_items.end(), Index(0));
  drop(data, options, report);
  if (!options.drop_duplicates) {
    const auto duplicates = find_duplicates(data);
    report.duplicate_items = std::count(duplicates.begin(), duplicates.end(), 1);
  }

  if (options.library_size > 0) {
    std::vector<double> kept;
    for (const Index j : report.kept_items) kept.push_back(totals[j]);
    divide_by_totals(data, kept, options.library_size);
  }
  if (options.select_features > 0) select_features(data, options, report);
  if (takes_logarithms(options.weighting)) take_logarithms(data);
  if (has_factors(options.weighting)) {
    multiply_features(data, idf_factors(data, options.weighting), report);
    drop(data, {.drop_empty = options.drop_empty}, report);  // what log(n / n) = 0 has emptied
  }
  if (options.feature_scaling == FeatureScaling::max) multiply_features(data, max_factors(data), report);
  if (options.feature_scaling == FeatureScaling::deviation) multiply_features(data, deviation_factors(data), report);
  if (options.unit_items && is_damped(options)) {
    const std::vector<double> same(static_cast<std::size_t>(data.features()), 1 / median_norm(data));
    multiply_features(data, same, report);
  }
  if (options.unit_items) scale_to_unit(data, is_damped(options));
  if (divides_by_degree(options)) {
    report.feature_totals = totals_for_degrees(data, is_damped(options));
    divide_by_degree(data, report.feature_totals, is_damped(options));
  }
  if (!options.drop_empty) count_empty(data, report);
  return report;
}

template <class T>
void equalize_totals(Dataset<T>& data, double size) {
  divide_by_totals(data, item_totals(data), size);
}

template <class T>
void prepare_new(Dataset<T>& items, const PrepareOptions& options, const PrepareReport& learned) {
  check_entries(items);
  const auto features = static_cast<std::size_t>(items.features());
  for (const auto* values : {&learned.feature_factors, &learned.feature_totals}) {
    const bool needed = values == &learned.feature_totals && divides_by_degree(options);
    if ((values->empty() && !needed) || values->size() == features) continue;
    throw InvalidArgument("the items have " + std::to_string(features) + " features, but preparation kept " +
                          std::to_string(values->size()));
  }
  if (takes_logarithms(options.weighting)) take_logarithms(items);
  const auto& factors = learned.feature_factors;
  if (!factors.empty())
    update_entries(items, [&](Index, Index i, T value) { return factors[i] * static_cast<double>(value); });
  if (options.unit_items) scale_to_unit(items, is_damped(options));
  if (divides_by_degree(options)) divide_by_degree(items, learned.feature_totals, is_damped(options));
}

template PrepareReport prepare(Dataset<float>&, const PrepareOptions&);
template PrepareReport prepare(Dataset<double>&, const PrepareOptions&);
template void equalize_totals(Dataset<float>&, double);
template void equalize_totals(Dataset<double>&, double);
template void prepare_new(Dataset<float>&, const PrepareOptions&, const PrepareReport&);
template void prepare_new(Dataset<double>&, const PrepareOptions&, const PrepareReport&);

}  // namespace copse
