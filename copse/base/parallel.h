// Threads. Work is cut into blocks that depend on the problem only, and partial results are added in block order, so
// that the number of threads never changes a bit of the outcome.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "copse/base/index.h"

namespace copse {

// Stops a run. A signal handler or another thread may call request().
class Cancellation {
 public:
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
};

// Runs `work` with at most `threads` threads (0: as many as the machine has). Once `cancellation` (may be null) is
// requested, the parallel loops inside throw Cancelled.
void with_threads(int threads, const Cancellation* cancellation, const std::function<void()>& work);

// Runs `work` as if nobody could stop it: what was found is kept.
void uninterrupted(const std::function<void()>& work);

// How many threads a loop that starts here may use.
int thread_count();

// Throws Cancelled if the run was asked to stop. For long serial stretches.
void check_cancelled();

// Runs body(0) ... body(count - 1) in any order, several at once. Loops nest.
void parallel_for(Index count, const std::function<void(Index)>& body);

// Cuts [0, size) into blocks of `block` and runs body(begin, end) for each.
template <class Body>
void parallel_blocks(Index size, Index block, const Body& body) {
  parallel_for((size + block - 1) / block, [&](Index b) { body(b * block, std::min(size, (b + 1) * block)); });
}

// Adds up body(begin, end) over the blocks of [0, size), in block order.
template <class Value, class Body>
Value sum_blocks(Index size, Index block, const Value& zero, const Body& body) {
  std::vector<Value> parts(static_cast<std::size_t>((size + block - 1) / block), zero);
  parallel_blocks(size, block,
                  [&](Index begin, Index end) { parts[static_cast<std::size_t>(begin / block)] = body(begin, end); });
  Value total = zero;
  for (const Value& part : parts) total += part;
  return total;
}

}  // namespace copse
