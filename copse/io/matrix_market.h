// MatrixMarket exchange files: coordinate and array; real, integer and pattern; general and symmetric.
#pragma once

#include "copse/io/input.h"
#include "copse/io/matrix_file.h"

namespace copse {

MatrixSummary peek_matrix_market(const Input& input, const ReadOptions& options);

template <class T>
ReadResult<T> read_matrix_market(const Input& input, const ReadOptions& options);

}  // namespace copse
