// What the fuzzers of readers share: any bytes give a matrix that keeps its promises, or an InputError.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include "copse/base/error.h"
#include "copse/io/matrix_file.h"

namespace copse::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void check_promises(const Dataset<T>& dataset) {
  const Index features = dataset.features(), items = dataset.items();
  require(features > 0 && items > 0);
  require(dataset.feature_names.empty() || static_cast<Index>(dataset.feature_names.size()) == features);
  require(dataset.item_names.empty() || static_cast<Index>(dataset.item_names.size()) == items);
  if (const auto* dense = std::get_if<Matrix<T>>(&dataset.values)) {
    for (T value : dense->values()) require(value >= 0 && std::isfinite(value));
    return;
  }
  const auto& x = std::get<SparseMatrix<T>>(dataset.values);
  require(static_cast<Index>(x.offsets.size()) == items + 1 && x.offsets.front() == 0);
  require(x.offsets.back() == x.nonzeros() && x.indices.size() == x.values.size());
  for (std::size_t j = 0; j < static_cast<std::size_t>(items); ++j) {
    require(x.offsets[j] <= x.offsets[j + 1]);
    for (auto p = static_cast<std::size_t>(x.offsets[j]); p < static_cast<std::size_t>(x.offsets[j + 1]); ++p) {
      require(0 <= x.indices[p] && x.indices[p] < features);
      require(p == static_cast<std::size_t>(x.offsets[j]) || x.indices[p - 1] < x.indices[p]);
      require(x.values[p] >= 0 && std::isfinite(x.values[p]));
    }
  }
}

// The last byte chooses where the items are.
inline void read_any(const std::uint8_t* data, std::size_t size, const std::string& name) {
  const std::span bytes(reinterpret_cast<const char*>(data), size);
  const Items items = size > 0 && data[size - 1] % 2 == 1 ? Items::rows : Items::columns;
  const ReadOptions options{.items = items, .memory_limit = std::size_t{1} << 26};
  // A look at the beginning agrees with a file that can be read; of others it may see less.
  std::optional<MatrixSummary> summary;
  try {
    summary = peek_matrix(bytes, name, options);
  } catch (const InputError&) {
  }
  try {
    const Dataset<float> dataset = read_matrix<float>(bytes, name, options).dataset;
    check_promises(dataset);
    require(summary && summary->features == dataset.features() && summary->items == dataset.items());
    require(summary->sparse == dataset.is_sparse());
  } catch (const InputError&) {
  }
}

}  // namespace copse::fuzz
