// A graph from a file, or the neighbour graph of the items of a matrix, with names and the truth where it is known.
#pragma once

#include <string>
#include <vector>

#include "copse/graph/read_graph.h"
#include "copse/graph/similarity.h"
#include "copse/input/input.h"
#include "copse/input/item_similarity.h"

namespace copse {

struct GraphInputOptions {
  InputOptions items;  // the path, the names, the truth; of a matrix of items also how it is read and prepared
  GraphFormat format = GraphFormat::automatic;       // of a given graph
  std::string nodes;                                 // file: all nodes, or names for nodes 0, 1, ...; or empty
  ItemSimilarity similarity = ItemSimilarity::none;  // of items
  Index neighbours = 0;                              // that each item keeps; 0: floor(log2 n) + 1
  double sigma = 0;                                  // gaussian: required
  Index scale_neighbour = 7;                         // self-tuning

  bool has_items() const { return similarity != ItemSimilarity::none; }
  SimilarityOptions similarity_options() const;
};

template <class T>
struct GraphInput {
  Graph<T> graph;    // its names are in `items`
  ModelItems items;  // of given graphs: the names and classes of the nodes
  Dataset<T> data;   // the items as they were compared; empty for a given graph
  Dataset<T>
      outside;  // items that preparation kept out of the graph, not weighed; items.outside_items has their numbers
  std::vector<std::string> notes;
};

// Nodes whose names are whole numbers stand in the order of the numbers; else in that of the file, or of options.nodes.
// The truth has one class per line, for node 0, 1, ... where nodes are numbers, or lines "node <tab> class". Adds to
// seconds.read and seconds.prepare. Throws InputError, also for a graph without edges.
template <class T>
GraphInput<T> load_graph(const GraphInputOptions& options, Index k, double memory_limit, const RunEvents& events,
                         Seconds& seconds);

// The same for items that are read and prepared. Adds to seconds.prepare.
template <class T>
GraphInput<T> join_items(PreparedInput<T> items, const GraphInputOptions& options, Index k, double memory_limit,
                         const RunEvents& events, Seconds& seconds);

// The second half of it for items in memory, which are prepared: their neighbour graph.
template <class T>
Graph<T> graph_of_items(const Dataset<T>& items, const GraphInputOptions& options);

// Sentences on components and loose nodes.
template <class T>
std::vector<std::string> notes_on(const Graph<T>& graph);

}  // namespace copse
