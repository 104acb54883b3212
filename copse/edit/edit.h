// Changes to a stored result: split, cut, merge, rename, drop, names, undo of a tree; rename, names, undo of flat
// topics.
#pragma once

#include <optional>
#include <string>

#include "copse/describe/names.h"
#include "copse/describe/result.h"
#include "copse/model/stored_result.h"
#include "copse/run/flat_run.h"

namespace copse {

// One change; ids are those of tree.json, or the numbers of flat topics.
struct Edit {
  std::optional<std::string> split, merge, drop, rename;
  std::optional<std::string> with;    // merge: the node whose items go to the first; none: what is below it
  Index into = 2;                     // leaves that a split makes of the node
  Index cut = 0;                      // leaves that stay; 0: no cut
  std::string name;                   // for rename
  std::vector<GivenName> names = {};  // many at once; those that are not there stay
  std::string names_source = {};      // the file they come from, for sentences
  bool undo = false;
};

// Changes the model's last version into a new one, which is noted in its history; `undo` goes back to the one before. A
// split needs `data`, prepared as for the run, and the options of the run; other changes need none. The model is as it
// was if anything is thrown: InvalidArgument for what cannot be done, InputError for a name of a node that is not
// there. describe() is still to be called.
template <class T>
void edit(const Edit& change, const TreeOptions& options, const RunData<T>* data, TreeResult& result);

// The same on a folder: reads the model, and the data again where a split needs it.
TreeResult edit_stored(const StoredResult& stored, const Edit& change, bool keep_texts, const RunEvents& events = {});

// The same for flat topics, which have names that a person gave and nothing else to change. Throws InvalidArgument for
// other changes.
void edit(const Edit& change, FlatResult& result);
FlatResult edit_stored_flat(const StoredResult& stored, const Edit& change);

}  // namespace copse
