#include "python/src/supervisor.h"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

namespace copse::python {
namespace {

// How long Ctrl-C may go unheard.
constexpr auto patience = std::chrono::milliseconds(50);

}  // namespace

void Supervisor::run(int threads, const std::function<void()>& work) {
  std::exception_ptr failure;
  {
    const nb::gil_scoped_release no_gil;
    std::thread worker([&] {
      try {
        with_threads(threads, &cancellation_, work);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      done_ = true;
      changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    while (!done_) {
      changed_.wait_for(lock, patience, [&] { return done_ || question_ != nullptr; });
      if (done_) break;
      const auto* question = question_;
      lock.unlock();
      const bool answer = look_after(question);
      lock.lock();
      if (question == nullptr) continue;
      answer_ = answer;
      question_ = nullptr;
      changed_.notify_all();
    }
    lock.unlock();
    worker.join();
  }
  const bool kept = raised_ && !cancellation_.requested() && !failure;
  if (raised_ && !kept) throw *std::exchange(raised_, std::nullopt);
  if (failure) std::rethrow_exception(failure);
}

bool Supervisor::look_after(const std::function<bool()>* question) {
  if (cancellation_.requested()) return false;
  const nb::gil_scoped_acquire gil;
  bool go_on = true;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (question != nullptr && !stopping_) go_on = (*question)();
  } catch (nb::python_error& error) {
    const bool first_interrupt = keep_interrupted_ && !raised_ && error.matches(PyExc_KeyboardInterrupt);
    raised_.emplace(std::move(error));
    stopping_ = true;
    if (!first_interrupt) cancellation_.request();
  }
  return go_on && !stopping_;
}

bool Supervisor::ask(const std::function<bool()>& question) {
  std::unique_lock lock(mutex_);
  question_ = &question;
  changed_.notify_all();
  changed_.wait(lock, [&] { return question_ == nullptr; });
  return answer_;
}

}  // namespace copse::python
