// A matrix whose items are spread over a team: everyone reads some of one file.
#pragma once

#include <memory>
#include <vector>

#include "copse/base/team.h"
#include "copse/input/input.h"

namespace copse {

template <class T>
struct SharedInput {
  PreparedInput<T> input;        // of all items; their names and classes with the first of the team only
  std::vector<Index> starts;     // the first kept item of each member, and their number
  std::unique_ptr<Data<T>> own;  // one's own items, in memory or in the file; where they are spread by runs, all items
  bool by_runs = false;          // everyone has all items, and makes some of the runs
};

// X and X' of the items of one of so many processes, where they are kept in memory.
double bytes_of_share(Index entries, Index clusters, Precision precision, int processes);

// load() for a team. The limit of memory is that of each member. Of several runs, everyone makes some where all items
// fit into the memory of each. Throws InputError, which all members do alike.
template <class T>
SharedInput<T> load_shared(const InputOptions& options, MemoryJob job, int runs, const Team& team,
                           const RunEvents& events, Seconds& seconds);

}  // namespace copse
