// The scores of would-be nodes. A caller need not know whether one was computed ahead.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "copse/tree/mndcg.h"
#include "copse/tree/tree.h"
#include "copse/tree/trial_split.h"

namespace copse {

// The score of a node that can't be split.
inline constexpr double permanent = -1;

template <class T>
struct Trial;

template <class T>
struct Scored {
  double score = permanent;
  Leaf leaf = Leaf::open;
  std::unique_ptr<Trial<T>> trial = {};  // the node's own split, where the score needs it
};

// A split of a node that may be made, and what is known of the scores of its sides.
template <class T>
struct Trial {
  std::uint64_t key = 0;  // of the node; it depends on the way from the root only
  TrialSplit<T> split;
  std::array<std::optional<Scored<T>>, 2> scores = {};
};

template <class T>
class Scorer {
 public:
  // x and options must outlive it. `sure_size`: a node with so many items will be split for certain, or nearly so.
  Scorer(const TreeData<T>& x, const TreeOptions& options, SplitMemory<T>* memory, Index sure_size,
         std::chrono::steady_clock::time_point deadline);

  static std::uint64_t root_key();
  static std::uint64_t child_key(std::uint64_t key, int side);

  // The trial split of these items of the node `key`; `attempt` counts the trials of one node.
  std::unique_ptr<Trial<T>> split(std::span<const RowIndex> items, std::uint64_t key, int attempt) const;

  // The score of a side: computed now, unless it is known.
  const Scored<T>& score(Trial<T>& trial, int side) const;
  // The same for both sides at once.
  void score_both(Trial<T>& trial) const;

  // `next` are the splits of the leaves, the one that is made next first; null where none is known. Scores the sides of
  // the first, unless that is done, and with them those of a few that follow and will most likely be made too: `left`
  // is how many splits are made still.
  void work_ahead(std::span<Trial<T>* const> next, Index left) const;

  // Of all that was computed so far.
  TreeCost cost() const;

  // |N1| >= beta |N2|.
  bool is_unbalanced(const TrialSplit<T>& split) const;

 private:
  // Side by side, where that is possible.
  void for_each(Index count, const std::function<void(Index)>& body) const;
  Scored<T> compute(Side<T>& side, std::uint64_t key) const;
  std::unique_ptr<Trial<T>> try_items(std::span<const RowIndex> items, PartOfNode<T> data, std::uint64_t key,
                                      int attempt) const;

  const TreeData<T>& x_;
  const TreeOptions& options_;
  SplitMemory<T>* memory_;
  Index sure_size_;
  TrialOptions trial_;
  std::optional<Mndcg> mndcg_;
  mutable std::mutex mutex_;
  mutable TreeCost cost_;
};

}  // namespace copse
