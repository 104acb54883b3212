// New nodes into the communities of a graph: by their edges, or as items by their nearest neighbours.
#pragma once

#include <string>
#include <vector>

#include "copse/input/graph_input.h"
#include "copse/model/graph_model.h"
#include "copse/run/assign.h"

namespace copse {

// New nodes as columns over the nodes of the graph: the weights of their edges.
template <class T>
struct NewNodes {
  SparseMatrix<T> weights;  // nodes of the graph x new nodes
  std::vector<std::string> names;
  std::vector<std::string> notes;
};

// Of a given graph: an edge list (or GraphML) whose new names are the new nodes and whose other names the graph has, or
// a matrix with a row or column per node of the graph. Of items: a matrix; the edges of each item are those to its
// nearest among the model's, as the graph was made. Throws InputError.
template <class T>
NewNodes<T> read_new_nodes(const NewItemsOptions& options, const Settings& settings, const CommunityModel& model,
                           const RunEvents& events = {});

// The edges of new items to their nearest among those of the model. A self-tuning similarity takes the new item's own
// scale only.
template <class T>
SparseMatrix<T> edges_of_items(const Dataset<T>& items, const Settings& settings, const CommunityModel& model);

// A node joins the community that holds most of the weight of its edges; the lower number of equal ones. Its weight is
// that share. A node without edges joins none (-1).
template <class T>
std::vector<PlacedItem> place(const CommunityModel& model, const SparseMatrix<T>& weights);

// Reads new nodes and places them.
PlacedItems place_new_items(const NewItemsOptions& options, const Settings& settings, const CommunityModel& model,
                            const RunEvents& events = {});

}  // namespace copse
