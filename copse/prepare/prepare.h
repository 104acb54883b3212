// From raw counts or measurements to the matrix that is factored. Every step is off unless asked for.
#pragma once

#include "copse/matrix/dataset.h"
#include "copse/prepare/options.h"

namespace copse {

// Counts of words: features with a total of 3, no empty items, Weighting::text, unit items (damped). With
// Weighting::tf_idf and items with a total of 5 this is [Kuang 2014, 2.2.1]; damped, short items need no such limit.
PrepareOptions text_preparation();

// Works in place and carries the names along. Dropping is repeated until nothing more is to drop, so that the kept
// part is the largest in which every feature and every item has its total, and dropping again changes nothing. An
// item that is kept though it is empty stays a column of zeros through every step.
// Throws InvalidArgument for an entry that is negative or not a number.
template <class T>
PrepareReport prepare(Dataset<T>& data, const PrepareOptions& options);

// Multiplies each item so that its entries add up to `size`; an empty one stays.
template <class T>
void equalize_totals(Dataset<T>& data, double size);

// New items, weighed and scaled exactly as those that `learned` was found on: its factors and totals are used, nothing
// is dropped, and totals are not equalized, for which all features would have to be there: see equalize_totals(). The
// features are the kept ones, in their order. Throws InvalidArgument for a bad entry or another number
// of features.
template <class T>
void prepare_new(Dataset<T>& items, const PrepareOptions& options, const PrepareReport& learned);

}  // namespace copse
