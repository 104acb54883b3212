// .csv and .tsv files: one row of numbers per line, with or without names in the first line and in the first column.
#pragma once

#include "copse/io/input.h"
#include "copse/io/read_options.h"

namespace copse {

// Where names are, unless the options say so: the first two lines that are not blank decide. The first holds names if a
// cell after its first is a word; or if it has one cell less than the second; or if its first cell is empty; or if its
// first cell is a word and the others are the numbers from 0 or 1 in any order. The first column holds names if the
// first line has one cell less than the second, or starts with an empty cell; or if the first line of numbers starts
// with a word. Cells that are empty or say NA are no words. A note says where numbers were taken as names; but a first
// line that is one cell shorter than the second, with nothing but numbers in both, is a ragged table and an error.
template <class T>
ReadResult<T> read_delimited(const Input& input, const ReadOptions& options);

MatrixSummary peek_delimited(const Input& input, const ReadOptions& options);

}  // namespace copse
