// Runs a test once for every instruction set that the kernels are compiled for and this machine has.
#pragma once

#include <functional>

namespace copse::testing {

void for_each_instruction_set(const std::function<void()>& test);

}  // namespace copse::testing
