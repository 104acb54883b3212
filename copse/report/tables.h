// Tab-separated tables of a result: assignments.tsv, topics.tsv, communities.tsv. Computes nothing.
#pragma once

#include <span>
#include <string>

#include "copse/describe/result.h"
#include "copse/io/output_file.h"

namespace copse {

// Without tabs and line ends, which become spaces.
std::string cell(std::string text);

// All items of the file in their order, line by line: a table of millions need not stand in memory. Item, cluster,
// weight: the coefficient in H; with a column for stability where that was measured.
void write_assignments(OutputFile& file, const FlatResult& result);
// Item, cluster, weight, and in `memberships` every community that it belongs to with its share, such as
// "3:0.61 0:0.30", its own first.
void write_assignments(OutputFile& file, const GraphResult& result);

// The last column, what the topic is called, is there only where topics have names.
std::string topics_tsv(std::span<const Topic> topics);

// One line per community: cluster, nodes, overlapping, inside, leaving, conductance, central (names of nodes),
// neighbours ("2:14.5 0:3"), features and class where they are known.
std::string communities_tsv(std::span<const Topic> communities);

}  // namespace copse
