// A race on purpose: ThreadSanitizer must report it, although it cannot look into TBB.
#include <atomic>
#include <thread>

#include "copse/base/parallel.h"

int main() {
  long unguarded = 0;
  std::atomic<int> arrived = 0;
  copse::with_threads(2, nullptr, [&] {
    copse::parallel_for(2, [&](copse::Index) {
      // Both threads must be here; a relaxed counter brings them together without putting them in order.
      arrived.fetch_add(1, std::memory_order_relaxed);
      while (arrived.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
      ++unguarded;
    });
  });
  return unguarded == 2 ? 0 : 1;
}
