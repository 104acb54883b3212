#include "copse/kernels/sparse_product.h"

#include <algorithm>
#include <cassert>

#include "copse/base/parallel.h"

namespace copse {

template <class T>
void transpose_times(SparseView<T> x, const Matrix<T>& f, Matrix<T>& out) {
  assert(f.rows() == x.rows);
  const Index k = f.cols();
  out.reshape(x.cols, k);
  // Blocks of equal numbers of entries, not of columns: word frequencies are very uneven.
  const Index blocks = std::max<Index>(1, x.nonzeros() / 16384);
  const auto first_column = [&](Index b) {
    const Index entry = x.nonzeros() * b / blocks;
    return b == blocks ? x.cols : std::lower_bound(x.offsets.begin(), x.offsets.end(), entry) - x.offsets.begin();
  };
  parallel_for(blocks, [&](Index b) {
    const Index end = first_column(b + 1);
    for (Index j = b == 0 ? 0 : first_column(b); j < end; ++j) {
      T* sum = out.data() + j * k;
      std::fill_n(sum, k, T(0));
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) {
        const T value = x.values[p];
        const T* row = f.data() + static_cast<Index>(x.indices[p]) * k;
        for (Index c = 0; c < k; ++c) sum[c] += value * row[c];
      }
    }
  });
}

template void transpose_times(SparseView<float>, const Matrix<float>&, Matrix<float>&);
template void transpose_times(SparseView<double>, const Matrix<double>&, Matrix<double>&);

}  // namespace copse
