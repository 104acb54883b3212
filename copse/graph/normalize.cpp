#include "copse/graph/normalize.h"

#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {

template <class T>
SparseMatrix<T> normalized(SparseView<T> weights, double tau) {
  if (!(tau >= 0) || std::isinf(tau))
    throw InvalidArgument("the damping of degrees must be a finite number that is not negative");
  constexpr Index nodes_per_block = 4096;
  const Index n = weights.cols;
  std::vector<double> scale = degrees(weights);
  double sum = 0;
  for (const double degree : scale) sum += degree;
  for (double& value : scale) {
    const double damped = value + tau * sum / static_cast<double>(n);
    value = damped > 0 ? 1 / std::sqrt(damped) : 0;
  }
  SparseMatrix<T> a{.rows = n,
                    .cols = n,
                    .offsets = {weights.offsets.begin(), weights.offsets.end()},
                    .indices = {weights.indices.begin(), weights.indices.end()}};
  a.values.resize(weights.values.size());
  parallel_blocks(n, nodes_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p)
        a.values[p] = static_cast<T>(static_cast<double>(weights.values[p]) * (scale[a.indices[p]] * scale[j]));
    }
  });
  return a;
}

template SparseMatrix<float> normalized(SparseView<float>, double);
template SparseMatrix<double> normalized(SparseView<double>, double);

}  // namespace copse
