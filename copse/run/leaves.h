// The flat model of a tree: its leaves' topics, and all items fitted to them.
#pragma once

#include "copse/describe/result.h"
#include "copse/graph/graph.h"
#include "copse/matrix/data.h"

namespace copse {

// Fits all items to the leaves' topics; the relative error is that of this flat model. With a graph of the items it has
// its say as in factorize_joint(), with `weight`; the topics stay those of the leaves.
template <class T>
void fit_flat(const Data<T>& x, TreeResult& result, const Graph<T>* graph = nullptr, double weight = 0);

// Takes the leaves as the model's topics, where no data is at hand to fit the items to them. The relative error is what
// the leaves leave of the data, outliers left whole.
void take_leaves(TreeResult& result);

}  // namespace copse
