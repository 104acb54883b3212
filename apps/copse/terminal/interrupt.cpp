#include "apps/copse/terminal/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace copse {
namespace {

Cancellation cancellation;
volatile std::sig_atomic_t received = 0;

extern "C" void on_signal(int signal) {
  if (received != 0) _exit(128 + signal);
  received = signal;
  cancellation.request();
}

}  // namespace

void handle_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A file that may not grow is an error with a sentence, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
}

const Cancellation& interruption() { return cancellation; }

int interrupted_exit_code() { return received == 0 ? 0 : 128 + static_cast<int>(received); }

}  // namespace copse
