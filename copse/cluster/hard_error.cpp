#include "copse/cluster/hard_error.h"

#include <algorithm>
#include <cmath>

namespace copse {

template <class T>
double hard_error(const Dataset<T>& items, const Matrix<T>& w, const std::vector<Index>& labels) {
  std::vector<double> squares(static_cast<std::size_t>(w.cols()), 0.0);
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index c = 0; c < w.cols(); ++c) squares[c] += static_cast<double>(w(i, c)) * static_cast<double>(w(i, c));
  }
  double total = 0, explained = 0;
  for (Index j = 0; j < items.items(); ++j) {
    double product = 0;
    const Index c = labels[j];
    visit_nonzeros(items, j, [&](Index i, T value) {
      total += static_cast<double>(value) * static_cast<double>(value);
      if (c >= 0) product += static_cast<double>(value) * static_cast<double>(w(i, c));
    });
    if (c >= 0 && squares[c] > 0) explained += product * product / squares[c];
  }
  return total > 0 ? std::sqrt(std::max(0.0, total - explained) / total) : 0;
}

template double hard_error(const Dataset<float>&, const Matrix<float>&, const std::vector<Index>&);
template double hard_error(const Dataset<double>&, const Matrix<double>&, const std::vector<Index>&);

}  // namespace copse
