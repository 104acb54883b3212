#include "copse/io/check_entries.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {
namespace {

std::string place_name(const char* kind, Index number, const std::vector<std::string>& names) {
  std::string text = std::string(kind) + " " + std::to_string(number + 1);
  if (!names.empty()) text += " (" + names[static_cast<std::size_t>(number)] + ")";
  return text;
}

}  // namespace

template <class T>
void check_nonnegative(const Dataset<T>& dataset, const std::string& name) {
  const auto good = [](T value) { return value >= 0 && value <= std::numeric_limits<T>::max(); };
  const std::span<const T> values = dataset.is_sparse()
                                        ? std::span<const T>(std::get<SparseMatrix<T>>(dataset.values).values)
                                        : std::get<Matrix<T>>(dataset.values).values();
  constexpr Index block = 1 << 16;
  const auto size = static_cast<Index>(values.size());
  std::vector<char> bad(static_cast<std::size_t>((size + block - 1) / block));
  parallel_blocks(size, block, [&](Index begin, Index end) {
    bool all = true;
    for (Index p = begin; p < end; ++p) all &= good(values[static_cast<std::size_t>(p)]);
    bad[static_cast<std::size_t>(begin / block)] = !all;
  });
  const auto first_block = std::find(bad.begin(), bad.end(), 1) - bad.begin();
  if (first_block == static_cast<std::ptrdiff_t>(bad.size())) return;

  const auto found = std::find_if_not(values.begin() + first_block * block, values.end(), good);
  const Index p = found - values.begin();
  Index feature = 0, item = 0;
  if (dataset.is_sparse()) {
    const auto& x = std::get<SparseMatrix<T>>(dataset.values);
    item = std::upper_bound(x.offsets.begin(), x.offsets.end(), p) - x.offsets.begin() - 1;
    feature = x.indices[static_cast<std::size_t>(p)];
  } else {
    item = p / dataset.features();
    feature = p % dataset.features();
  }
  const std::string value = std::isnan(*found)   ? "is not a number (NaN)"
                            : std::isinf(*found) ? "is infinite or too large for this precision"
                                                 : "is negative, " + std::to_string(*found);
  throw InputError(name + ": the entry of " + place_name("feature", feature, dataset.feature_names) + " and " +
                   place_name("item", item, dataset.item_names) + " " + value + ".");
}

template void check_nonnegative(const Dataset<float>&, const std::string&);
template void check_nonnegative(const Dataset<double>&, const std::string&);

}  // namespace copse
