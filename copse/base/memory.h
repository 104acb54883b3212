// The memory of this machine and of this process.
#pragma once

#include <filesystem>

#include "copse/base/index.h"

namespace copse {

// What there is to spare now, in bytes: of the physical memory, and of the limits set for this process or for one of
// the control groups that it is in. `root` is where /proc and /sys are found.
double available_memory(const std::filesystem::path& root = "/");

// What this process takes now, and the most that it has taken so far, in bytes.
double resident_memory();
Index peak_memory();

// Gives memory that was freed back to the system. It keeps some in case it is asked for again, on top of which the next
// step would come.
void give_back_memory();

}  // namespace copse
