#include "copse/choose/perturbed.h"

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/choose/parts.h"

namespace copse {
namespace {

constexpr Index perturbed_items_per_block = 32;

double factor(double most, std::uint64_t item_seed, Index feature) {
  return 1 + most * (2 * Random(item_seed, static_cast<std::uint64_t>(feature)).uniform() - 1);
}

}  // namespace

template <class T>
Dataset<T> perturbed(const Dataset<T>& data, double most, std::uint64_t seed) {
  Dataset<T> result{.values = data.values};
  parallel_blocks(data.items(), perturbed_items_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const std::uint64_t item_seed = mixed_seed(seed, static_cast<std::uint64_t>(j));
      const auto change = [&](Index feature, T& value) {
        value = static_cast<T>(static_cast<double>(value) * factor(most, item_seed, feature));
      };
      if (data.is_sparse()) {
        auto& sparse = std::get<SparseMatrix<T>>(result.values);
        for (Index p = sparse.offsets[j]; p < sparse.offsets[j + 1]; ++p) change(sparse.indices[p], sparse.values[p]);
      } else {
        auto& dense = std::get<Matrix<T>>(result.values);
        for (Index i = 0; i < dense.cols(); ++i) {
          if (dense(j, i) != T(0)) change(i, dense(j, i));
        }
      }
    }
  });
  return result;
}

template Dataset<float> perturbed(const Dataset<float>&, double, std::uint64_t);
template Dataset<double> perturbed(const Dataset<double>&, double, std::uint64_t);

}  // namespace copse
