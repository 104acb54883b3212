// Changes to a finished tree that need no data. Nodes that remain keep their ids.
#pragma once

#include "copse/tree/tree.h"

namespace copse {

// The tree as it was when it had so many leaves: the last splits are taken back. Throws InvalidArgument if it has
// fewer.
void cut(Tree& tree, Index leaves);

// Makes `node` a leaf again; outliers below it come back. Throws InvalidArgument if it is one.
void merge(Tree& tree, Index node);

// Sets all items below `node` aside as outliers. Throws InvalidArgument for the root or the last leaf.
void drop(Tree& tree, Index node);

}  // namespace copse
