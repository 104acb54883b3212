#include "copse/choose/survey_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "copse/base/median.h"
#include "copse/base/parallel.h"
#include "copse/choose/parts.h"
#include "copse/measure/matching.h"

namespace copse {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double dot_rows(const Matrix<float>& a, Index i, const Matrix<double>& b, Index j) {
  double sum = 0;
  for (Index c = 0; c < a.cols(); ++c) sum += static_cast<double>(a(i, c)) * b(j, c);
  return sum;
}

// A partner for every row of `run` among the rows of `centres`, all different, with the largest sum of cosines.
std::vector<Index> matched(const Matrix<float>& run, const Matrix<double>& centres) {
  const Index k = run.rows();
  SparseMatrix<double> gains{.rows = k, .cols = k};
  for (Index c = 0; c < k; ++c) {
    for (Index r = 0; r < k; ++r) {
      gains.indices.push_back(static_cast<RowIndex>(r));
      gains.values.push_back(1 + dot_rows(run, c, centres, r));  // at least 0
    }
    gains.offsets.push_back(static_cast<Index>(gains.values.size()));
  }
  return best_matching(gains);
}

// The share of values of data without clusters that reach the value, of the kind where it is larger; nothing where
// there are none.
std::optional<double> p_value(double value, const std::map<RunKind, std::vector<double>>& lists) {
  std::optional<double> p;
  for (const RunKind null : {RunKind::null_split, RunKind::shuffled_split}) {
    const auto list = lists.find(null);
    if (list == lists.end() || list->second.empty()) continue;
    const auto reached = std::ranges::count_if(list->second, [&](double other) { return other >= value; });
    p = std::max(p.value_or(0), static_cast<double>(1 + reached) / static_cast<double>(1 + list->second.size()));
  }
  return p;
}

}  // namespace

Spread spread_of(std::vector<double> values, Average average, int per_run) {
  std::vector<double> run_means;
  for (std::size_t begin = 0; begin < values.size(); begin += static_cast<std::size_t>(per_run)) {
    const auto end = std::min(values.size(), begin + static_cast<std::size_t>(per_run));
    run_means.push_back(std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                        values.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                        static_cast<double>(end - begin));
  }
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::erase_if(run_means, [](double value) { return std::isnan(value); });
  if (values.empty()) return {0, unknown, unknown, unknown};
  const auto deviation = [](const std::vector<double>& list) {
    const auto n = static_cast<double>(list.size());
    const double mean = std::accumulate(list.begin(), list.end(), 0.0) / n;
    double square = 0;
    for (const double value : list) square += (value - mean) * (value - mean);
    return list.size() < 2 ? 0.0 : std::sqrt(square / (n - 1));
  };
  Spread spread{.count = static_cast<Index>(values.size())};
  spread.deviation = deviation(values);
  spread.error = deviation(run_means) / std::sqrt(static_cast<double>(run_means.size()));
  if (average == Average::mean) {
    spread.centre = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  } else {
    spread.centre = median<double>(values);
  }
  return spread;
}

std::vector<double> silhouettes_of(const std::vector<const Matrix<float>*>& runs) {
  if (runs.empty()) return {};
  if (runs.size() < 2 || runs.front()->rows() < 2)
    return std::vector<double>(static_cast<std::size_t>(runs.front()->rows()), 1);
  const Index k = runs.front()->rows(), width = runs.front()->cols();
  const auto count = static_cast<Index>(runs.size());
  // The means start as the components of the first run and follow the matching.
  Matrix<double> centres(k, width);
  for (Index c = 0; c < k; ++c) std::ranges::copy(runs.front()->row(c), centres.row(c).begin());
  std::vector<std::vector<Index>> group(runs.size());
  for (int round = 0; round < 10; ++round) {
    std::vector<std::vector<Index>> next;
    for (const auto* run : runs) next.push_back(matched(*run, centres));
    if (next == group) break;
    group = std::move(next);
    std::ranges::fill(centres.values(), 0);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      for (Index c = 0; c < k; ++c) {
        for (Index i = 0; i < width; ++i) centres(group[r][c], i) += (*runs[r])(c, i);
      }
    }
    for (Index c = 0; c < k; ++c) {
      double square = 0;
      for (const double value : centres.row(c)) square += value * value;
      for (double& value : centres.row(c)) value = square > 0 ? value / std::sqrt(square) : 0;
    }
  }
  // Sums of the members of each group give the mean distance of a component to a group.
  Matrix<double> sums(k, width);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (Index c = 0; c < k; ++c) {
      for (Index i = 0; i < width; ++i) sums(group[r][c], i) += (*runs[r])(c, i);
    }
  }
  std::vector<double> total(static_cast<std::size_t>(k));
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (Index c = 0; c < k; ++c) {
      const Index own = group[r][c];
      const double self = [&] {
        double square = 0;
        for (const float value : runs[r]->row(c)) square += static_cast<double>(value) * value;
        return square;
      }();
      const double within = 1 - (dot_rows(*runs[r], c, sums, own) - self) / static_cast<double>(count - 1);
      double nearest = std::numeric_limits<double>::infinity();
      for (Index g = 0; g < k; ++g) {
        if (g != own) nearest = std::min(nearest, 1 - dot_rows(*runs[r], c, sums, g) / static_cast<double>(count));
      }
      const double larger = std::max(within, nearest);
      total[own] += larger > 0 ? (nearest - within) / larger : 0;
    }
  }
  for (double& sum : total) sum /= static_cast<double>(count);
  std::ranges::sort(total, std::ranges::greater());
  return total;
}

std::vector<Index> best_labels(const std::vector<RunRecord>& records, Index k) {
  const RunRecord* best = nullptr;
  for (const RunRecord& record : records) {
    if (record.key.kind != RunKind::start || record.key.k != k || !record.failure.empty()) continue;
    if (best == nullptr ||
        std::pair(record.values[0], record.key.number) < std::pair(best->values[0], best->key.number))
      best = &record;
  }
  return best == nullptr ? std::vector<Index>{} : std::vector<Index>(best->labels.begin(), best->labels.end());
}

template <class T>
Consensus consensus_of(const Survey<T>& survey, const std::vector<RunRecord>& records, RunKind kind, Index k) {
  Consensus consensus(survey.watched_items());
  std::vector<Index> all(static_cast<std::size_t>(survey.items()));
  std::iota(all.begin(), all.end(), Index(0));
  for (const RunRecord& record : records) {
    if (record.key.kind != kind || record.key.k != k || !record.failure.empty()) continue;
    const std::vector<Index> labels(record.labels.begin(), record.labels.end());
    consensus.add(kind == RunKind::resample ? survey.resampled_items(record.key.number) : all, labels);
  }
  return consensus;
}

template <class T>
SurveyTable tabulate(const Survey<T>& survey, std::vector<RunRecord> records, Average average) {
  std::ranges::sort(records, {}, &RunRecord::key);
  SurveyTable table;
  table.watched = static_cast<Index>(survey.watched_items().size());
  for (const Index k : survey.options().ks) {
    SurveyRow row;
    row.k = k;
    std::map<RunKind, std::vector<double>> values, recurrences;
    std::vector<double> returning;
    std::map<RunKind, int> ended;
    std::map<RunKind, std::vector<const Matrix<float>*>> components;
    for (const RunRecord& record : records) {
      if (record.key.k != k) continue;
      if (!record.failure.empty()) {
        ++row.failed;
        continue;
      }
      ++row.runs;
      ++ended[record.key.kind];
      auto& list = values[record.key.kind];
      switch (record.key.kind) {
        case RunKind::split:
        case RunKind::null_split:
        case RunKind::shuffled_split:
          list.insert(list.end(), record.values.begin(), record.values.begin() + 2);
          recurrences[record.key.kind].insert(recurrences[record.key.kind].end(), record.values.begin() + 2,
                                              record.values.begin() + 4);
          if (record.key.kind == RunKind::split)
            returning.insert(returning.end(), record.values.begin() + 4, record.values.begin() + 6);
          break;
        case RunKind::start:
          if (!row.error || record.values[0] < *row.error) {
            row.error = record.values[0];
            if (record.values.size() > 1) row.separability = record.values[1];
          }
          break;
        default:
          list.push_back(record.values[0]);
      }
      if (record.components.rows() > 0) components[record.key.kind].push_back(&record.components);
    }
    const auto spread = [&](std::map<RunKind, std::vector<double>>& lists, RunKind kind) {
      return ended[kind] > 0 ? std::optional(spread_of(lists[kind], average, 2)) : std::nullopt;
    };
    row.strength = spread(values, RunKind::split);
    row.null_strength = spread(values, RunKind::null_split);
    row.shuffled_strength = spread(values, RunKind::shuffled_split);
    row.recurrence = spread(recurrences, RunKind::split);
    row.null_recurrence = spread(recurrences, RunKind::null_split);
    row.shuffled_recurrence = spread(recurrences, RunKind::shuffled_split);
    if (!returning.empty()) row.returning = spread_of(returning, Average::mean, 2);
    if (row.strength && row.null_strength) row.gps = row.strength->centre - row.null_strength->centre;
    if (row.strength) row.p_value = p_value(row.strength->centre, values);
    if (row.recurrence) row.recurrence_p_value = p_value(row.recurrence->centre, recurrences);
    if (ended[RunKind::resample] > 0) row.resampled = consensus_of(survey, records, RunKind::resample, k).measures();
    if (ended[RunKind::start] > 1) row.started = consensus_of(survey, records, RunKind::start, k).measures();
    const auto take_silhouettes = [&](RunKind kind, std::vector<double>& all, std::optional<double>& least) {
      if (components[kind].size() < 2) return;
      all = silhouettes_of(components[kind]);
      least = all.back();
    };
    take_silhouettes(RunKind::resample, row.silhouettes, row.silhouette);
    take_silhouettes(RunKind::perturbed, row.perturbed_silhouettes, row.perturbed_silhouette);
    if (ended[RunKind::hold_out] > 0) row.hidden_error = spread_of(values[RunKind::hold_out], average);
    if (ended[RunKind::bi_cross] > 0) row.block_error = spread_of(values[RunKind::bi_cross], average);
    if (ended[RunKind::gap] > 0 && ended[RunKind::null_gap] > 0) {
      const Spread null = spread_of(values[RunKind::null_gap], Average::mean);
      row.gap = null.centre - values[RunKind::gap].front();
      row.gap_deviation = null.deviation;
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

#define COPSE_INSTANTIATE(T)                                                                        \
  template Consensus consensus_of(const Survey<T>&, const std::vector<RunRecord>&, RunKind, Index); \
  template SurveyTable tabulate(const Survey<T>&, std::vector<RunRecord>, Average);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
