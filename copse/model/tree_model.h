// A tree in model.safetensors: what `edit` needs to change it without the data, and to take changes back.
#pragma once

#include <string>
#include <vector>

#include "copse/io/output_file.h"
#include "copse/model/model_items.h"
#include "copse/tree/tree.h"

namespace copse {

struct TreeVersion {
  Tree tree;
  // By flattening: the leaf of every item, -1 for none, and its share of the item's coefficients; the next best leaf
  // and its share. All empty: never fitted.
  std::vector<Index> flat = {};
  std::vector<double> flat_weights = {};
  std::vector<Index> flat_second = {};
  std::vector<double> flat_second_weights = {};
};

struct TreeModel {
  std::vector<TreeVersion> versions;  // the last is the present one; the others are there to be taken back to
  std::vector<std::string> history;   // what led from each version to the next
  AnyMatrix topics;                   // features x leaves: the flat model
  ModelItems items;
};

void write_model(OutputFile& file, const TreeModel& model, const Settings& settings);

// Throws InputError for a file that is not the model of a tree.
TreeModel read_tree_model(const Input& file);

}  // namespace copse
