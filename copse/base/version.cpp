#include "copse/base/version.h"

namespace copse {

const char* version() { return COPSE_VERSION; }

}  // namespace copse
