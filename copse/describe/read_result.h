// A result that lies in a folder, whole: to be looked at, changed and written again.
#pragma once

#include "copse/describe/flat_result.h"
#include "copse/describe/graph_result.h"
#include "copse/describe/tree_result.h"
#include "copse/model/stored_result.h"

namespace copse {

// Throw InputError for a folder without a complete result of that kind.
template <class T>
FlatResult<T> read_flat_result(const StoredResult& stored);
template <class T>
TreeResult<T> read_tree_result(const StoredResult& stored);
template <class T>
GraphResult<T> read_graph_result(const StoredResult& stored);

}  // namespace copse
