// A matrix of NumPy's or SciPy's as the library sees it: a row there is an item here.
#pragma once

#include <memory>
#include <optional>

#include "copse/kernels/in_memory.h"
#include "copse/tree/node_data.h"
#include "python/src/bind.h"

namespace copse::python {

// Sparse items stand in the arrays of a scipy.sparse.csr_array, which are kept alive and not copied. Dense ones are
// copied once. The constructors hold the GIL on entry and let it go while they work.
template <class T>
class Items {
 public:
  // Throws InvalidArgument unless the arrays form compressed rows. Where column numbers do not ascend, or repeat, a
  // sorted copy with the repeated entries added up takes their place.
  Items(Index features, Array<std::int64_t, 1> offsets, Array<std::int32_t, 1> indices, Array<T, 1> values,
        int threads);
  Items(const Array<T, 2>& rows, int threads);

  Index features() const { return data_->rows(); }
  Index items() const { return data_->cols(); }
  const Data<T>& data() const { return *data_; }
  std::unique_ptr<TreeData<T>> tree_data() const;
  Dataset<T> dataset() const;  // a copy
  double squared_norm() const { return squared_norm_; }

 private:
  struct Arrays {
    Array<std::int64_t, 1> offsets;
    Array<std::int32_t, 1> indices;
    Array<T, 1> values;
  };
  std::optional<Arrays> arrays_;  // sparse only
  SparseView<T> view_;
  SparseMatrix<T> sorted_;  // behind the view if the arrays are not sorted
  Matrix<T> dense_;
  std::unique_ptr<Data<T>> data_;
  double squared_norm_ = 0;
};

}  // namespace copse::python
