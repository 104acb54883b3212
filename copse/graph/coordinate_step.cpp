// Exact coordinate descent on |A - B B'|^2 (Vandaele, Gillis, Lei, Zhong & Dhillon 2016), row by row.
#include <algorithm>
#include <cmath>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/graph/sym_step.h"
#include "copse/kernels/dispatch-inl.h"
#include "copse/kernels/sparse_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/graph/coordinate_step.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// From here to HWY_ONCE the file is compiled once per instruction set.
HWY_BEFORE_NAMESPACE();
namespace copse::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// to += factor * row, from entry `begin` on.
HWY_INLINE void add_multiple(double factor, const double* HWY_RESTRICT row, Index begin, Index k,
                             double* HWY_RESTRICT to) {
  const hn::ScalableTag<double> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto times = hn::Set(d, factor);
  Index c = begin;
  for (; c + lanes <= k; c += lanes)
    hn::StoreU(hn::MulAdd(times, hn::LoadU(d, row + c), hn::LoadU(d, to + c)), d, to + c);
  for (; c < k; ++c) to[c] += factor * row[c];
}

// With h the row of node i, G = B'B without that row and q = sum_{j != i} a_ij b_j, the objective in x = h_c is, up
// to a constant and the factor 4, x^4 / 4 + a x^2 / 2 + b x with
//   a = G_cc + sum_{d != c} h_d^2 - a_ii,   b = sum_{d != c} h_d G_dc - q_c.
// `gram` has the row as it was, g, in it: G = gram - g g', so that h G = h gram - <h, g> g. Most entries of h are zero
// as a rule, and their rows of gram are not touched. `scratch` has room for 3 k numbers, `support` for k.
template <class T>
void improve_row(double* HWY_RESTRICT gram, Index k, const T* HWY_RESTRICT q, double diagonal, T* HWY_RESTRICT h,
                 double* HWY_RESTRICT scratch, Index* HWY_RESTRICT support) {
  double* HWY_RESTRICT cross = scratch;  // h gram
  double* HWY_RESTRICT before = scratch + k;
  double* HWY_RESTRICT after = scratch + 2 * k;
  std::fill_n(cross, k, 0.0);
  double squares = 0;
  for (Index c = 0; c < k; ++c) {
    before[c] = after[c] = static_cast<double>(h[c]);
    if (before[c] == 0) continue;
    add_multiple(before[c], gram + c * k, 0, k, cross);
    squares += before[c] * before[c];
  }
  double mixed = squares;  // <h, g>
  Index count = 0;
  bool changed = false;
  for (Index c = 0; c < k; ++c) {
    const double old = before[c], own = std::max(0.0, gram[c * k + c] - old * old);
    const double quadratic = own + std::max(0.0, squares - old * old) - diagonal;
    const double linear = cross[c] - (mixed + own - diagonal) * old - static_cast<double>(q[c]);
    if (old == 0 && quadratic >= 0 && linear >= 0) continue;
    support[count++] = c;
    const double next = static_cast<double>(static_cast<T>(least_quartic(quadratic, linear, old)));
    if (next == old) continue;
    changed = true;
    h[c] = static_cast<T>(next);
    after[c] = next;
    squares += next * next - old * old;
    mixed += (next - old) * old;
    add_multiple(next - old, gram + c * k, c + 1, k, cross);
  }
  if (!changed) return;
  for (Index s = 0; s < count; ++s) {
    double* row = gram + support[s] * k;
    const double now = after[support[s]], then = before[support[s]];
    for (Index t = 0; t < count; ++t) row[support[t]] += now * after[support[t]] - then * before[support[t]];
  }
}

void improve_row_float(double* gram, Index k, const float* q, double diagonal, float* h, double* scratch,
                       Index* support) {
  improve_row(gram, k, q, diagonal, h, scratch, support);
}
void improve_row_double(double* gram, Index k, const double* q, double diagonal, double* h, double* scratch,
                        Index* support) {
  improve_row(gram, k, q, diagonal, h, scratch, support);
}

}  // namespace copse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {

namespace {

constexpr int newton_steps = 8;

double value(double x, double a, double b) { return x * (x * x * x / 4 + a * x / 2 + b); }

// The largest root of x^3 + a x + b, if it is positive, by Cardano.
double largest_root(double a, double b) {
  const double p = a / 3, q = b / 2, discriminant = q * q + p * p * p;
  double x;
  if (discriminant >= 0) {
    // One real root; the cube root without cancellation gives the other.
    const double r = std::cbrt(std::abs(q) + std::sqrt(discriminant));
    x = r > 0 ? (q < 0 ? r - p / r : p / r - r) : 0;
  } else {
    const double r = std::sqrt(-p);
    x = 2 * r * std::cos(std::acos(std::clamp(-q / (r * r * r), -1.0, 1.0)) / 3);
  }
  if (!(x > 0)) return 0;
  // One step of Newton's method for the last digits.
  const double slope = 3 * x * x + a;
  return slope > 0 ? std::max(0.0, x - (x * x * x + a * x + b) / slope) : x;
}

}  // namespace

double least_quartic(double a, double b, double near) {
  // Stationary points are the roots of x^3 + a x + b. The largest is the only one that can be a minimum with x > 0.
  if (a >= 0 && b >= 0) return 0;
  // Where the cubic rises it is convex for x > 0: a step of Newton's method ends right of the root, and the steps after
  // it come down to the root. Left of where the cubic rises there is no minimum.
  double x = near;
  for (int step = 0; x > 0 && step < newton_steps; ++step) {
    const double slope = 3 * x * x + a;
    if (!(slope > 0)) {
      if (step > 0) return 0;
      break;
    }
    const double change = (x * x * x + a * x + b) / slope;
    x -= change;
    if (!(x > 0)) return 0;
    if (std::abs(change) <= 1e-8 * x) return value(x, a, b) < 0 ? x : 0;  // the digits double with every step
  }
  x = largest_root(a, b);
  return x > 0 && value(x, a, b) < 0 ? x : 0;
}

COPSE_EXPORT(improve_row)

namespace {

constexpr Index rows_per_block = 2048, rows_per_part = 128;

// Rows change one after the other, but most of what a row needs is known before its turn. While the rows of one block
// change, the other threads add up, for the rows of the next, what their neighbours outside both blocks give; the
// neighbours inside wait for the row's turn. A column of A is cut in three for that: its entries before both blocks, in
// them and after.
template <class T>
class CoordinateStep : public SymStep<T> {
 public:
  explicit CoordinateStep(const SymProblem<T>& problem) : problem_(problem), pieces_(*problem.entries) {
    const SparseView<T>& a = *problem_.entries;
    cuts_.reserve(static_cast<std::size_t>(3 * a.cols + 1));
    for (Index i = 0; i < a.cols; ++i) {
      const Index first = i - i % rows_per_block;
      cuts_.push_back(a.offsets[i]);
      cuts_.push_back(entry(a, i, first - rows_per_block));
      cuts_.push_back(entry(a, i, first + rows_per_block));
    }
    cuts_.push_back(a.offsets[a.cols]);
    pieces_.offsets = cuts_;
    pieces_.cols = 3 * a.cols;
  }

  bool advance(SymPoint<T>& now) override {
    sweep(now.b, now.gram);
    problem_.evaluate(now);
    return true;
  }

 private:
  void sweep(Matrix<T>& b, Matrix<double>& gram) const {
    const Index n = b.rows(), k = b.cols();
    Matrix<T> q(std::min(n, rows_per_block), k), next(q.rows(), k);
    std::vector<double> scratch(static_cast<std::size_t>(3 * k));
    std::vector<Index> support(static_cast<std::size_t>(k));
    for (Index first = -rows_per_block; first < n; first += rows_per_block) {
      const Index after = first + rows_per_block, rows = std::clamp<Index>(n - after, 0, rows_per_block);
      const Index parts = (rows + rows_per_part - 1) / rows_per_part;
      parallel_for(1 + parts, [&](Index task) {
        if (task > 0) {
          add_outside(b, after, (task - 1) * rows_per_part, std::min(rows, task * rows_per_part), next);
        } else if (first >= 0) {
          change_rows(b, gram, first, std::min(n - first, rows_per_block), q, scratch.data(), support.data());
        }
      });
      std::swap(q, next);
    }
  }

  void add_outside(const Matrix<T>& b, Index first, Index begin, Index end, Matrix<T>& q) const {
    std::fill_n(q.row(begin).data(), (end - begin) * q.cols(), T(0));
    for (Index r = begin; r < end; ++r) {
      for (const Index piece : {0, 2}) add_transpose_times(pieces_, 3 * (first + r) + piece, 1, b, q, r);
    }
  }

  void change_rows(Matrix<T>& b, Matrix<double>& gram, Index first, Index rows, Matrix<T>& q, double* scratch,
                   Index* support) const {
    const SparseView<T>& a = *problem_.entries;
    const auto improve = best_improve_row<T>();
    for (Index r = 0; r < rows; ++r) {
      const Index i = first + r;
      add_transpose_times(pieces_, 3 * i + 1, 1, b, q, r);
      improve(gram.data(), b.cols(), q.row(r).data(), static_cast<double>(diagonal_entry(a, i)), b.row(i).data(),
              scratch, support);
    }
  }

  // The first entry of column i whose row is not before `row`.
  static Index entry(const SparseView<T>& a, Index i, Index row) {
    const auto begin = a.indices.begin() + a.offsets[i], end = a.indices.begin() + a.offsets[i + 1];
    return std::lower_bound(begin, end, row, [](RowIndex x, Index y) { return static_cast<Index>(x) < y; }) -
           a.indices.begin();
  }

  static T diagonal_entry(const SparseView<T>& a, Index i) {
    const Index found = entry(a, i, i);
    return found < a.offsets[i + 1] && static_cast<Index>(a.indices[found]) == i ? a.values[found] : T(0);
  }

  const SymProblem<T>& problem_;
  std::vector<Index> cuts_;
  SparseView<T> pieces_;
};

}  // namespace

template <class T>
std::unique_ptr<SymStep<T>> coordinate_step(const SymProblem<T>& problem) {
  return std::make_unique<CoordinateStep<T>>(problem);
}

template std::unique_ptr<SymStep<float>> coordinate_step(const SymProblem<float>&);
template std::unique_ptr<SymStep<double>> coordinate_step(const SymProblem<double>&);

}  // namespace copse
#endif  // HWY_ONCE
