// What the models of flat results and of trees have in common: names, what preparation learned, and the documents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/model/tensor_store.h"

namespace copse {

struct ModelItems {
  std::vector<std::string> feature_names;
  std::vector<std::string> item_names;   // of all items of the file
  std::vector<std::string> classes;      // the true class of each of them, or empty
  std::vector<Index> kept_items;         // numbers of those that preparation kept; empty: all
  std::vector<Index> kept_features;      // the numbers they had in the file, or in the vocabulary
  std::vector<Index> outside_items;      // ascending: kept out of the fit and placed afterwards
  std::vector<std::string> outside_ids;  // their topics; "" for none
  std::vector<double> outside_weights;
  std::vector<double> feature_factors;  // as PrepareReport has them
  std::vector<double> feature_totals;
  std::vector<std::string> label_ids;  // topics with an automatic name; ids stay when a tree is edited
  std::vector<std::string> labels;
  std::vector<std::string> stability_ids;  // topics whose stability was measured, as stability.h has it
  std::vector<double> stability;
  std::vector<double> item_stability;  // of the kept items, NaN where it is not known; empty: not measured

  std::vector<std::string> times;      // of all items, or empty
  std::vector<std::string> topic_ids;  // topics whose coherence is known; ids stay when a tree is edited
  std::vector<double> coherence;

  // Of documents only.
  std::string vocabulary;              // as JSON; empty for a matrix
  std::vector<std::string> titles;     // of all documents, or empty
  std::vector<Index> document_counts;  // of each feature: the documents that hold it
  std::vector<Index> near_duplicates;  // documents that nearly equal an earlier one, among the kept ones
  std::vector<Index> excerpt_items;    // ascending: documents, among all, of which the beginning is kept
  std::vector<std::string> excerpts;

  bool is_text() const { return !vocabulary.empty(); }
  // The number among all items of one that was kept, and the reverse: -1 for one that was dropped.
  Index number_of(Index kept) const { return kept_items.empty() ? kept : kept_items[static_cast<std::size_t>(kept)]; }
  std::vector<Index> kept_numbers() const;
  // A feature without a name is called by its number.
  std::string feature_name(Index feature) const {
    return feature_names.empty() ? std::to_string(feature) : feature_names[static_cast<std::size_t>(feature)];
  }
  // The cluster of items without a topic, in tables.
  std::string no_topic() const { return is_text() ? "none" : "-1"; }
};

// Clusters against classes, for items that have a class. `labels` are those of all items of the file. Documents without
// a topic (-1) are a cluster of their own; such items of a matrix do not count. None without classes.
std::optional<ClusteringMeasures> measure(const ModelItems& items, const std::vector<Index>& labels);

void add_items(TensorWriter& writer, const ModelItems& items);
// Checks that lengths and numbers fit `features` and `kept`.
ModelItems read_items(const TensorReader& reader, Index features, Index kept);

}  // namespace copse
