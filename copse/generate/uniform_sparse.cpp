#include "copse/generate/uniform_sparse.h"

#include <limits>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/generate/column_blocks.h"
#include "copse/generate/skips.h"

namespace copse {
namespace {

template <class T>
T inside_unit_interval(Random& random) {
  for (;;) {
    const auto value = static_cast<T>(random.uniform());
    if (value > 0 && value < 1) return value;  // rounding to T may reach 1
  }
}

}  // namespace

template <class T>
Dataset<T> generate_uniform_sparse(const UniformSparseOptions& options) {
  if (options.features < 1 || options.features > std::numeric_limits<RowIndex>::max() || options.items < 1)
    throw InvalidArgument("a sparse matrix needs at least one feature and one item, and less than 2^31 features");
  if (!(options.density >= 0 && options.density <= 1))
    throw InvalidArgument("the density of a sparse matrix must be between 0 and 1");
  auto blocks = build_blocks<T>(options.items, [&](Index j, ColumnBlock<T>& block) {
    Random random(options.seed, static_cast<std::uint64_t>(j));
    choose_each(0, options.features, options.density, random, [&](Index i) {
      block.indices.push_back(static_cast<RowIndex>(i));
      block.values.push_back(inside_unit_interval<T>(random));
    });
  });
  return {.values = join_blocks(options.features, options.items, std::move(blocks))};
}

template Dataset<float> generate_uniform_sparse(const UniformSparseOptions&);
template Dataset<double> generate_uniform_sparse(const UniformSparseOptions&);

}  // namespace copse
