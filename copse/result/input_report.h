// What a report says of the data that were read.
#pragma once

#include "copse/result/input.h"

namespace copse {

// How long reading took, what was announced and noted, and how often a file was read whose items stayed there.
template <class T>
void add_input(const PreparedInput<T>& input, const Seconds& seconds, RunReport& report);

}  // namespace copse
