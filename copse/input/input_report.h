// What a report says of the data that were read.
#pragma once

#include <optional>

#include "copse/input/input.h"

namespace copse {

// How long reading took, what was announced and noted, and how often a file was read whose items stayed there.
template <class T>
void add_input(const PreparedInput<T>& input, const Seconds& seconds, RunReport& report);

// Bytes that were read so far of a file whose items stay there; none: they do not.
template <class T>
std::optional<double> bytes_read_of(const PreparedInput<T>& input);

}  // namespace copse
