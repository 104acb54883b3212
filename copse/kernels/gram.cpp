#include "copse/kernels/gram.h"

#include <cassert>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 1024;

struct Square {
  Matrix<double> sums;
  Square& operator+=(const Square& other) {
    for (std::size_t e = 0; e < sums.values().size(); ++e) sums.values()[e] += other.sums.values()[e];
    return *this;
  }
};

}  // namespace

template <class T>
Matrix<double> gram(const Matrix<T>& f) {
  const Index k = f.cols();
  Square total = sum_blocks(f.rows(), rows_per_block, Square{Matrix<double>(k, k)}, [&](Index begin, Index end) {
    Square part{Matrix<double>(k, k)};
    for (Index i = begin; i < end; ++i) {
      for (Index a = 0; a < k; ++a) {
        for (Index b = a; b < k; ++b) part.sums(a, b) += static_cast<double>(f(i, a)) * static_cast<double>(f(i, b));
      }
    }
    return part;
  });
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < a; ++b) total.sums(a, b) = total.sums(b, a);
  }
  return total.sums;
}

template <class T>
double dot(const Matrix<T>& a, const Matrix<T>& b) {
  assert(a.rows() == b.rows() && a.cols() == b.cols());
  return sum_blocks(a.rows(), rows_per_block, 0.0, [&](Index begin, Index end) {
    double part = 0;
    for (Index e = begin * a.cols(); e < end * a.cols(); ++e)
      part += static_cast<double>(a.data()[e]) * static_cast<double>(b.data()[e]);
    return part;
  });
}

template Matrix<double> gram(const Matrix<float>&);
template Matrix<double> gram(const Matrix<double>&);
template double dot(const Matrix<float>&, const Matrix<float>&);
template double dot(const Matrix<double>&, const Matrix<double>&);

}  // namespace copse
