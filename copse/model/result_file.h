// A file of a result.
#pragma once

#include <string>

#include "copse/io/input.h"

namespace copse {

// Wherever it lies while a commit is unfinished. Throws InputError unless it is a file: a pipe or a device in a folder
// from elsewhere would be read for ever.
Input open_in_result(const std::string& folder, const char* name);

}  // namespace copse
