// The version of the library.
#pragma once

namespace copse {

const char* version();

}  // namespace copse
