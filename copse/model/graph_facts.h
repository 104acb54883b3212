// What a run found in a graph: the part of result.json that only graphs have.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "copse/base/index.h"

namespace copse {

struct CommunityNode {
  Index node = 0;  // among all of the file
  std::string name;
  double weight = 0;  // the sum of its edges into its own community
};

// Two communities and the weight of the edges between them.
struct CommunityLink {
  Index community = 0;
  double weight = 0;
};

struct Community {
  std::string id;                                                 // as in assignments.tsv
  std::string label = {};                                         // what it is called: its best features or nodes
  Index nodes = 0;                                                // that belong to it
  Index overlapping = 0;                                          // of other communities that belong to it too
  double inside = 0;                                              // weight of the edges among its nodes
  double leaving = 0;                                             // weight of the edges to other communities
  double conductance = 0;                                         // leaving / min(2 inside + leaving, that of the rest)
  std::vector<CommunityNode> central = {};                        // most weight inside first
  std::vector<CommunityLink> neighbours = {};                     // most weight first
  std::vector<std::pair<std::string, double>> top_features = {};  // of items: their mean here, less that of all
  std::string main_class = {};                                    // the most frequent true class, where it is known
  double main_class_share = 0;
};

// As copse/graph/quality.h defines them.
struct GraphFacts {
  Index nodes = 0;
  Index edges = 0;
  Index components = 0;
  Index isolated = 0;
  Index pieces = 0;           // components that took no part; each is a cluster of its own
  Index nodes_set_aside = 0;  // in these pieces
  double modularity = 0;
  double normalized_cut = 0;
  double conductance = 0;  // the mean over the communities
  double coverage = 0;
  bool labels_of_start = false;        // the partition that the start found, not the largest memberships
  std::vector<Community> communities;  // without the pieces
};

}  // namespace copse
