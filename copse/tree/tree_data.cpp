#include "copse/tree/node_data.h"

namespace copse {

template <class T>
std::unique_ptr<TreeData<T>> tree_data(const Dataset<T>& dataset) {
  if (const auto* sparse = std::get_if<SparseMatrix<T>>(&dataset.values)) return tree_data<T>(SparseView<T>(*sparse));
  return tree_data(std::get<Matrix<T>>(dataset.values));
}

template std::unique_ptr<TreeData<float>> tree_data(const Dataset<float>&);
template std::unique_ptr<TreeData<double>> tree_data(const Dataset<double>&);

}  // namespace copse
