// SymNMF by projected Gauss-Newton steps, each solved by a few conjugate gradients (Eswar, Hayashi, Ballard, Kannan,
// Vuduc & Park 2020), on the variables that are not held at zero.
#include <cmath>

#include "copse/base/parallel.h"
#include "copse/graph/search_step.h"
#include "copse/kernels/gram.h"
#include "copse/nmf/residual.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 1024;
constexpr int max_solves = 20;
constexpr double enough = 1e-2;  // |residual| of the model, of its first value

template <class T>
class GaussNewtonStep : public SearchStep<T> {
 public:
  using SearchStep<T>::SearchStep;

 protected:
  // With R = A - B B' the model of |R|^2 in a change P is |R - P B' - B P'|^2: its matrix is
  // J'J P = 2 (P B'B + B P'B), half the Hessian where R = 0, and the gradient of |R|^2 is 2 J'r.
  Matrix<T> scaled(const SymPoint<T>& now, const Matrix<T>& gradient) override {
    const Index size = static_cast<Index>(gradient.values().size());
    Matrix<T> residual = gradient, z(gradient.rows(), gradient.cols());
    for (Index e = 0; e < size; ++e) {
      residual.data()[e] = is_held(now.b.data()[e], gradient.data()[e]) ? T(0) : residual.data()[e] / 2;
    }
    Matrix<T> p = residual;
    double square = squared_norm<T>(residual.values());
    const double first = square;
    for (int solve = 0; solve < max_solves && square > enough * enough * first; ++solve) {
      const Matrix<T> q = model(now, gradient, p);
      const double curvature = dot(p, q);
      if (!(curvature > 0)) break;
      const T length = static_cast<T>(square / curvature);
      each(size, [&](Index e) {
        z.data()[e] += length * p.data()[e];
        residual.data()[e] -= length * q.data()[e];
      });
      const double before = square;
      square = squared_norm<T>(residual.values());
      const T ratio = static_cast<T>(square / before);
      each(size, [&](Index e) { p.data()[e] = residual.data()[e] + ratio * p.data()[e]; });
    }
    each(size, [&](Index e) {
      if (is_held(now.b.data()[e], gradient.data()[e])) z.data()[e] = gradient.data()[e];
    });
    return z;
  }

 private:
  template <class Body>
  static void each(Index size, const Body& body) {
    parallel_blocks(size, 16384, [&](Index begin, Index end) {
      for (Index e = begin; e < end; ++e) body(e);
    });
  }

  // 2 (P B'B + B P'B), zero where variables are held.
  Matrix<T> model(const SymPoint<T>& now, const Matrix<T>& gradient, const Matrix<T>& p) const {
    const Index n = p.rows(), k = p.cols();
    const Matrix<double> cross = inner_products(this->problem_.a, p, now.b);  // P'B
    Matrix<T> out(n, k);
    parallel_blocks(n, rows_per_block, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        T* row = out.row(i).data();
        for (Index d = 0; d < k; ++d) {
          const T x = 2 * p(i, d), y = 2 * now.b(i, d);
          const double *g = now.gram.row(d).data(), *c = cross.row(d).data();
          for (Index e = 0; e < k; ++e) row[e] += x * static_cast<T>(g[e]) + y * static_cast<T>(c[e]);
        }
        for (Index e = 0; e < k; ++e) {
          if (is_held(now.b(i, e), gradient(i, e))) row[e] = T(0);
        }
      }
    });
    return out;
  }
};

}  // namespace

template <class T>
std::unique_ptr<SymStep<T>> gauss_newton_step(const SymProblem<T>& problem) {
  return std::make_unique<GaussNewtonStep<T>>(problem);
}

template std::unique_ptr<SymStep<float>> gauss_newton_step(const SymProblem<float>&);
template std::unique_ptr<SymStep<double>> gauss_newton_step(const SymProblem<double>&);

}  // namespace copse
