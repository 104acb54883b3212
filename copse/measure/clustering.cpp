#include "copse/measure/clustering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "copse/base/error.h"
#include "copse/measure/matching.h"

namespace copse {
namespace {

template <class Label>
std::vector<Index> number(std::span<const Label> labels) {
  std::unordered_map<Label, Index> numbers;
  std::vector<Index> result;
  result.reserve(labels.size());
  for (const Label& label : labels)
    result.push_back(numbers.try_emplace(label, static_cast<Index>(numbers.size())).first->second);
  return result;
}

Index distinct(std::span<const Index> numbers) {
  return numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1;
}

// How many items of each class (row) are in each cluster (column).
SparseMatrix<double> count_pairs(std::span<const Index> clusters, std::span<const Index> classes) {
  const Index columns = distinct(clusters), rows = distinct(classes);
  std::vector<Index> pairs(clusters.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = clusters[i] * rows + classes[i];
  std::sort(pairs.begin(), pairs.end());

  SparseMatrix<double> table{.rows = rows, .cols = columns};
  table.offsets.assign(static_cast<std::size_t>(columns) + 1, 0);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i > 0 && pairs[i] == pairs[i - 1]) {
      ++table.values.back();
      continue;
    }
    ++table.offsets[static_cast<std::size_t>(pairs[i] / rows) + 1];
    table.indices.push_back(static_cast<RowIndex>(pairs[i] % rows));
    table.values.push_back(1);
  }
  for (Index j = 0; j < columns; ++j) table.offsets[j + 1] += table.offsets[j];
  return table;
}

// -sum p log p of the shares p = count / total.
double entropy_of(std::span<const double> counts, double total) {
  double sum = 0;
  for (const double count : counts) sum -= count / total * std::log(count / total);
  return sum;
}

double pairs_within(std::span<const double> counts) {
  double sum = 0;
  for (const double count : counts) sum += count * (count - 1) / 2;
  return sum;
}

}  // namespace

ClusteringMeasures compare_clusterings(std::span<const Index> clusters, std::span<const Index> classes) {
  if (clusters.size() != classes.size())
    throw InvalidArgument("there are " + std::to_string(clusters.size()) + " cluster labels but " +
                          std::to_string(classes.size()) + " class labels; expected one of each per item");
  ClusteringMeasures measures;
  if (clusters.empty()) return measures;
  const auto table = count_pairs(number(clusters), number(classes));
  const auto items = static_cast<double>(clusters.size());
  measures.items = static_cast<Index>(clusters.size());
  measures.clusters = table.cols;
  measures.classes = table.rows;

  std::vector<double> cluster_sizes(static_cast<std::size_t>(table.cols)),
      class_sizes(static_cast<std::size_t>(table.rows));
  for (Index j = 0; j < table.cols; ++j) {
    for (Index p = table.offsets[j]; p < table.offsets[j + 1]; ++p) {
      cluster_sizes[j] += table.values[p];
      class_sizes[table.indices[p]] += table.values[p];
    }
  }

  const auto class_of = best_matching(table);
  double matched = 0, largest = 0, information = 0, disorder = 0;
  for (Index j = 0; j < table.cols; ++j) {
    double most = 0;
    for (Index p = table.offsets[j]; p < table.offsets[j + 1]; ++p) {
      const double count = table.values[p];
      if (table.indices[p] == class_of[j]) matched += count;
      most = std::max(most, count);
      information += count / items * std::log(items * count / (cluster_sizes[j] * class_sizes[table.indices[p]]));
      disorder -= count * std::log2(count / cluster_sizes[j]);
    }
    largest += most;
  }
  measures.accuracy = matched / items;
  measures.purity = largest / items;
  measures.entropy = table.rows > 1 ? disorder / (items * std::log2(static_cast<double>(table.rows))) : 0;

  // Below one rounding unit the two are independent, as scikit-learn has it; one cluster and one class agree.
  const double mean_entropy = (entropy_of(cluster_sizes, items) + entropy_of(class_sizes, items)) / 2;
  if (table.cols > 1 || table.rows > 1)
    measures.nmi = information <= std::numeric_limits<double>::epsilon() ? 0 : information / mean_entropy;

  const double together = pairs_within(table.values);
  const double apart_in_classes = pairs_within(cluster_sizes) - together;
  const double apart_in_clusters = pairs_within(class_sizes) - together;
  const double apart = items * (items - 1) / 2 - together - apart_in_classes - apart_in_clusters;
  if (apart_in_classes != 0 || apart_in_clusters != 0)
    measures.ari = 2 * (together * apart - apart_in_classes * apart_in_clusters) /
                   ((together + apart_in_clusters) * (apart_in_clusters + apart) +
                    (together + apart_in_classes) * (apart_in_classes + apart));
  return measures;
}

std::vector<Index> label_numbers(std::span<const std::string> labels) { return number(labels); }

}  // namespace copse
