// Graphs: a symmetric sparse matrix of weights in compressed columns, without a diagonal, and the names of its nodes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "copse/matrix/sparse.h"

namespace copse {

template <class T>
struct Graph {
  SparseMatrix<T> weights = {};         // n x n, equal to its transpose bit for bit, no diagonal, every entry > 0
  std::vector<std::string> names = {};  // one per node, or empty

  Index nodes() const { return weights.cols; }
  Index edges() const { return weights.nonzeros() / 2; }
};

struct Edge {
  RowIndex from = 0;
  RowIndex to = 0;
  double weight = 1;
};

// What did not become an edge of its own.
struct EdgeCounts {
  Index self_loops = 0;    // dropped
  Index repeated = 0;      // added to an edge between the same two nodes, listed in either direction
  Index zero_weights = 0;  // dropped
};

// The weight between i and j is the sum of all that is listed between them, in both directions: i -> j, j -> i and
// repetitions. Throws InvalidArgument for a node outside of 0 ... nodes - 1 or a weight that is negative, infinite or
// not a number, also as a sum.
template <class T>
Graph<T> graph_from_edges(Index nodes, std::span<const Edge> edges, EdgeCounts* counts = nullptr);

struct MatrixCounts {
  Index self_loops = 0;  // entries on the diagonal, dropped
  Index unequal = 0;     // pairs whose two entries differed
};

// The weight between i and j is the mean of the two entries, (a_ij + a_ji) / 2: a symmetric matrix stays what it is.
// Throws InvalidArgument for a matrix that is not square, or for an entry that no weight can be.
template <class T>
Graph<T> graph_from_matrix(SparseView<T> a, MatrixCounts* counts = nullptr);

// d_i, the sum of the weights of node i. Works on any symmetric matrix.
template <class T>
std::vector<double> degrees(SparseView<T> a);

struct Components {
  std::vector<Index> labels;  // per node: 0, 1, ... in the order of the lowest node of each
  std::vector<Index> sizes;   // per component
  Index isolated = 0;         // components of one node

  Index count() const { return static_cast<Index>(sizes.size()); }
};

template <class T>
Components connected_components(SparseView<T> a);

// The graph of some nodes, ascending, and of the edges among them.
template <class T>
SparseMatrix<T> induced(SparseView<T> weights, std::span<const Index> nodes);
template <class T>
Graph<T> induced(const Graph<T>& graph, std::span<const Index> nodes);

}  // namespace copse
