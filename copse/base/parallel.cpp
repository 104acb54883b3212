#include "copse/base/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include "copse/base/error.h"
#include "copse/base/isolated.h"
#include "copse/base/pipeline.h"

#ifdef COPSE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace copse {
namespace {

// TBB orders the work of its threads inside a library that ThreadSanitizer cannot see. These calls tell it the order.
#ifdef COPSE_THREAD_SANITIZER
void release(void* place) { __tsan_release(place); }
void acquire(void* place) { __tsan_acquire(place); }
#else
void release(void*) {}
void acquire(void*) {}
#endif

// A branch sees what happened before the loop, and the code after the loop sees what all branches did. Nothing orders
// the branches among themselves.
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
  char fork_ = 0;
  char join_ = 0;
};

// The holder of a place sees what its earlier holders did.
class Handover {
 public:
  explicit Handover(char& place) : place_(place) { acquire(&place_); }
  ~Handover() { release(&place_); }
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

 private:
  char& place_;
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

void uninterrupted(const std::function<void()>& work) {
  const CurrentRun run(nullptr);
  work();
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

void isolated(const std::function<void()>& work) { tbb::this_task_arena::isolate(work); }

void pipeline(Index slots, const std::function<bool(Index)>& read, const std::function<void(Index)>& work,
              const std::function<void(Index)>& keep) {
  const Cancellation* run = current_run;
  ForkAndJoin order;
  Index next = 0;
  std::vector<char> places(static_cast<std::size_t>(slots), 0);
  char reading = 0, keeping = 0;
  using Mode = tbb::filter_mode;
  // Items leave in order and at most `slots` are under way, so that the place of item i - slots is free for item i.
  const auto first = tbb::make_filter<void, Index>(Mode::serial_in_order, [&](tbb::flow_control& control) {
    const ForkAndJoin::Branch branch(order);
    const CurrentRun helper(run);
    const Handover mine(reading);
    const Index slot = next % slots;
    const Handover place(places[static_cast<std::size_t>(slot)]);
    if (stopping(run) || !read(slot)) {
      control.stop();
    } else {
      ++next;
    }
    return slot;
  });
  const auto second = tbb::make_filter<Index, Index>(Mode::parallel, [&](Index slot) {
    const ForkAndJoin::Branch branch(order);
    const CurrentRun helper(run);
    const Handover place(places[static_cast<std::size_t>(slot)]);
    if (!stopping(run)) work(slot);
    return slot;
  });
  const auto third = tbb::make_filter<Index, void>(Mode::serial_in_order, [&](Index slot) {
    const ForkAndJoin::Branch branch(order);
    const CurrentRun helper(run);
    const Handover mine(keeping);
    const Handover place(places[static_cast<std::size_t>(slot)]);
    if (!stopping(run)) keep(slot);
  });
  tbb::parallel_pipeline(static_cast<std::size_t>(slots), first & second & third);
  if (stopping(run)) throw Cancelled();
}

}  // namespace copse
