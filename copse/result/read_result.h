// A result that lies in a folder, whole: to be looked at, changed and written again.
#pragma once

#include "copse/result/flat_run.h"
#include "copse/result/graph_run.h"
#include "copse/result/stored_result.h"
#include "copse/result/tree_result.h"

namespace copse {

// Throw InputError for a folder without a complete result of that kind.
template <class T>
FlatResult<T> read_flat_result(const StoredResult& stored);
template <class T>
TreeResult<T> read_tree_result(const StoredResult& stored);
template <class T>
GraphResult<T> read_graph_result(const StoredResult& stored);

}  // namespace copse
