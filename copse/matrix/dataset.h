// A matrix as a file holds it: the entries and the names of its features and items.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

template <class T>
struct Dataset {
  // Dense values are stored item-major: row j of the Matrix (n x m) is item j.
  std::variant<SparseMatrix<T>, Matrix<T>> values = {};
  std::vector<std::string> feature_names = {};  // one each, or empty
  std::vector<std::string> item_names = {};     // one each, or empty

  bool is_sparse() const { return std::holds_alternative<SparseMatrix<T>>(values); }
  Index features() const {
    return is_sparse() ? std::get<SparseMatrix<T>>(values).rows : std::get<Matrix<T>>(values).cols();
  }
  Index items() const {
    return is_sparse() ? std::get<SparseMatrix<T>>(values).cols : std::get<Matrix<T>>(values).rows();
  }
  Index nonzeros() const;  // entries that are not zero
};

// Calls visit(feature, value) for the entries of one item that are not zero, features ascending.
template <class T, class Visit>
void visit_nonzeros(const Dataset<T>& data, Index item, const Visit& visit) {
  if (const auto* sparse = std::get_if<SparseMatrix<T>>(&data.values)) {
    for (Index p = sparse->offsets[item]; p < sparse->offsets[item + 1]; ++p) {
      if (sparse->values[p] != T(0)) visit(static_cast<Index>(sparse->indices[p]), sparse->values[p]);
    }
  } else {
    const auto values = std::get<Matrix<T>>(data.values).row(item);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != T(0)) visit(static_cast<Index>(i), values[i]);
    }
  }
}

}  // namespace copse
