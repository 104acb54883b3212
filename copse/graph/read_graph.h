// Graphs in files: edge lists, METIS, GraphML, and matrices of weights, each also compressed with gzip or zstd.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "copse/base/error.h"
#include "copse/graph/graph.h"

namespace copse {

enum class GraphFormat {
  automatic,  // by the content; METIS by the name, .metis or .graph
  edges,      // lines "node node [weight]", in tabs, commas, semicolons or blanks; # and % begin comments
  metis,      // a line per node: the numbers of its neighbours, counted from 1, perhaps with weights
  graphml,    // <node id>, <edge source target>, a weight in <data> whose key is named "weight"
  matrix      // MatrixMarket, .npy or .npz: weights between all pairs
};

struct ReadGraphOptions {
  GraphFormat format = GraphFormat::automatic;
  std::vector<std::string> nodes = {};  // edge lists: all nodes in the order wanted, those without edges among them
  std::size_t memory_limit = 0;         // bytes that the content may take; 0: the memory of the machine
};

template <class T>
struct ReadGraph {
  Graph<T> graph;
  std::vector<std::string> notes;  // sentences that the user should see, such as "3 loops were dropped."
};

// The matrix of a graph is not square: it may be one of items.
class NotSquare : public InputError {
 public:
  using InputError::InputError;
};

// Lists of edges: the weight between two nodes is the sum of all that is listed between them, in either direction
// (graph_from_edges). Matrices and METIS hold both directions of every edge: the mean is taken (graph_from_matrix).
// Without `nodes`, nodes stand in the order in which they first occur. Throws InputError with the file, the line, what
// was found and what was expected.
template <class T>
ReadGraph<T> read_graph(const std::filesystem::path& path, const ReadGraphOptions& options = {});

// The same for a file that is already in memory.
template <class T>
ReadGraph<T> read_graph(std::span<const char> bytes, const std::string& name, const ReadGraphOptions& options = {});

}  // namespace copse
