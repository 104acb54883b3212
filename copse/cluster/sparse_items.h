// Items as compressed columns, whatever they are stored as.
#pragma once

#include <utility>
#include <variant>

#include "copse/matrix/dataset.h"

namespace copse {

// The entries that are not zero, item by item. Sparse items are not copied.
template <class T>
class SparseItems {
 public:
  explicit SparseItems(const Dataset<T>& items) {
    if (const auto* sparse = std::get_if<SparseMatrix<T>>(&items.values)) {
      view_ = *sparse;
      return;
    }
    own_.rows = items.features();
    own_.cols = items.items();
    for (Index j = 0; j < items.items(); ++j) {
      visit_nonzeros(items, j, [&](Index feature, T value) {
        own_.indices.push_back(static_cast<RowIndex>(feature));
        own_.values.push_back(value);
      });
      own_.offsets.push_back(static_cast<Index>(own_.indices.size()));
    }
    view_ = own_;
  }
  SparseItems(const SparseItems&) = delete;
  SparseItems& operator=(const SparseItems&) = delete;

  const SparseView<T>& view() const { return view_; }

 private:
  SparseMatrix<T> own_;
  SparseView<T> view_;
};

}  // namespace copse
