#include "copse/measure/factors.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {

template <class T>
double zero_share(const Matrix<T>& factor) {
  const auto values = factor.values();
  if (values.empty()) return 0;
  return static_cast<double>(std::count(values.begin(), values.end(), T(0))) / static_cast<double>(values.size());
}

template <class T>
double sum_of_squared_errors(const Dataset<T>& data, std::span<const Index> labels) {
  if (static_cast<Index>(labels.size()) != data.items())
    throw InvalidArgument("there are " + std::to_string(labels.size()) + " labels but " + std::to_string(data.items()) +
                          " items; expected one label per item");
  std::map<Index, std::vector<Index>> by_label;
  for (std::size_t j = 0; j < labels.size(); ++j) by_label[labels[j]].push_back(static_cast<Index>(j));
  std::vector<std::vector<Index>> clusters;
  clusters.reserve(by_label.size());
  for (auto& [label, items] : by_label) clusters.push_back(std::move(items));

  // sum over a cluster of |x_j - c|^2 = sum |x_j|^2 - |sum x_j|^2 / size.
  return sum_blocks(static_cast<Index>(clusters.size()), 1, 0.0, [&](Index c, Index) {
    std::vector<double> sum(static_cast<std::size_t>(data.features()), 0);
    double squares = 0;
    for (const Index item : clusters[c]) {
      visit_nonzeros(data, item, [&](Index feature, double value) {
        sum[feature] += value;
        squares += value * value;
      });
    }
    double squared_sum = 0;
    for (const double value : sum) squared_sum += value * value;
    return std::max(0.0, squares - squared_sum / static_cast<double>(clusters[c].size()));
  });
}

template double zero_share(const Matrix<float>&);
template double zero_share(const Matrix<double>&);
template double sum_of_squared_errors(const Dataset<float>&, std::span<const Index>);
template double sum_of_squared_errors(const Dataset<double>&, std::span<const Index>);

}  // namespace copse
