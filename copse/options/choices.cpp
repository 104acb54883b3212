#include "copse/options/choices.h"

#include "copse/base/error.h"
#include "copse/options/wording.h"

namespace copse {

void refuse_choice(const std::string& what, const std::string& word, const std::vector<std::string>& names) {
  throw InvalidArgument(what + " must be one of " + joined(names, ", ") + ", not '" + word + "'.");
}

}  // namespace copse
