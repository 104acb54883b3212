// Rank-2 NMF of the items of one node, X ~ W H: alternating exact NNLS in closed form, one read of X per iteration.
#pragma once

#include <chrono>
#include <cstdint>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/tree/node_data.h"
#include "copse/tree/rank2_result.h"

namespace copse {

enum class Rank2Start {
  random,   // uniform entries, as in [Kuang & Park 2013]
  singular  // rays in the plane of the two leading singular vectors; needs no seed
};

struct Rank2Options {
  Rank2Start start = Rank2Start::singular;
  // Stop when |projected gradient| <= tolerance * its value after one alternation from random factors, unit columns of
  // W.
  double tolerance = 1e-4;
  int max_iterations = 1000;  // of the alternation over all items
  std::uint64_t seed = 0;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// What is thrown after the deadline.
class TimeUp : public Error {
 public:
  TimeUp() : Error("The time is up.") {}
};

// Throws TimeUp after the deadline, and Cancelled if the run was asked to stop. `x` is the data, a node's or the whole.
template <class X>
void check_time(const X& x, std::chrono::steady_clock::time_point deadline) {
  check_cancelled();
  if (deadline != std::chrono::steady_clock::time_point::max() && x.any(std::chrono::steady_clock::now() >= deadline))
    throw TimeUp();
}

template <class T>
Rank2Result<T> rank2_nmf(const NodeData<T>& x, const Rank2Options& options);

}  // namespace copse
