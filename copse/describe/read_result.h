// A result that lies in a folder, whole: to be looked at, changed and written again.
#pragma once

#include "copse/describe/result.h"
#include "copse/model/stored_result.h"

namespace copse {

// Throw InputError for a folder without a complete result of that kind.
FlatResult read_flat_result(const StoredResult& stored);
TreeResult read_tree_result(const StoredResult& stored);
GraphResult read_graph_result(const StoredResult& stored);

// Topics and what they are made of alone: what `show` and `report` start from.
struct StoredView {
  TopicView view;
  ModelItems items;
};

// Throws InputError for a folder without a complete result.
StoredView read_view(const StoredResult& stored, const ViewLimits& limits = {});

}  // namespace copse
