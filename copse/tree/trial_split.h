// One rank-2 NMF of the items of a node, and the two children that it would give.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "copse/tree/support.h"
#include "copse/tree/tree.h"

namespace copse {

// Items of a node that is cut out already.
template <class T>
struct PartOfNode {
  std::unique_ptr<NodeData<T>> node;  // or none
  std::vector<char> kept;             // which of its items
};

// A child that a trial split offers, with what its scores need.
template <class T>
struct Side {
  std::vector<RowIndex> items;
  std::vector<T> weights;
  std::vector<T> shares;
  RankedTerms topic;
  double squared_norm = 0;
  double explained = 0;    // sum_j (w'x_j)^2
  double rank2_error = 0;  // sum_j |x_j - W h_j|^2
  double leading = 0;      // the largest squared singular value; only for the rank-1 scores
  PartOfNode<T> data;      // where the node that was split can be used again
};

template <class T>
struct TrialSplit {
  std::array<Side<T>, 2> sides;                            // the larger first; equal sizes: the one with the first item
  double gain = std::numeric_limits<double>::quiet_NaN();  // NodeData::gain_of_split()
  bool two_sided() const { return !sides[1].items.empty(); }
};

struct TrialOptions {
  Rank2Options rank2;
  bool leading = false;
};

// Items go to the side with the larger coefficient. Items with equal coefficients, and those that W h explains to less
// than a thousandth of their norm (most have none of the node's words, and both coefficients are zero), go to the
// larger side; of two equal sides that is the one with the first of the other items. `data` has the items if they
// are cut out already.
template <class T>
TrialSplit<T> try_split(const TreeData<T>& x, std::span<const RowIndex> items, PartOfNode<T> data, std::uint64_t key,
                        const TrialOptions& options, SplitMemory<T>* memory, TreeCost& cost);

}  // namespace copse
