// Two spellings of a node's id: the way from the root in full, "1.1.1.1.2", and short, "1x4.2".
#pragma once

#include <string>

namespace copse {

// Three or more equal steps become one with a count. The short id tells nothing but the way, so it is the same in every
// tree that has the node: after a cut, and with more leaves.
std::string short_id(const std::string& id);

// The id in full from either spelling. Text that is neither stays as it is.
std::string full_id(const std::string& id);

}  // namespace copse
