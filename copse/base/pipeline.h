// Work on items that come one after the other, as from a file.
#pragma once

#include <functional>

#include "copse/base/index.h"

namespace copse {

// Sends items through three stages, several at once, in `slots` places that are used again and again. read(slot) puts
// the next item in a place and returns false at the end; work(slot) runs for several items at once; keep(slot) takes
// the items in the order of reading. read and keep run for one item at a time.
void pipeline(Index slots, const std::function<bool(Index)>& read, const std::function<void(Index)>& work,
              const std::function<void(Index)>& keep);

}  // namespace copse
