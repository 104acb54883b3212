// HierNMF2 [Kuang 2014, algorithm 6] and DC-W [Du et al. 2017, 4.1]: a binary tree of clusters by repeated rank-2 NMF.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "copse/tree/node_data.h"
#include "copse/tree/rank2_nmf.h"
#include "copse/tree/ranked_terms.h"

namespace copse {

// The priority of a leaf A with topic w, whose split would give A1, A2 with w1, w2 [Du et al. 2017, table 2].
enum class Score {
  mndcg,       // agreement of the ranked words of w with those of w1 and w2 [Kuang 2014, eq. 63]
  error,       // min_h |A - w h'|^2 - sum_i min_hi |Ai - wi hi'|^2
  rank1_gain,  // the same with the best rank-1 approximations
  fit,         // min_h |A - w h'|^2; this and the next two need no trial split
  rank1,       // best rank-1 error of A
  rank2        // |A - W H|^2 of the rank-2 factors that made A
};

// Which leaf is split next.
enum class Pick { score, size };

struct TreeProgress {
  Index leaves = 0;
  Index wanted = 0;
};

struct TreeOptions {
  Index leaves = 0;  // required, at least 1: stop at this many
  Score score = Score::mndcg;
  Pick pick = Pick::score;
  double min_score = 0;      // sigma: split only leaves whose score exceeds it
  int outlier_trials = 3;    // T; 0: no outlier detection
  double imbalance = 9;      // beta: |N1| >= beta |N2| makes N2 a candidate for outliers
  double large_share = 0.1;  // a node with at least this share of all items is split even if its trials find nothing
                             // but outliers; infinity: the thesis's rule, such a node is closed for good
  Index smallest_split = 4;  // a node of fewer items gets the score -1; the root may have two
  Rank2Start start = Rank2Start::singular;
  double tolerance = 1e-4;  // of the rank-2 NMF
  int max_iterations = 1000;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds; the tree so far comes back
  std::uint64_t seed = 0;                                       // of random starts; same bits for any number of threads
  std::function<bool(const TreeProgress&)> progress = {};       // once per split; false asks to stop
  // Called before a leaf with these items is split, the root too; false: it stays a leaf. Empty: all are worth it.
  std::function<bool(std::span<const RowIndex>)> worth_splitting = {};
};

// Why a node stays a leaf.
enum class Leaf {
  open,           // it could be split further
  too_small,      // fewer than smallest_split items
  one_sided,      // its rank-2 NMF puts all items on one side, or its topic has a single term
  only_outliers,  // every trial set a few items aside
  not_worth_it    // TreeOptions::worth_splitting said no
};

// Its numbers have the precision of the data.
struct TreeNode {
  Index parent = -1;
  Index first = -1, second = -1;   // the children; the first is the larger; -1 for a leaf
  std::vector<RowIndex> items;     // ascending; outliers included
  Numbers weights;                 // of each item: its coefficient of `topic` in the run that made the node
  Numbers shares;                  // the same divided by the sum of both coefficients
  std::vector<RowIndex> outliers;  // ascending: set aside when the node was split, in neither child
  RankedTerms topic;               // empty for the root
  double score =
      std::numeric_limits<double>::quiet_NaN();  // infinity for the root, -1 for a permanent leaf, NaN: never needed
  double squared_norm = 0;                       // |A|^2
  double explained = 0;  // sum_j (w'x_j)^2, so that min_h |A - w h'|^2 = squared_norm - explained
  Leaf leaf = Leaf::open;
  int split = 0;         // 1, 2, ... in the order of splitting; 0 for a leaf
  std::string name;      // given by a person, or empty
  bool dropped = false;  // by a person: its items count as outliers
  Index joined = -1;     // a dropped leaf: the node that a person gave its items to; the node's other figures stay
};

struct TreeCost {
  Index factorizations = 0;
  Index iterations = 0;     // reads of node data, summed over the factorizations
  double entries_read = 0;  // entries of the data, summed over these reads
};

struct Tree {
  Precision precision = Precision::single;
  Index rows = 0, cols = 0;
  std::vector<TreeNode> nodes;  // nodes[0] is the root; children follow in the order of splitting
  Index leaves = 0;
  StopReason stop_reason = StopReason::converged;
  TreeCost cost;

  // "1.2.1": the way from the root, 1 for the first child and 2 for the second; "" for the root.
  std::string id(Index node) const;
  // The node of that id, also a short one (ids.h). Throws InvalidArgument if there is none.
  Index find(const std::string& id) const;
  std::vector<Index> leaf_nodes() const;  // in the order of their ids; dropped ones are not among them
  // The leaf of every item in the tree after `splits` splits; -1 for an outlier.
  std::vector<Index> partition(int splits) const;
  int splits() const { return static_cast<int>(nodes.size() / 2); }
  // The tree as it was when it had so many leaves, if it has more. Its cost is that of the whole tree. For a tree that
  // no person has edited.
  Tree beginning(Index leaves) const;
};

// Remembers finished factorizations, so that a run that was killed does not repeat them. Called from several threads.
template <class T>
class SplitMemory {
 public:
  virtual ~SplitMemory() = default;
  virtual bool recall(std::uint64_t key, Rank2Result<T>& result) = 0;
  virtual void record(std::uint64_t key, const Rank2Result<T>& result) = 0;
};

// Throws InvalidArgument for a bad option or an empty matrix, and Cancelled if stopped from outside before the first
// split; after that the tree so far comes back with StopReason::interrupted. A time limit gives the tree so far, which
// may have one leaf, with StopReason::time_limit.
template <class T>
Tree build_tree(const TreeData<T>& x, const TreeOptions& options, SplitMemory<T>* memory = nullptr);

// Splits the leaf `node` further, into options.leaves leaves at most; the rest of the tree stays as it is. The options
// should be those that built the tree. Stopped after its first split, it keeps what it has; where it throws, the tree
// is as it was.
template <class T>
void grow(Tree& tree, Index node, const TreeData<T>& x, const TreeOptions& options);

}  // namespace copse
