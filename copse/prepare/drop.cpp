#include "copse/prepare/drop.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

#include "copse/prepare/feature_sums.h"

namespace copse {
namespace {

// What is still kept, 1 or 0 each.
struct Selection {
  std::vector<char> features, items;
};

template <class T, class Visit>
void visit_kept(const Dataset<T>& data, const Selection& kept, Index item, const Visit& visit) {
  visit_nonzeros(data, item, [&](Index feature, T value) {
    if (kept.features[feature]) visit(feature, value);
  });
}

// Drops those of `totals` that are below `least` or, if asked, zero; entries are not negative, so zero means empty.
bool drop_small(std::span<const double> totals, double least, bool drop_empty, std::vector<char>& kept, Index& small,
                Index& empty) {
  bool changed = false;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (!kept[i]) continue;
    if (totals[i] < least) {
      ++small;
    } else if (drop_empty && totals[i] == 0) {
      ++empty;
    } else {
      continue;
    }
    kept[i] = 0;
    changed = true;
  }
  return changed;
}

template <class T>
bool drop_small_features(const Dataset<T>& data, const PrepareOptions& options, Selection& kept,
                         PrepareReport& report) {
  const auto totals = feature_sums(
      data, [&](Index item, Index, T value) { return kept.items[item] ? static_cast<double>(value) : 0.0; });
  return drop_small(totals, options.min_feature_total, options.drop_empty, kept.features, report.rare_features,
                    report.empty_features);
}

template <class T>
bool drop_small_items(const Dataset<T>& data, const PrepareOptions& options, Selection& kept, PrepareReport& report) {
  std::vector<double> totals(static_cast<std::size_t>(data.items()), 0);
  parallel_blocks(data.items(), 1024, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j)
      visit_kept(data, kept, j, [&](Index, T value) { totals[j] += static_cast<double>(value); });
  });
  return drop_small(totals, options.min_item_total, options.drop_empty, kept.items, report.short_items,
                    report.empty_items);
}

template <class T>
std::vector<std::pair<Index, T>> entries_of(const Dataset<T>& data, const Selection& kept, Index item) {
  std::vector<std::pair<Index, T>> entries;
  visit_kept(data, kept, item, [&](Index feature, T value) { entries.emplace_back(feature, value); });
  return entries;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

// Items are equal only if their hashes are; items with the same hash are compared entry by entry.
template <class T>
std::vector<char> find_duplicates(const Dataset<T>& data, const Selection& kept) {
  std::vector<std::uint64_t> hash(static_cast<std::size_t>(data.items()), 0);
  parallel_blocks(data.items(), 1024, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      if (!kept.items[j]) continue;
      visit_kept(data, kept, j, [&](Index feature, T value) {
        hash[j] = mix(mix(hash[j], static_cast<std::uint64_t>(feature + 1)),
                      std::bit_cast<std::uint64_t>(static_cast<double>(value)));
      });
    }
  });
  std::vector<Index> order;
  for (Index j = 0; j < data.items(); ++j) {
    if (hash[j] != 0) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return hash[a] < hash[b]; });

  std::vector<char> duplicate(static_cast<std::size_t>(data.items()), 0);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    std::vector<std::vector<std::pair<Index, T>>> different;
    for (end = begin + 1; end < order.size() && hash[order[end]] == hash[order[begin]];) ++end;
    if (end == begin + 1) continue;
    for (std::size_t p = begin; p < end; ++p) {
      auto entries = entries_of(data, kept, order[p]);
      if (std::find(different.begin(), different.end(), entries) != different.end())
        duplicate[order[p]] = 1;
      else
        different.push_back(std::move(entries));
    }
  }
  return duplicate;
}

template <class Value>
void select(std::vector<Value>& values, const std::vector<char>& kept) {
  if (values.empty()) return;
  std::size_t place = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) std::swap(values[place++], values[i]);
  }
  values.resize(place);
}

// In place: an entry never moves to the right.
template <class T>
void select(SparseMatrix<T>& x, const Selection& kept) {
  std::vector<RowIndex> row_of(static_cast<std::size_t>(x.rows), 0);
  RowIndex rows = 0;
  for (Index i = 0; i < x.rows; ++i) row_of[i] = kept.features[i] ? rows++ : -1;
  Index place = 0, cols = 0, begin = 0;
  for (Index j = 0; j < x.cols; ++j) {
    const Index end = x.offsets[j + 1];
    if (kept.items[j]) {
      for (Index p = begin; p < end; ++p) {
        if (row_of[x.indices[p]] < 0 || x.values[p] == T(0)) continue;
        x.indices[place] = row_of[x.indices[p]];
        x.values[place++] = x.values[p];
      }
      x.offsets[++cols] = place;
    }
    begin = end;
  }
  x.rows = rows;
  x.cols = cols;
  x.offsets.resize(static_cast<std::size_t>(cols) + 1);
  x.indices.resize(static_cast<std::size_t>(place));
  x.values.resize(static_cast<std::size_t>(place));
}

template <class T>
void select(Matrix<T>& items, const Selection& kept) {
  const auto count = [](const std::vector<char>& marks) { return std::count(marks.begin(), marks.end(), 1); };
  Matrix<T> result(count(kept.items), count(kept.features));
  Index row = 0;
  for (Index j = 0; j < items.rows(); ++j) {
    if (!kept.items[j]) continue;
    Index column = 0;
    for (Index i = 0; i < items.cols(); ++i) {
      if (kept.features[i]) result(row, column++) = items(j, i);
    }
    ++row;
  }
  items = std::move(result);
}

template <class T>
void keep(Dataset<T>& data, const Selection& kept, PrepareReport& report) {
  std::visit([&](auto& values) { select(values, kept); }, data.values);
  select(data.feature_names, kept.features);
  select(data.item_names, kept.items);
  select(report.kept_features, kept.features);
  select(report.feature_factors, kept.features);
  select(report.kept_items, kept.items);
}

}  // namespace

template <class T>
void drop(Dataset<T>& data, const PrepareOptions& options, PrepareReport& report) {
  Selection kept{std::vector<char>(static_cast<std::size_t>(data.features()), 1),
                 std::vector<char>(static_cast<std::size_t>(data.items()), 1)};
  const bool by_total = options.min_feature_total > 0 || options.min_item_total > 0 || options.drop_empty;
  for (bool changed = true; changed;) {
    changed = false;
    if (by_total) {
      changed |= drop_small_features(data, options, kept, report);
      changed |= drop_small_items(data, options, kept, report);
    }
    if (changed || !options.drop_duplicates) continue;
    const auto duplicate = find_duplicates(data, kept);
    for (Index j = 0; j < data.items(); ++j) {
      if (!duplicate[j]) continue;
      kept.items[j] = 0;
      ++report.duplicate_items;
      changed = true;
    }
  }
  const auto all = [](const std::vector<char>& marks) {
    return std::find(marks.begin(), marks.end(), 0) == marks.end();
  };
  const auto* sparse = std::get_if<SparseMatrix<T>>(&data.values);
  const bool stored_zeros =
      sparse && std::find(sparse->values.begin(), sparse->values.end(), T(0)) != sparse->values.end();
  if (all(kept.features) && all(kept.items) && !stored_zeros) return;
  keep(data, kept, report);
}

template <class T>
void keep_features(Dataset<T>& data, const std::vector<char>& kept, PrepareReport& report) {
  keep(data, {kept, std::vector<char>(static_cast<std::size_t>(data.items()), 1)}, report);
}

template <class T>
std::vector<char> find_duplicates(const Dataset<T>& data) {
  return find_duplicates(data, Selection{std::vector<char>(static_cast<std::size_t>(data.features()), 1),
                                         std::vector<char>(static_cast<std::size_t>(data.items()), 1)});
}

template void keep_features(Dataset<float>&, const std::vector<char>&, PrepareReport&);
template void keep_features(Dataset<double>&, const std::vector<char>&, PrepareReport&);
template void drop(Dataset<float>&, const PrepareOptions&, PrepareReport&);
template void drop(Dataset<double>&, const PrepareOptions&, PrepareReport&);
template std::vector<char> find_duplicates(const Dataset<float>&);
template std::vector<char> find_duplicates(const Dataset<double>&);

}  // namespace copse
