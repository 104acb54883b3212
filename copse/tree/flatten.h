// From a tree to a flat model: HierNMF2-flat [Kuang 2014, 6.7] and DC-NMF [Du et al. 2017, 4.1].
#pragma once

#include <functional>

#include "copse/nmf/nmf.h"
#include "copse/tree/tree.h"

namespace copse {

// The topics of the leaves as columns of W, in the order of tree.leaf_nodes(). The root has none: zeros.
template <class T>
Matrix<T> leaf_topics(const Tree& tree);

// The same, where a tree of one leaf has the direction of the mean item.
template <class T>
Matrix<T> leaf_topics(const Data<T>& x, const Tree& tree);

// H' (cols x leaves) of min |W H - X|, H >= 0 [Kuang 2014, eq. 95]: soft assignments of every item, outliers included.
template <class T>
Matrix<T> flatten(const Data<T>& x, const Matrix<T>& topics);

// The same in blocks of neighbouring items, so that no whole H is in memory: visit(first, h) gets the rows of H' from
// item `first` on, in order. Returns |X - W H| / |X|. Data that can't give a copy of some items makes one block.
template <class T>
double flatten(const Data<T>& x, const Matrix<T>& topics,
               const std::function<void(Index first, const Matrix<T>& h)>& visit);

// How many items it takes at a time; entries that must be fetched count, too.
Index items_to_fit_at_once(Index items, Index entries, Index topics, bool fetched);

// DC-NMF: W from a tree by score `error` without outliers, then options.max_iterations alternations; the seed's choice
// is one. Where the data has no tree of so many leaves, or the time limit cuts it short, items drawn at random take the
// places of the missing topics. `items` is the same data as `x`. options.start and options.runs must be left alone.
template <class T>
NmfResult<T> factorize_dc(const Data<T>& x, const TreeData<T>& items, const NmfOptions& options);

}  // namespace copse
