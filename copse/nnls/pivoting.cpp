#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "copse/base/parallel.h"
#include "copse/nnls/nnls.h"
#include "copse/nnls/passive_set.h"

namespace copse {
namespace {

constexpr Index pivoting_rows_per_block = 1024;
constexpr int full_exchanges = 3;  // p of Kim and Park (2011), algorithm 2

// Without a start all coordinates with a positive product become passive at once, and systems of that size are solved
// for every row. With many coordinates a few sweeps of coordinate descent find nearly the set of the solution first.
constexpr Index many_columns = 32;
constexpr int first_sweeps = 8;

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
  bool started = g.rows() == rhs.rows() && g.cols() == k;
  if (!started) {
    g.reshape(rhs.rows(), k);
    if (k >= many_columns) {
      std::ranges::fill(g.values(), T(0));
      sweep_hals(gram, rhs, g, {.sweeps = first_sweeps});
      started = true;
    }
  }
  parallel_blocks(rhs.rows(), pivoting_rows_per_block, [&](Index begin, Index end) {
    PassiveBlock block(scaled, rhs, begin, end);
    if (started) block.start_from(g, begin);
    std::vector<Index> rows(static_cast<std::size_t>(end - begin));
    std::iota(rows.begin(), rows.end(), Index{0});
    std::vector<Progress> progress(rows.size(), Progress{.fewest_infeasible = k + 1});
    const Index max_rounds = 3 * k + 30;  // only a singular Gram matrix and rounding get there
    for (Index round = 0; round < max_rounds && !rows.empty(); ++round) {
      block.solve(rows);
      std::erase_if(rows, [&](Index row) {
        const auto infeasible = block.infeasible(row);
        const auto passive = block.passive_words(row);
        Index count = 0;
        std::size_t last = 0;  // the word that holds the largest infeasible coordinate
        for (std::size_t word = 0; word < infeasible.size(); ++word) {
          count += std::popcount(infeasible[word]);
          if (infeasible[word] != 0) last = word;
        }
        if (count == 0) return true;
        auto& [fewest, tries] = progress[static_cast<std::size_t>(row)];
        if (count < fewest) {
          fewest = count;
          tries = full_exchanges;
        } else if (tries > 0) {
          --tries;
        } else {
          passive[last] ^= std::bit_floor(infeasible[last]);  // backup rule
          return false;
        }
        for (std::size_t word = 0; word < passive.size(); ++word) passive[word] ^= infeasible[word];
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
