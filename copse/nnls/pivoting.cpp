#include <algorithm>
#include <cassert>
#include <numeric>

#include "copse/base/parallel.h"
#include "copse/nnls/nnls.h"
#include "copse/nnls/passive_set.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 1024;
constexpr int full_exchanges = 3;  // p of Kim and Park (2011), algorithm 2

struct Progress {
  Index fewest_infeasible = 0;
  int tries = full_exchanges;
};

}  // namespace

template <class T>
void solve_pivoting(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g) {
  assert(gram.cols() == gram.rows() && rhs.cols() == gram.rows());
  const Index k = rhs.cols();
  const ScaledGram scaled(gram);
  const bool started = g.rows() == rhs.rows() && g.cols() == k;
  if (!started) g.reshape(rhs.rows(), k);
  parallel_blocks(rhs.rows(), rows_per_block, [&](Index begin, Index end) {
    PassiveBlock block(scaled, rhs, begin, end);
    if (started) block.start_from(g, begin);
    std::vector<Index> rows(static_cast<std::size_t>(end - begin));
    std::iota(rows.begin(), rows.end(), Index{0});
    std::vector<Progress> progress(rows.size(), Progress{.fewest_infeasible = k + 1});
    const Index max_rounds = 3 * k + 30;  // only a singular Gram matrix and rounding get there
    for (Index round = 0; round < max_rounds && !rows.empty(); ++round) {
      block.solve(rows);
      std::erase_if(rows, [&](Index row) {
        const double tolerance = block.gradient_tolerance(row);
        const auto infeasible = [&](Index c) {
          const auto e = static_cast<std::size_t>(c);
          return block.passive(row, c) ? block.solution(row)[e] < 0 : block.gradient(row)[e] < -tolerance;
        };
        Index count = 0;
        Index largest = -1;
        for (Index c = 0; c < k; ++c) {
          if (!infeasible(c)) continue;
          ++count;
          largest = c;
        }
        if (count == 0) return true;
        auto& [fewest, tries] = progress[static_cast<std::size_t>(row)];
        if (count < fewest) {
          fewest = count;
          tries = full_exchanges;
        } else if (tries > 0) {
          --tries;
        } else {
          block.set_passive(row, largest, !block.passive(row, largest));  // backup rule
          return false;
        }
        std::vector<Index> exchanged;
        for (Index c = 0; c < k; ++c) {
          if (infeasible(c)) exchanged.push_back(c);
        }
        for (Index c : exchanged) block.set_passive(row, c, !block.passive(row, c));
        return false;
      });
    }
    for (Index row : rows) block.clear(row);
    finish_by_active_set(block, rows);
    block.store(g, begin);
  });
}

template void solve_pivoting(const Matrix<double>&, const Matrix<float>&, Matrix<float>&);
template void solve_pivoting(const Matrix<double>&, const Matrix<double>&, Matrix<double>&);

}  // namespace copse
