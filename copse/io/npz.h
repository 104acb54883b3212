// .npz files: a sparse matrix as SciPy's save_npz writes it (csc, csr, coo), or one dense array.
#pragma once

#include "copse/io/input.h"
#include "copse/io/matrix_file.h"

namespace copse {

MatrixSummary peek_npz(const Input& input, const ReadOptions& options);

template <class T>
ReadResult<T> read_npz(const Input& input, const ReadOptions& options);

}  // namespace copse
