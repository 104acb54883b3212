// MatrixMarket exchange files: coordinate and array; real, integer and pattern; general and symmetric.
#pragma once

#include <functional>

#include "copse/io/input.h"
#include "copse/io/read_options.h"
#include "copse/io/triplets.h"

namespace copse {

MatrixSummary peek_matrix_market(const Input& input, const ReadOptions& options);

template <class T>
ReadResult<T> read_matrix_market(const Input& input, const ReadOptions& options);

// Calls take(features, items, entries) for the entries in the order of the file, piece by piece, and holds no more than
// a piece; `options.items` must not be automatic. False, without a call, for an array: it has no entries, but all.
template <class T>
bool for_each_entry(const Input& input, const ReadOptions& options,
                    const std::function<void(Index features, Index items, Triplets<T>& entries)>& take);

}  // namespace copse
