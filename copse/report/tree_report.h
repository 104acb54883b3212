// A tree as text: tree.json, Newick, and the tables of its items. Computes nothing.
#pragma once

#include <string>

#include "copse/describe/result.h"
#include "copse/io/output_file.h"

namespace copse {

// All nodes of the binary tree, and its outline: the shown nodes from the top, with their children.
std::string tree_json(const TreeResult& result);

// The outline for tree viewers: (1.1:1,1.2:1)1:1 ... with names in place of ids where given.
std::string tree_newick(const TreeResult& result);

// Item; the topic that it belongs to (a leaf, by flattening unless that was left out; "none", or -1 in a matrix) and
// its share; the next best topic and its share; the leaf where the splits put it ("outlier" if a split set it aside);
// the last node on its way down and the shares of all nodes on that way; its stability, where that was measured.
void write_assignments(OutputFile& file, const TreeResult& result);

// Item, then its leaf in the nested partitions with 2, 3, ... leaves.
void write_partitions(OutputFile& file, const TreeResult& result);

}  // namespace copse
