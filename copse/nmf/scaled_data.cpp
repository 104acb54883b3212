#include "copse/nmf/scaled_data.h"

#include <cmath>
#include <utility>
#include <vector>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index scaled_data_entries_per_block = 16384;
constexpr int far = 600;  // a square that has no number has one when its root is this many powers of two nearer to 1

}  // namespace

template <class T>
int exponent_of_norm(const Data<T>& x) {
  int exponent = 0;
  double square = x.squared_norm();
  if (!std::isfinite(square) || square < 1e-280) {
    exponent = std::isfinite(square) ? -far : far;
    square = x.squared_norm_over(exponent);
  }
  return square > 0 ? exponent + std::ilogb(std::sqrt(square)) : 0;
}

template <class T>
void scale_by_power(std::span<T> f, int exponent) {
  if (exponent == 0) return;
  parallel_blocks(static_cast<Index>(f.size()), scaled_data_entries_per_block, [&](Index begin, Index end) {
    for (T& value : f.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)))
      value = std::ldexp(value, exponent);
  });
}

template <class T>
void ScaledData<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  Matrix<T> scaled = h;
  scale_by_power(scaled.values(), before());
  x_.times(scaled, out);
  scale_by_power(out.values(), -exponent_ - before());
}

template <class T>
void ScaledData<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  Matrix<T> scaled = w;
  scale_by_power(scaled.values(), before());
  x_.transpose_times(scaled, out);
  scale_by_power(out.values(), -exponent_ - before());
}

template <class T>
void ScaledData<T>::read_once(const Matrix<T>& w, const UpdateItems<T>& update, Matrix<T>& out) const {
  Matrix<T> scaled = w;
  scale_by_power(scaled.values(), before());
  x_.read_once(
      scaled,
      [&](Index first, const Matrix<T>& product, Matrix<T>& h) {
        Matrix<T> own = product;
        scale_by_power(own.values(), -exponent_ - before());
        update(first, own, h);
        scale_by_power(h.values(), before());
      },
      out);
  scale_by_power(out.values(), -exponent_ - before());
}

template <class T>
Sample<T> ScaledData<T>::select(std::span<const Index> items) const {
  Sample<T> sample = select_items(x_, items);
  if (sample.data != nullptr) sample.data = std::make_unique<ScaledData<T>>(std::move(sample.data), exponent_);
  return sample;
}

template <class T>
void ScaledData<T>::visit_blocks(const VisitBlock<T>& visit) const {
  copse::visit_blocks(x_, [&](Index first, const SparseView<T>& block) {
    const auto entries = block.values.subspan(static_cast<std::size_t>(block.offsets.front()),
                                              static_cast<std::size_t>(block.nonzeros()));
    std::vector<T> values(entries.begin(), entries.end());
    std::vector<Index> offsets(block.offsets.begin(), block.offsets.end());
    for (T& value : values) value = std::ldexp(value, -exponent_);
    for (Index& offset : offsets) offset -= block.offsets.front();
    visit(first, {block.rows, block.cols, offsets,
                  block.indices.subspan(static_cast<std::size_t>(block.offsets.front()), values.size()), values});
  });
}

#define COPSE_INSTANTIATE(T)                       \
  template int exponent_of_norm(const Data<T>&);   \
  template void scale_by_power(std::span<T>, int); \
  template class ScaledData<T>;
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
