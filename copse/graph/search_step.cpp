#include "copse/graph/search_step.h"

#include <algorithm>
#include <cmath>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index search_step_entries_per_block = 16384;
constexpr double reduction = 0.1;   // beta of [Kuang 2014, section 3.7.3]
constexpr double acceptance = 0.1;  // sigma
constexpr double shortest = 1e-14;

// Projected gradient: S is the identity. The first length is ten times the last one (Lin 2007).
template <class T>
class GradientStep : public SearchStep<T> {
 public:
  using SearchStep<T>::SearchStep;

 protected:
  Matrix<T> scaled(const SymPoint<T>&, const Matrix<T>& gradient) override { return gradient; }
  double first_length() override { return length_; }
  void accepted(double length) override { length_ = length / reduction; }

 private:
  double length_ = 1;
};

}  // namespace

template <class T>
bool SearchStep<T>::advance(SymPoint<T>& now) {
  const Matrix<T> gradient = sym_gradient(now);
  return search(now, gradient, scaled(now, gradient), first_length()) || search(now, gradient, gradient, 1);
}

template <class T>
bool SearchStep<T>::search(SymPoint<T>& now, const Matrix<T>& gradient, const Matrix<T>& direction, double length) {
  SymPoint<T> next;
  next.b.reshape(now.b.rows(), now.b.cols());
  for (; length > shortest; length *= reduction) {
    // x_new = [x - length S gradient]+, and the gradient times the way there.
    const double descent = sum_blocks(
        static_cast<Index>(next.b.values().size()), search_step_entries_per_block, 0.0, [&](Index begin, Index end) {
          double sum = 0;
          for (Index e = begin; e < end; ++e) {
            const T from = now.b.data()[e];
            const T to = std::max(T(0), static_cast<T>(from - static_cast<T>(length) * direction.data()[e]));
            next.b.data()[e] = to;
            sum += static_cast<double>(gradient.data()[e]) * (static_cast<double>(to) - static_cast<double>(from));
          }
          return sum;
        });
    if (!(descent < 0)) continue;
    problem_.evaluate(next);
    if (next.objective - now.objective > acceptance * descent) continue;
    now = std::move(next);
    accepted(length);
    return true;
  }
  return false;
}

template class SearchStep<float>;
template class SearchStep<double>;

template <class T>
std::unique_ptr<SymStep<T>> gradient_step(const SymProblem<T>& problem) {
  return std::make_unique<GradientStep<T>>(problem);
}

template std::unique_ptr<SymStep<float>> gradient_step(const SymProblem<float>&);
template std::unique_ptr<SymStep<double>> gradient_step(const SymProblem<double>&);

}  // namespace copse
