// What a factorization is asked for, and what it gives.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "copse/matrix/dense.h"

namespace copse {

enum class Loss {
  frobenius,        // |X - W H|^2
  kullback_leibler  // D(X | W H) = sum of x log(x / (W H)) - x + (W H) over all entries, by hals (one coordinate after
                    // the other) or mu; no penalties, no baseline
};
enum class Solver { hals, mu, active_set, pivoting, projected_gradient };
enum class Start {
  automatic,  // sample for hals, random for the others, as the seeds have it
  random,     // uniform entries
  nndsvd,     // from singular vectors, with zeros; with their zeros set to the mean of X (a); to less at random (ar)
  nndsvda,
  nndsvdar,
  sample  // a few alternations on a sample of the items, with components to spare (random where n < 4 k); and once,
          // when the error falls slowly, components from the residual join, and those closest to each other merge
};
enum class StopReason { converged, max_iterations, time_limit, interrupted };

// One alternation, as the history and the progress callback see it.
struct Iteration {
  int number = 0;             // 1, 2, ...; alternations with more components count, but have no record
  double relative_error = 0;  // |X - W H| / |X|; known to about 1e-3 for float and 1e-7 for double
  // What NmfOptions::tolerance is compared with, left side / sqrt(k), at the point from which the next iteration sets
  // out: the iterate, or where hals ran ahead of it. The last record of a run is that of the factors which are
  // returned, unless Cancelled ended it: then it is that of the record before.
  double projected_gradient_ratio = 0;
  double seconds = 0;  // since the run began
};

struct NmfOptions {
  Index rank = 0;  // required: 1 <= rank <= min(rows, cols)
  Loss loss = Loss::frobenius;
  Solver solver = Solver::hals;
  Start start = Start::automatic;
  int runs = 1;  // starts to try; the one with the least objective is kept
  int max_iterations = 200;
  // Stop when |projected gradient| <= tolerance, for X / |X| and unit columns of W, from any start [Kuang 2014, eq.
  // 9-10]: with G_W = (W H - X) H' and G_H = W'(W H - X), each with the gradient of its penalty, and of which only the
  // negative part counts where an entry of W or H is zero, when
  //     sqrt(|G_W|^2 / |X|^4 + |G_H|^2 / |X|^2) <= tolerance * sqrt(k).
  // The right side is tolerance times the largest value that the left can have at H = 0. Affine: the root also has
  // |(W H + w0 1' - X) 1|^2 / (n |X|^2). Kullback-Leibler: when ten iterations like this
  // one, each with the sum of |slope * step| over all coordinates, would add up to <= tolerance * the least D for k
  // = 1.
  double tolerance = 1e-4;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds, all runs together
  std::uint64_t seed = 0;                                       // same seed, same bits, any number of threads
  double alpha = 0;                                     // weight of |W|^2; above 0 where beta is, and only there
  double beta = 0;                                      // weight of sum_j |H(:,j)|_1^2
  bool affine = false;                                  // X ~ w0 1' + W H with a baseline w0 >= 0
  bool extrapolate = true;                              // hals: run ahead of the iterates (Ang & Gillis 2019)
  std::function<bool(const Iteration&)> progress = {};  // once per iteration; false asks to stop
};

template <class T>
struct NmfResult {
  Matrix<T> w;              // rows x k, columns of unit 2-norm; a dead component is zero in both factors
  Matrix<T> h;              // cols x k (H'), scaled accordingly
  std::vector<T> baseline;  // w0, rows; empty unless affine
  // The penalty of H at the scale of these factors: item j costs (penalty'h_j)^2. With d_c the norm that column c of W
  // had, beta |D^-1 h_j|_1^2 is that with penalty_c = sqrt(beta) / d_c. 0 for a dead component; empty where beta = 0.
  std::vector<double> penalty;
  std::vector<Iteration> history;
  StopReason stop_reason = StopReason::max_iterations;
  double relative_error = 0;  // 0 where X = 0
  double objective = 0;       // |X - W H|^2 and the penalties, at the scale of W that the solver left
  double projected_gradient_ratio = 0;
  std::vector<double> run_errors;  // final relative error of every run
  int best_run = 0;
};

}  // namespace copse
