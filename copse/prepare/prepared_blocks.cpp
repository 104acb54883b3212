#include "copse/prepare/prepared_blocks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/streamed_data.h"
#include "copse/prepare/rules.h"

namespace copse {
namespace {

constexpr Index most_parts = 16;
constexpr double bytes_of_counts = 0x1p26;  // of all partial counts of features, unless two take more
constexpr Index small_numbers = 1024;       // whole numbers whose logarithms are looked up

Index parts_of(Index blocks) { return std::max<Index>(1, std::min(most_parts, blocks)); }

bool asks_for_anything(const PrepareOptions& options) {
  return options.min_feature_total > 0 || options.min_item_total > 0 || options.drop_empty ||
         options.weighting != Weighting::none || options.feature_scaling != FeatureScaling::none ||
         options.unit_items || options.normalized_cut;
}

// Of item `item`, which has this view's column `column`.
template <class T>
void check_values(const SparseView<T>& view, Index column, Index item) {
  for (Index p = view.offsets[column]; p < view.offsets[column + 1]; ++p) {
    const T value = view.values[p];
    if (value >= 0 && std::isfinite(value)) continue;
    throw InvalidArgument("feature " + std::to_string(view.indices[p] + 1) + " of item " + std::to_string(item + 1) +
                          " is " + std::to_string(value) + "; expected a finite number that is not negative");
  }
}

}  // namespace

template <class T>
PreparedBlocks<T>::PreparedBlocks(const BlockedItems<T>& from, const PrepareOptions& options, const LastRead& last)
    : from_(from),
      kept_features_(static_cast<std::size_t>(from.rows()), 1),
      kept_items_(static_cast<std::size_t>(from.cols()), 1) {
  if (options.drop_duplicates) throw InvalidArgument("equal items can be dropped only where all items are in memory");
  if (options.library_size > 0 || options.select_features > 0)
    throw InvalidArgument("features can be selected, and totals equalized, only where all items are in memory");
  number_kept();
  // Where nothing is asked for, the entries are checked as they are counted, in one read.
  if (asks_for_anything(options)) collect_short_items(options.min_item_total);
  drop(options);
  learn_weights(options);
  learn_scaling(options);
  learn_item_factors(options);
  count_entries(options, last);
  const bool is_changed = takes_logarithms_ || !feature_stages_.empty() || !item_stages_.empty() ||
                          rows_ != from.rows() || this->cols() != from.cols() || this->nonzeros() != from.nonzeros();
  if (!is_changed) row_of_ = {};
}

template <class T>
void PreparedBlocks<T>::read(Index block, SparseMatrix<T>& into) const {
  from_.read(block, into);
  if (row_of_.empty()) return;  // the items are as they were
  const Index first = from_.first_items()[block], columns = into.cols;
  Index place = 0, cols = 0, begin = 0, kept_item = first_items_[block];
  for (Index j = 0; j < columns; ++j) {
    const Index end = into.offsets[j + 1];
    if (kept_items_[first + j]) {
      for (Index p = begin; p < end; ++p) {
        const RowIndex row = row_of_[into.indices[p]];
        T value = into.values[p];
        if (row < 0 || value == T(0)) continue;
        if (takes_logarithms_) {
          const auto whole = static_cast<Index>(std::min(static_cast<double>(value), 1e9));
          value = whole < small_numbers && static_cast<T>(whole) == value
                      ? logarithms_[whole]
                      : static_cast<T>(std::log1p(static_cast<double>(value)));
        }
        // Each is rounded, as it is in memory.
        for (const auto& factors : feature_stages_) value = static_cast<T>(factors[row] * static_cast<double>(value));
        for (const auto& factors : item_stages_)
          value = static_cast<T>(factors[kept_item] * static_cast<double>(value));
        into.indices[place] = row;
        into.values[place++] = value;
      }
      into.offsets[++cols] = place;
      ++kept_item;
    }
    begin = end;
  }
  into.rows = rows_;
  into.cols = cols;
  into.offsets.resize(static_cast<std::size_t>(cols) + 1);
  into.indices.resize(static_cast<std::size_t>(place));
  into.values.resize(static_cast<std::size_t>(place));
}

template <class T>
template <class FeatureTerm, class ItemTerm>
typename PreparedBlocks<T>::Sums PreparedBlocks<T>::sums(const FeatureTerm& of_feature, const ItemTerm& of_item) const {
  const Index parts = parts_of(this->blocks());
  std::vector<std::vector<double>> partial(static_cast<std::size_t>(parts),
                                           std::vector<double>(static_cast<std::size_t>(rows_), 0));
  Sums result{std::vector<double>(static_cast<std::size_t>(rows_), 0),
              std::vector<double>(static_cast<std::size_t>(this->cols()), 0)};
  visit_stretches<T>(*this, parts, [&](Index part, Index block, const SparseView<T>& view) {
    auto& features = partial[part];
    const Index first = first_items_[block];
    for (Index j = 0; j < view.cols; ++j) {
      double& item = result.items[first + j];
      for (Index p = view.offsets[j]; p < view.offsets[j + 1]; ++p) {
        const RowIndex i = view.indices[p];
        features[i] += of_feature(i, view.values[p]);
        item += of_item(i, view.values[p]);
      }
    }
  });
  for (const auto& part : partial) {
    for (std::size_t i = 0; i < part.size(); ++i) result.features[i] += part[i];
  }
  return result;
}

// The first read: every entry is looked at.
template <class T>
void PreparedBlocks<T>::collect_short_items(double least) {
  std::vector<SparseMatrix<T>> found(static_cast<std::size_t>(from_.blocks()));
  std::vector<std::vector<Index>> numbers(found.size());
  visit_stretches<T>(from_, parts_of(from_.blocks()), [&](Index, Index block, const SparseView<T>& view) {
    std::vector<Index> own;
    for (Index j = 0; j < view.cols; ++j) {
      check_values(view, j, from_.first_items()[block] + j);
      double total = 0;
      for (Index p = view.offsets[j]; p < view.offsets[j + 1]; ++p) total += static_cast<double>(view.values[p]);
      if (total == 0 || total >= least) continue;
      own.push_back(j);
      numbers[block].push_back(from_.first_items()[block] + j);
    }
    if (!own.empty()) found[block] = select_columns(view, own);
  });
  short_entries_.rows = from_.rows();
  for (std::size_t b = 0; b < found.size(); ++b) {
    short_items_.insert(short_items_.end(), numbers[b].begin(), numbers[b].end());
    const SparseMatrix<T>& part = found[b];
    for (Index j = 0; j < part.cols; ++j) {
      for (Index p = part.offsets[j]; p < part.offsets[j + 1]; ++p) {
        if (part.values[p] == T(0)) continue;
        short_entries_.indices.push_back(part.indices[p]);
        short_entries_.values.push_back(part.values[p]);
      }
      short_entries_.offsets.push_back(short_entries_.nonzeros());
      ++short_entries_.cols;
    }
  }
}

// What is kept gets its numbers; factors that were learned stay with their features and items.
template <class T>
void PreparedBlocks<T>::number_kept() {
  const std::vector<Index> old_features = std::exchange(report_.kept_features, {});
  const std::vector<Index> old_items = std::exchange(report_.kept_items, {});
  const auto narrow = [](std::vector<std::vector<double>>& stages, const std::vector<Index>& old,
                         const std::vector<char>& kept) {
    for (auto& factors : stages) {
      std::size_t place = 0;
      for (std::size_t i = 0; i < old.size(); ++i) {
        if (kept[old[i]]) factors[place++] = factors[i];
      }
      factors.resize(place);
    }
  };
  narrow(feature_stages_, old_features, kept_features_);
  narrow(item_stages_, old_items, kept_items_);
  row_of_.assign(kept_features_.size(), -1);
  for (std::size_t i = 0; i < kept_features_.size(); ++i) {
    if (!kept_features_[i]) continue;
    row_of_[i] = static_cast<RowIndex>(report_.kept_features.size());
    report_.kept_features.push_back(static_cast<Index>(i));
  }
  rows_ = static_cast<Index>(report_.kept_features.size());
  const auto firsts = from_.first_items();
  first_items_.assign(1, 0);
  for (Index b = 0; b < from_.blocks(); ++b) {
    for (Index j = firsts[b]; j < firsts[b + 1]; ++j) {
      if (kept_items_[j]) report_.kept_items.push_back(j);
    }
    first_items_.push_back(static_cast<Index>(report_.kept_items.size()));
  }
  first_entries_.assign(first_items_.size(), 0);  // until all is known
}

template <class T>
void PreparedBlocks<T>::drop(const PrepareOptions& options) {
  if (!(options.min_feature_total > 0 || options.min_item_total > 0 || options.drop_empty)) return;
  while (drop_once(options)) {
  }
}

// The largest part in which every feature and every item has its total does not depend on the order of dropping.
template <class T>
bool PreparedBlocks<T>::drop_once(const PrepareOptions& options) {
  const auto value_of = [](RowIndex, T value) { return static_cast<double>(value); };
  const Sums totals = sums(value_of, value_of);
  bool changed = false;
  const auto drop_small = [&](const std::vector<double>& sums, const std::vector<Index>& numbers, double least,
                              std::vector<char>& kept, Index& small, Index& empty) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] < least) {
        ++small;
      } else if (options.drop_empty && sums[i] == 0) {
        ++empty;
      } else {
        continue;
      }
      kept[numbers[i]] = 0;
      changed = true;
    }
  };
  drop_small(totals.features, report_.kept_features, options.min_feature_total, kept_features_, report_.rare_features,
             report_.empty_features);
  drop_small(totals.items, report_.kept_items, options.min_item_total, kept_items_, report_.short_items,
             report_.empty_items);
  if (changed) number_kept();
  return changed;
}

template <class T>
void PreparedBlocks<T>::multiply_features(std::vector<double> factors) {
  feature_stages_.push_back(std::move(factors));
}

template <class T>
void PreparedBlocks<T>::learn_weights(const PrepareOptions& options) {
  takes_logarithms_ = takes_logarithms(options.weighting);
  if (takes_logarithms_) {
    for (Index v = 0; v < small_numbers; ++v) logarithms_.push_back(static_cast<T>(std::log1p(static_cast<double>(v))));
  }
  if (!has_factors(options.weighting)) return;
  std::vector<double> factors = sums([](RowIndex, T) { return 1.0; }, [](RowIndex, T) { return 0.0; }).features;
  for (double& factor : factors) factor = idf(options.weighting, static_cast<double>(this->cols()), factor);
  const bool empties = std::ranges::find(factors, 0.0) != factors.end();
  multiply_features(std::move(factors));
  if (empties) drop({.drop_empty = options.drop_empty});  // what log(n / n) = 0 has emptied
}

template <class T>
void PreparedBlocks<T>::learn_scaling(const PrepareOptions& options) {
  if (options.feature_scaling == FeatureScaling::none) return;
  const auto nothing = [](RowIndex, T) { return 0.0; };
  std::vector<double> factors;
  if (options.feature_scaling == FeatureScaling::max) {
    const Index parts = parts_of(this->blocks());
    std::vector<std::vector<double>> partial(static_cast<std::size_t>(parts),
                                             std::vector<double>(static_cast<std::size_t>(rows_), 0));
    visit_stretches<T>(*this, parts, [&](Index part, Index, const SparseView<T>& view) {
      for (std::size_t p = 0; p < view.values.size(); ++p) {
        double& most = partial[part][view.indices[p]];
        most = std::max(most, static_cast<double>(view.values[p]));
      }
    });
    factors.assign(static_cast<std::size_t>(rows_), 0);
    for (const auto& part : partial) {
      for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = std::max(factors[i], part[i]);
    }
    for (double& factor : factors) factor = factor > 0 ? 1 / factor : 1;
  } else {
    const auto items = static_cast<double>(this->cols());
    auto mean = sums([](RowIndex, T value) { return static_cast<double>(value); }, nothing).features;
    for (double& value : mean) value /= items;
    const auto holders = sums([](RowIndex, T) { return 1.0; }, nothing).features;
    factors = sums(
                  [&](RowIndex i, T value) {
                    const double difference = static_cast<double>(value) - mean[i];
                    return difference * difference;
                  },
                  nothing)
                  .features;
    for (std::size_t i = 0; i < factors.size(); ++i)
      factors[i] = deviation_factor(items, holders[i], mean[i], factors[i]);
  }
  multiply_features(std::move(factors));
}

template <class T>
void PreparedBlocks<T>::learn_item_factors(const PrepareOptions& options) {
  const bool damped = is_damped(options);
  const auto norms = [&](const auto& use) {
    std::vector<double> values(static_cast<std::size_t>(this->cols()), 0);
    visit_stretches<T>(*this, parts_of(this->blocks()), [&](Index, Index block, const SparseView<T>& view) {
      SparseMatrix<T> matrix{.rows = view.rows, .cols = view.cols};
      matrix.offsets.assign(view.offsets.begin(), view.offsets.end());
      matrix.indices.assign(view.indices.begin(), view.indices.end());
      matrix.values.assign(view.values.begin(), view.values.end());
      const Dataset<T> items{std::move(matrix)};
      for (Index j = 0; j < view.cols; ++j) values[first_items_[block] + j] = use(item_norm(items, j));
    });
    return values;
  };
  if (options.unit_items && damped) {
    const double median = median_above_zero(norms([](const ItemNorm& norm) { return norm.value(); }));
    multiply_features(std::vector<double>(static_cast<std::size_t>(rows_), 1 / median));
  }
  if (options.unit_items)
    item_stages_.push_back(norms([&](const ItemNorm& norm) { return unit_factor(norm, damped); }));
  if (!feature_stages_.empty()) {
    report_.feature_factors.assign(static_cast<std::size_t>(rows_), 1);
    for (const auto& factors : feature_stages_) {
      for (std::size_t i = 0; i < factors.size(); ++i) report_.feature_factors[i] *= factors[i];
    }
  }
  if (!divides_by_degree(options)) return;
  const auto nothing = [](RowIndex, T) { return 0.0; };
  auto totals = sums([](RowIndex, T value) { return static_cast<double>(value); }, nothing).features;
  const auto degrees = [&] {
    return sums(nothing, [&](RowIndex i, T value) { return static_cast<double>(value) * totals[i]; }).items;
  };
  std::vector<double> factors = degrees();
  if (damped) {
    const double median = median_above_zero(factors);
    for (double& total : totals) total /= median;
    factors = degrees();
  }
  for (double& factor : factors) factor = degree_factor(factor, damped);
  report_.feature_totals = std::move(totals);
  item_stages_.push_back(std::move(factors));
}

// The last read: entries are counted, and what else is asked for.
template <class T>
void PreparedBlocks<T>::count_entries(const PrepareOptions& options, const LastRead& last) {
  const Index blocks = this->blocks();
  const bool check = !asks_for_anything(options);
  const auto features = static_cast<std::size_t>(rows_);
  const Index parts =
      std::clamp<Index>(static_cast<Index>(bytes_of_counts / (sizeof(std::int32_t) * (features + 1))), 2, most_parts);
  std::vector<Index> entries(static_cast<std::size_t>(blocks), 0), empty(entries);
  std::vector<double> largest(entries.size(), 0), squares(entries.size(), 0);
  std::vector<std::vector<char>> held(static_cast<std::size_t>(parts), std::vector<char>(features, 0));
  std::vector<std::vector<std::int32_t>> counts(last.lists ? held.size() : 0, std::vector<std::int32_t>(features, 0));
  if (last.lists) {
    facts_.has_lists = true;
    facts_.sizes.resize(static_cast<std::size_t>(this->cols()));
    facts_.squared_norms.resize(static_cast<std::size_t>(this->cols()));
  }
  visit_stretches<T>(*this, parts, [&](Index part, Index block, const SparseView<T>& view) {
    entries[block] = view.nonzeros();
    squares[block] = squared_norm(view.values);
    for (const T value : view.values) largest[block] = std::max(largest[block], static_cast<double>(value));
    for (Index j = 0; j < view.cols; ++j) {
      bool has_any = false;
      const Index item = first_items_[block] + j;
      if (check) check_values(view, j, item);
      double square = 0;
      for (Index p = view.offsets[j]; p < view.offsets[j + 1]; ++p) {
        if (last.lists) ++counts[part][view.indices[p]];
        const double value = static_cast<double>(view.values[p]);
        square += value * value;
        if (value == 0) continue;
        has_any = true;
        held[part][view.indices[p]] = 1;
      }
      empty[block] += has_any ? 0 : 1;
      if (!last.lists) continue;
      facts_.sizes[item] = static_cast<std::int32_t>(view.offsets[j + 1] - view.offsets[j]);
      facts_.squared_norms[item] = square;
    }
    if (last.also) last.also(block, view);
  });
  for (Index b = 0; b < blocks; ++b) {
    first_entries_[b + 1] = first_entries_[b] + entries[b];
    facts_.largest = std::max(facts_.largest, largest[b]);
    facts_.squared_norm += squares[b];
  }
  if (last.lists) {
    facts_.counts.assign(features, 0);
    for (const auto& part : counts) std::ranges::transform(part, facts_.counts, facts_.counts.begin(), std::plus());
  }
  if (options.drop_empty) return;
  report_.empty_items += std::accumulate(empty.begin(), empty.end(), Index(0));
  for (Index i = 0; i < rows_; ++i)
    report_.empty_features += std::ranges::none_of(held, [&](const auto& part) { return part[i] != 0; });
}

template class PreparedBlocks<float>;
template class PreparedBlocks<double>;

}  // namespace copse
