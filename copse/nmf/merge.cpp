#include "copse/nmf/merge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/nmf/factors.h"

namespace copse {
namespace {

constexpr Index merge_rows_per_block = 512;

// With P = the 2 x 2 block of W'W and Q = that of H H', the squared singular values of w_p h_p' + w_q h_q' are the
// eigenvalues of Q P, whose leading eigenvector y is not negative: the nearest matrix of rank one is
// (W y) (H P y)' / y'P y.
struct Pair {
  Index p = 0;
  Index q = 0;
  double loss = 0;  // the smaller eigenvalue
  double larger = 0;
};

Pair examine(const Matrix<double>& w_gram, const Matrix<double>& h_gram, Index p, Index q) {
  const double trace = w_gram(p, p) * h_gram(p, p) + 2 * w_gram(p, q) * h_gram(p, q) + w_gram(q, q) * h_gram(q, q);
  const double determinant = (w_gram(p, p) * w_gram(q, q) - w_gram(p, q) * w_gram(p, q)) *
                             (h_gram(p, p) * h_gram(q, q) - h_gram(p, q) * h_gram(p, q));
  const double larger = (trace + std::sqrt(std::max(0.0, trace * trace - 4 * determinant))) / 2;
  return {p, q, larger > 0 ? std::max(0.0, determinant) / larger : 0, larger};
}

// Row q is added to row p and column q to column p, with weights.
void combine(Matrix<double>& gram, Index p, Index q, double weight_p, double weight_q) {
  for (Index j = 0; j < gram.cols(); ++j) gram(p, j) = weight_p * gram(p, j) + weight_q * gram(q, j);
  for (Index j = 0; j < gram.cols(); ++j) gram(j, p) = weight_p * gram(j, p) + weight_q * gram(j, q);
}

// A column as a sum of columns with weights.
struct Part {
  Index column;
  double weight;
};
using Parts = std::vector<Part>;

void add(Parts& to, const Parts& from, double weight_to, double weight_from) {
  for (Part& part : to) part.weight *= weight_to;
  for (const Part& part : from) to.push_back({part.column, weight_from * part.weight});
}

template <class T>
Matrix<T> combined(const Matrix<T>& f, const std::vector<Parts>& columns) {
  Matrix<T> out(f.rows(), static_cast<Index>(columns.size()));
  parallel_blocks(f.rows(), merge_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto from = f.row(i);
      const auto to = out.row(i);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        double sum = 0;
        for (const Part& part : columns[c]) sum += part.weight * static_cast<double>(from[part.column]);
        to[c] = static_cast<T>(sum);
      }
    }
  });
  return out;
}

}  // namespace

template <class T>
void merge_components(const Data<T>& x, Factors<T>& factors, Index components, Index count) {
  Matrix<double> w_gram = global_gram(x, factors.w);
  Matrix<double> h_gram = global_gram(x, factors.h);
  const std::size_t width = static_cast<std::size_t>(factors.w.cols());
  std::vector<Parts> w_parts(width);
  for (std::size_t c = 0; c < width; ++c) w_parts[c] = {{static_cast<Index>(c), 1.0}};
  std::vector<Parts> h_parts = w_parts;
  std::vector<Index> left(width);
  std::iota(left.begin(), left.end(), Index{0});

  for (; components > count; --components) {
    Pair best{.loss = std::numeric_limits<double>::infinity()};
    for (Index a = 0; a < components; ++a) {
      for (Index b = a + 1; b < components; ++b) {
        const Pair pair = examine(w_gram, h_gram, left[static_cast<std::size_t>(a)], left[static_cast<std::size_t>(b)]);
        if (pair.loss < best.loss) best = pair;
      }
    }
    const Index p = best.p;
    const Index q = best.q;
    // y from the first row of (Q P - larger I) y = 0; where that row is zero, p alone is the larger part.
    const double beside = h_gram(p, p) * w_gram(p, q) + h_gram(p, q) * w_gram(q, q);
    const double above = std::max(0.0, best.larger - h_gram(p, p) * w_gram(p, p) - h_gram(p, q) * w_gram(p, q));
    const double y_p = beside + above > 0 ? beside / (beside + above) : 1;
    const double y_q = 1 - y_p;
    const double z_p = w_gram(p, p) * y_p + w_gram(p, q) * y_q;
    const double z_q = w_gram(p, q) * y_p + w_gram(q, q) * y_q;
    const double square = y_p * z_p + y_q * z_q;
    const double scale = square > 0 ? 1 / square : 0;
    combine(w_gram, p, q, y_p, y_q);
    combine(h_gram, p, q, z_p * scale, z_q * scale);
    add(w_parts[static_cast<std::size_t>(p)], w_parts[static_cast<std::size_t>(q)], y_p, y_q);
    add(h_parts[static_cast<std::size_t>(p)], h_parts[static_cast<std::size_t>(q)], z_p * scale, z_q * scale);
    left.erase(std::find(left.begin(), left.end(), q));
  }
  std::vector<Parts> w_kept;
  std::vector<Parts> h_kept;
  for (const Index c : left) {
    w_kept.push_back(std::move(w_parts[static_cast<std::size_t>(c)]));
    h_kept.push_back(std::move(h_parts[static_cast<std::size_t>(c)]));
  }
  factors.w = combined(factors.w, w_kept);
  factors.h = combined(factors.h, h_kept);
}

template void merge_components(const Data<float>&, Factors<float>&, Index, Index);
template void merge_components(const Data<double>&, Factors<double>&, Index, Index);

}  // namespace copse
