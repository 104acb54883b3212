// Dropping features and items: rare, short, empty, duplicate.
#pragma once

#include "copse/matrix/dataset.h"
#include "copse/prepare/options.h"

namespace copse {

// Drops what options.min_..._total, drop_empty and drop_duplicates ask for until nothing more is to drop, and entries
// that are stored though they are zero. `report` counts, and its kept_... are narrowed down.
template <class T>
void drop(Dataset<T>& data, const PrepareOptions& options, PrepareReport& report);

// Keeps the features with the mark 1.
template <class T>
void keep_features(Dataset<T>& data, const std::vector<char>& kept, PrepareReport& report);

// For each item, 1 if it equals an earlier one and is not empty.
template <class T>
std::vector<char> find_duplicates(const Dataset<T>& data);

}  // namespace copse
