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
  std::variant<SparseMatrix<T>, Matrix<T>> values;
  std::vector<std::string> feature_names;  // one each, or empty
  std::vector<std::string> item_names;     // one each, or empty

  bool is_sparse() const { return std::holds_alternative<SparseMatrix<T>>(values); }
  Index features() const {
    return is_sparse() ? std::get<SparseMatrix<T>>(values).rows : std::get<Matrix<T>>(values).cols();
  }
  Index items() const {
    return is_sparse() ? std::get<SparseMatrix<T>>(values).cols : std::get<Matrix<T>>(values).rows();
  }
  Index nonzeros() const;  // entries that are not zero
};

}  // namespace copse
