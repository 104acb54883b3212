// Parallel work inside a lock.
#pragma once

#include <functional>

namespace copse {

// Runs `work`. A thread that waits for a parallel loop inside takes up other work meanwhile; here only work of this
// loop. Without this, who holds a lock or runs a std::call_once could take up a task that wants the same lock, and wait
// for itself.
void isolated(const std::function<void()>& work);

}  // namespace copse
