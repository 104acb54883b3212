// The items and the features of a tree's nodes, as plain lists and dense matrices.
#pragma once

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "copse/tree/node_data.h"

namespace copse::testing {

template <class T>
std::vector<RowIndex> all_items(const TreeData<T>& x) {
  std::vector<RowIndex> items(static_cast<std::size_t>(x.cols()));
  std::iota(items.begin(), items.end(), 0);
  return items;
}

// The given columns of x, in the given order, and of these the given rows.
template <class T>
Matrix<T> columns(const Matrix<T>& x, std::span<const RowIndex> items, std::span<const RowIndex> terms) {
  Matrix<T> part(static_cast<Index>(terms.size()), static_cast<Index>(items.size()));
  for (Index i = 0; i < part.rows(); ++i) {
    for (Index j = 0; j < part.cols(); ++j) part(i, j) = x(terms[i], items[j]);
  }
  return part;
}

// The items as the node holds them: with its features, and divided by its power of two.
template <class T>
Matrix<T> columns(const Matrix<T>& x, std::span<const RowIndex> items, const NodeData<T>& node) {
  Matrix<T> part = columns(x, items, node.terms());
  for (T& value : part.values()) value = std::ldexp(value, -node.exponent());
  return part;
}

}  // namespace copse::testing
