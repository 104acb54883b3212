#include "copse/measure/matching.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <queue>
#include <utility>

namespace copse {
namespace {

constexpr Index none = -1;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Successive shortest paths with prices [Kuhn 1955; Munkres 1957] on a sparse graph [Jonker & Volgenant 1987]. A pair
// costs its negative gain; every column may also stay single at cost 0. Invariant: with prices p and q the reduced cost
// -gain - p(column) - q(row) is >= 0, 0 for a pair that is matched; p <= 0 is the price of staying single.
class Matcher {
 public:
  explicit Matcher(SparseView<double> gains)
      : gains_(gains),
        row_of_(static_cast<std::size_t>(gains.cols), none),
        column_of_(static_cast<std::size_t>(gains.rows), none),
        column_price_(static_cast<std::size_t>(gains.cols), 0),
        row_price_(static_cast<std::size_t>(gains.rows), 0),
        distance_(static_cast<std::size_t>(gains.rows), infinity),
        reached_from_(static_cast<std::size_t>(gains.rows), none) {}

  std::vector<Index> run() {
    std::vector<Index> waiting;
    for (Index j = 0; j < gains_.cols; ++j) {
      if (!match_with_best_free_row(j)) waiting.push_back(j);
    }
    for (const Index j : waiting) augment(j);
    return std::move(row_of_);
  }

 private:
  bool match_with_best_free_row(Index j) {
    double most = 0;
    Index best = none;
    for (Index p = gains_.offsets[j]; p < gains_.offsets[j + 1]; ++p) {
      assert(gains_.values[p] >= 0);
      const bool better =
          gains_.values[p] > most || (gains_.values[p] == most && best != none && column_of_[best] != none);
      if (better) {
        most = gains_.values[p];
        best = gains_.indices[p];
      }
    }
    column_price_[j] = -most;
    if (best == none) return true;  // nothing to gain: stays single
    if (column_of_[best] != none) return false;
    row_of_[j] = best;
    column_of_[best] = j;
    return true;
  }

  // Dijkstra's search from a single column over reduced costs, to a free row or to a column that had better be single.
  void augment(Index start) {
    using Step = std::pair<double, Index>;
    std::priority_queue<Step, std::vector<Step>, std::greater<>> queue;
    std::vector<Index> reached, done;
    double shortest = infinity;
    Index free_row = none, single_column = none;

    const auto scan = [&](Index j, double so_far) {
      if (so_far - column_price_[j] < shortest) {
        shortest = so_far - column_price_[j];
        single_column = j;
        free_row = none;
      }
      for (Index p = gains_.offsets[j]; p < gains_.offsets[j + 1]; ++p) {
        const Index i = gains_.indices[p];
        const double length = so_far + std::max(0.0, -gains_.values[p] - column_price_[j] - row_price_[i]);
        if (length >= distance_[i] || length >= shortest) continue;
        if (distance_[i] == infinity) reached.push_back(i);
        distance_[i] = length;
        reached_from_[i] = j;
        if (column_of_[i] == none) {
          shortest = length;
          free_row = i;
        } else {
          queue.emplace(length, i);
        }
      }
    };
    scan(start, 0);
    while (!queue.empty() && queue.top().first < shortest) {
      const auto [length, i] = queue.top();
      queue.pop();
      if (length > distance_[i]) continue;
      done.push_back(i);
      scan(column_of_[i], length);
    }

    // Prices first: they need the old matching.
    column_price_[start] += shortest;
    for (const Index i : done) {
      column_price_[column_of_[i]] += shortest - distance_[i];
      row_price_[i] -= shortest - distance_[i];
    }
    Index row = free_row != none ? free_row : std::exchange(row_of_[single_column], none);
    while (row != none) {
      const Index j = reached_from_[row];
      column_of_[row] = j;
      row = std::exchange(row_of_[j], row);
    }
    for (const Index i : reached) distance_[i] = infinity;
  }

  SparseView<double> gains_;
  std::vector<Index> row_of_, column_of_;
  std::vector<double> column_price_, row_price_;
  std::vector<double> distance_;     // per row, infinity outside a search
  std::vector<Index> reached_from_;  // per row: the column before it on the shortest path
};

}  // namespace

std::vector<Index> best_matching(SparseView<double> gains) { return Matcher(gains).run(); }

}  // namespace copse
