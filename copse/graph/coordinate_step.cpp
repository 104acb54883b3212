// Exact coordinate descent on |A - B B'|^2 (Vandaele, Gillis, Lei, Zhong & Dhillon 2016), row by row.
#include <algorithm>
#include <cmath>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/graph/sym_step.h"
#include "copse/kernels/sparse_product.h"

namespace copse {

double least_quartic(double a, double b) {
  // Stationary points are the roots of x^3 + a x + b. The largest is the only one that can be a minimum with x > 0.
  if (a >= 0 && b >= 0) return 0;
  const double p = a / 3, q = b / 2, discriminant = q * q + p * p * p;
  double x;
  if (discriminant >= 0) {
    // One real root, by Cardano; the cube root without cancellation gives the other.
    const double r = std::cbrt(std::abs(q) + std::sqrt(discriminant));
    x = r > 0 ? (q < 0 ? r - p / r : p / r - r) : 0;
  } else {
    const double r = std::sqrt(-p);
    x = 2 * r * std::cos(std::acos(std::clamp(-q / (r * r * r), -1.0, 1.0)) / 3);
  }
  if (!(x > 0)) return 0;
  // One step of Newton's method for the last digits.
  const double slope = 3 * x * x + a;
  if (slope > 0) x = std::max(0.0, x - (x * x * x + a * x + b) / slope);
  return x * (x * x * x / 4 + a * x / 2 + b) < 0 ? x : 0;
}

namespace {

constexpr Index rows_per_check = 1024;

template <class T>
class CoordinateStep : public SymStep<T> {
 public:
  explicit CoordinateStep(const SymProblem<T>& problem) : problem_(problem) {}

  bool advance(SymPoint<T>& now) override {
    sweep(now.b, now.gram);
    problem_.evaluate(now);
    return true;
  }

 private:
  // With h the row of node i, G = B'B without that row and q = sum_{j != i} a_ij b_j, the objective in x = h_c is, up
  // to a constant and the factor 4, x^4 / 4 + a x^2 / 2 + b x with
  //   a = G_cc + sum_{d != c} h_d^2 - a_ii,   b = sum_{d != c} h_d G_dc - q_c.
  void sweep(Matrix<T>& b, Matrix<double>& gram) const {
    const SparseView<T>& a = *problem_.entries;
    const Index n = b.rows(), k = b.cols();
    Matrix<T> q(1, k);
    std::vector<double> cross(static_cast<std::size_t>(k));  // h G
    for (Index i = 0; i < n; ++i) {
      if (i % rows_per_check == 0) check_cancelled();
      T* h = b.row(i).data();
      std::fill_n(q.data(), k, T(0));
      add_transpose_times(a, i, 1, b, q, 0);
      const T diagonal = diagonal_entry(a, i);
      double squares = 0;
      std::fill(cross.begin(), cross.end(), 0.0);
      for (Index d = 0; d < k; ++d) {
        if (h[d] == T(0)) continue;
        add_row(gram, h, d, -1);
        squares += static_cast<double>(h[d]) * static_cast<double>(h[d]);
      }
      for (Index d = 0; d < k; ++d) {
        if (h[d] == T(0)) continue;
        const double* row = gram.row(d).data();
        for (Index c = 0; c < k; ++c) cross[c] += static_cast<double>(h[d]) * row[c];
      }
      for (Index c = 0; c < k; ++c) {
        const double old = static_cast<double>(h[c]), own = gram(c, c);
        const double quadratic = own + std::max(0.0, squares - old * old) - static_cast<double>(diagonal);
        const double linear = cross[c] - old * own - static_cast<double>(q(0, c)) + static_cast<double>(diagonal) * old;
        if (old == 0 && quadratic >= 0 && linear >= 0) continue;
        const double next = static_cast<double>(static_cast<T>(least_quartic(quadratic, linear)));
        if (next == old) continue;
        h[c] = static_cast<T>(next);
        squares += next * next - old * old;
        const double* row = gram.row(c).data();
        for (Index d = 0; d < k; ++d) cross[d] += (next - old) * row[d];
      }
      for (Index d = 0; d < k; ++d) {
        if (h[d] != T(0)) add_row(gram, h, d, 1);
      }
    }
  }

  // G_d += sign h_d h.
  static void add_row(Matrix<double>& gram, const T* h, Index d, double sign) {
    const double factor = sign * static_cast<double>(h[d]);
    double* row = gram.row(d).data();
    for (Index c = 0; c < gram.cols(); ++c) row[c] += factor * static_cast<double>(h[c]);
  }

  static T diagonal_entry(const SparseView<T>& a, Index i) {
    const auto begin = a.indices.begin() + a.offsets[i], end = a.indices.begin() + a.offsets[i + 1];
    const auto found = std::lower_bound(begin, end, static_cast<RowIndex>(i));
    return found != end && *found == i ? a.values[found - a.indices.begin()] : T(0);
  }

  const SymProblem<T>& problem_;
};

}  // namespace

template <class T>
std::unique_ptr<SymStep<T>> coordinate_step(const SymProblem<T>& problem) {
  return std::make_unique<CoordinateStep<T>>(problem);
}

template std::unique_ptr<SymStep<float>> coordinate_step(const SymProblem<float>&);
template std::unique_ptr<SymStep<double>> coordinate_step(const SymProblem<double>&);

}  // namespace copse
