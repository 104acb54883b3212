#include "copse/base/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "copse/base/error.h"

#ifdef COPSE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace copse {
namespace {

// What came before a loop is seen inside it, and what was done inside is seen after it. TBB sees to that, in a library
// that ThreadSanitizer cannot look into: here it is told. Nothing orders the branches among themselves.
class ForkAndJoin {
 public:
  ForkAndJoin() { release(&fork_); }
  ~ForkAndJoin() { acquire(&join_); }
  ForkAndJoin(const ForkAndJoin&) = delete;
  ForkAndJoin& operator=(const ForkAndJoin&) = delete;

  class Branch {
   public:
    explicit Branch(ForkAndJoin& parent) : parent_(parent) { acquire(&parent_.fork_); }
    ~Branch() { release(&parent_.join_); }
    Branch(const Branch&) = delete;
    Branch& operator=(const Branch&) = delete;

   private:
    ForkAndJoin& parent_;
  };

 private:
#ifdef COPSE_THREAD_SANITIZER
  static void release(void* place) { __tsan_release(place); }
  static void acquire(void* place) { __tsan_acquire(place); }
#else
  static void release(void*) {}
  static void acquire(void*) {}
#endif

  char fork_ = 0;
  char join_ = 0;
};

// The run that this thread is working for; a loop hands it on to the threads that help with it.
thread_local const Cancellation* current_run = nullptr;

class CurrentRun {
 public:
  explicit CurrentRun(const Cancellation* run) : before_(current_run) { current_run = run; }
  ~CurrentRun() { current_run = before_; }
  CurrentRun(const CurrentRun&) = delete;
  CurrentRun& operator=(const CurrentRun&) = delete;

 private:
  const Cancellation* before_;
};

bool stopping(const Cancellation* run) { return run != nullptr && run->requested(); }

}  // namespace

void with_threads(int threads, const Cancellation* cancellation, const std::function<void()>& work) {
  const int count = threads > 0 ? threads : tbb::info::default_concurrency();
  // An arena larger than the machine needs the global limit raised, or TBB would not fill it.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(std::max(count, tbb::info::default_concurrency())));
  tbb::task_arena arena(count);
  ForkAndJoin order;
  arena.execute([&] {
    const ForkAndJoin::Branch branch(order);
    const CurrentRun run(cancellation);
    work();
  });
}

int thread_count() { return tbb::this_task_arena::max_concurrency(); }

void check_cancelled() {
  if (stopping(current_run)) throw Cancelled();
}

void parallel_for(Index count, const std::function<void(Index)>& body) {
  const Cancellation* run = current_run;
  if (count == 1 && !stopping(run)) {
    body(0);
  } else if (count > 0) {
    ForkAndJoin order;
    tbb::parallel_for(
        tbb::blocked_range<Index>(0, count, 1),
        [&](const tbb::blocked_range<Index>& range) {
          const ForkAndJoin::Branch branch(order);
          const CurrentRun helper(run);
          for (Index i = range.begin(); i < range.end() && !stopping(run); ++i) body(i);
        },
        tbb::auto_partitioner());
  }
  if (stopping(run)) throw Cancelled();
}

}  // namespace copse
