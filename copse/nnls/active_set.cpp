#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "copse/base/parallel.h"
#include "copse/nnls/nnls.h"
#include "copse/nnls/passive_set.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 1024;

}  // namespace

void finish_by_active_set(PassiveBlock& block, std::vector<Index> rows) {
  const Index k = block.cols();
  Matrix<double> feasible(block.rows(), k);
  std::vector<Index> entered(static_cast<std::size_t>(block.rows()), -1);
  Matrix<char> blocked(block.rows(), k);
  for (Index row : rows) std::ranges::copy(block.solution(row), feasible.row(row).begin());
  // Rounding can make a row go round in circles. From some round on the tolerance doubles with every k rounds.
  const Index patient_rounds = 5 * k + 20;
  for (Index round = 0; !rows.empty(); ++round) {
    const Index doublings = std::max<Index>(0, round - patient_rounds) / k;
    const double slack = std::exp2(static_cast<double>(doublings));
    block.solve(rows);
    std::erase_if(rows, [&](Index row) {
      auto x = block.solution(row);
      auto best = feasible.row(row);
      Index& last = entered[static_cast<std::size_t>(row)];
      if (last >= 0 && x[static_cast<std::size_t>(last)] <= 0) {
        blocked(row, last) = 1;  // only rounding had made its gradient negative
        block.set_passive(row, last, false);
        last = -1;
        return false;
      }
      last = -1;
      double step = 1;
      for (std::size_t c = 0; c < x.size(); ++c) {
        if (x[c] < 0) step = std::min(step, best[c] / (best[c] - x[c]));
      }
      if (step < 1) {
        for (std::size_t c = 0; c < x.size(); ++c) {
          const bool leaves = x[c] < 0 && best[c] / (best[c] - x[c]) <= step;
          best[c] = leaves ? 0 : std::max(0.0, best[c] + step * (x[c] - best[c]));
          if (leaves) block.set_passive(row, static_cast<Index>(c), false);
        }
        return false;
      }
      std::copy(x.begin(), x.end(), best.begin());
      double least = -slack * block.gradient_tolerance(row);
      for (Index c = 0; c < k; ++c) {
        const double gradient = block.gradient(row)[static_cast<std::size_t>(c)];
        if (block.passive(row, c) || blocked(row, c) || !(gradient < least)) continue;
        least = gradient;
        last = c;
      }
      if (last >= 0) block.set_passive(row, last, true);
      return last < 0;
    });
  }
}

template <class T>
void solve_active_set(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g) {
  assert(gram.cols() == gram.rows() && rhs.cols() == gram.rows());
  const ScaledGram scaled(gram);
  const bool started = g.rows() == rhs.rows() && g.cols() == rhs.cols();
  if (!started) g.reshape(rhs.rows(), rhs.cols());
  parallel_blocks(rhs.rows(), rows_per_block, [&](Index begin, Index end) {
    PassiveBlock block(scaled, rhs, begin, end);
    if (started) block.start_from(g, begin);
    std::vector<Index> rows(static_cast<std::size_t>(end - begin));
    std::iota(rows.begin(), rows.end(), Index{0});
    finish_by_active_set(block, rows);
    block.store(g, begin);
  });
}

template void solve_active_set(const Matrix<double>&, const Matrix<float>&, Matrix<float>&);
template void solve_active_set(const Matrix<double>&, const Matrix<double>&, Matrix<double>&);

}  // namespace copse
