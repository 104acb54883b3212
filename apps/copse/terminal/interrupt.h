// Ctrl-C: the first asks the work to stop and keep what it has, the second ends the program at once.
#pragma once

#include "copse/base/parallel.h"

namespace copse {

// SIGINT and SIGTERM set the cancellation from now on.
void handle_interrupts();

const Cancellation& interruption();

// 128 + the number of the signal that came, as shells count; 0 if none did.
int interrupted_exit_code();

}  // namespace copse
