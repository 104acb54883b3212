// A run of a survey as bytes, as it is kept on disk.
#pragma once

#include <string>
#include <string_view>

#include "copse/choose/survey.h"

namespace copse {

// A run as bytes, and back. Throws InputError for bytes that are none.
std::string packed(const RunRecord& record);
RunRecord unpacked(std::string_view bytes);

}  // namespace copse
