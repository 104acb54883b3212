// A topic as people meet it: a component of a flat result, a node of a tree, a community of a graph.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "copse/base/index.h"

namespace copse {

// A feature or an item of a topic. Features without names are called by their numbers.
struct Ranked {
  Index number = 0;  // of a feature among those of the model, of an item among all
  double weight = 0;
  std::string name = {};
};

// What only communities have. Weights are sums over edges.
struct CommunityFacts {
  Index overlapping = 0;                                  // nodes of other communities that belong to it too
  double inside = 0;                                      // the edges among its nodes
  double leaving = 0;                                     // the edges to other communities
  double conductance = 0;                                 // leaving / min(2 inside + leaving, that of the rest)
  std::vector<std::pair<Index, double>> neighbours = {};  // communities with the edges between, most weight first
};

struct Topic {
  std::string id = {};     // as in tree.json, or the number of a component or community; "" for the root
  std::string name = {};   // given by a person, or empty
  std::string label = {};  // what it is called: the given name, or else a few terms or central nodes; see names.h
  Index parent = -1;       // before the node itself
  Index size = 0;          // items that belong to it or to a node below; of a community, nodes of the graph
  bool leaf = true;
  bool dropped = false;  // by a person: its items count as outliers
  Index joined = -1;     // the node that a person gave its items to
  std::optional<double> score = {};
  std::optional<double> coherence = {};  // of its best features, where they are words
  std::optional<double> stability = {};  // where it was measured, as stability.h has it
  // Best first. The features of a community of items are what sets it apart: their mean there, less that of all.
  std::vector<Ranked> words = {};
  std::vector<Ranked> representatives = {};  // of a community its central nodes, by their edges inside
  std::string main_class = {};               // the most frequent true class, where it is known
  double main_class_share = 0;               // of its items
  std::optional<CommunityFacts> community = {};
};

}  // namespace copse
