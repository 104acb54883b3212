#include "copse/choose/sketch.h"

#include <cmath>
#include <cstdint>

#include "copse/choose/parts.h"

namespace copse {

template <class T>
Matrix<float> sketch(const Matrix<T>& components) {
  const Index width = sketch_columns(components.cols());
  const bool exact = width == components.cols();
  Matrix<float> result(components.rows(), width);
  for (Index c = 0; c < components.rows(); ++c) {
    const auto row = result.row(c);
    for (Index i = 0; i < components.cols(); ++i) {
      const std::uint64_t hash = mixed_seed(0, static_cast<std::uint64_t>(i)) >> 20;
      const auto value = static_cast<float>(components(c, i));
      if (exact) {
        row[i] = value;
      } else {
        row[static_cast<Index>(hash % sketch_width)] += (hash / sketch_width) % 2 == 0 ? value : -value;
      }
    }
    double square = 0;
    for (const float value : row) square += static_cast<double>(value) * value;
    for (float& value : row) value = square > 0 ? static_cast<float>(value / std::sqrt(square)) : 0;
  }
  return result;
}

template Matrix<float> sketch(const Matrix<float>&);
template Matrix<float> sketch(const Matrix<double>&);

}  // namespace copse
