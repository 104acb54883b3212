// Long work under Python's eyes: the GIL is free, Ctrl-C is heard, callbacks run in the thread that called.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

#include "copse/base/parallel.h"
#include "python/src/bind.h"

namespace copse::python {

class Supervisor {
 public:
  // With `keep_interrupted` the first Ctrl-C only makes stopping() true, and run() returns once `work` has ended by
  // itself with what it has.
  explicit Supervisor(bool keep_interrupted = false) : keep_interrupted_(keep_interrupted) {}

  // Runs `work` with at most so many threads, on a thread of its own. The calling thread, which holds the GIL, lets it
  // go and waits; a signal that Python turns into an exception, or a callback that throws one, cancels the work. Throws
  // that exception, or else what `work` throws.
  void run(int threads, const std::function<void()>& work);

  // From `work`: has the calling thread run `question` with the GIL, and waits for the answer. False once stopping.
  bool ask(const std::function<bool()>& question);
  bool stopping() const { return stopping_; }

 private:
  bool look_after(const std::function<bool()>* question);

  const bool keep_interrupted_;
  Cancellation cancellation_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<bool()>* question_ = nullptr;
  bool answer_ = false;
  bool done_ = false;
  std::optional<nb::python_error> raised_;  // only the calling thread looks at it
};

}  // namespace copse::python
