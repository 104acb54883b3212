// The score of a split by its words: modified NDCG of the two children's rankings [Kuang 2014, eq. 58-63].
#pragma once

#include <span>
#include <vector>

#include "copse/base/index.h"

namespace copse {

// For topics in which every term has a positive weight this is eq. 58-63 as printed. Where the thesis leaves
// something open, this does what the authors' program does, if that says:
// - Terms of equal weight, and so all terms of weight zero, are ranked by their numbers.
// - The parent ranks r of m terms; the others have weight zero in its topic. Their gain is 0 in (60) and 1 / p in (61),
//   and the gain of the term ranked i is log(r - i + 1) / p in (60) and log(m - i + 1) / p in (61). So a topic of few
//   words scores low; with log(m - i + 1) and all m terms in (60) the tail of zeros would outweigh the words.
// - Where (58) is log 1 = 0, log 2 takes its place: the discount of the rank before.
// - A parent with fewer than two terms, or a child with none, gives the score -1.
class Mndcg {
 public:
  explicit Mndcg(Index vocabulary);

  // From the terms with positive weight of the node and of its two children, heaviest first. In [0, 1], or -1.
  double operator()(std::span<const RowIndex> parent, std::span<const RowIndex> first,
                    std::span<const RowIndex> second) const;

 private:
  Index vocabulary_;
  std::vector<double> logarithm_;  // log(i)
  std::vector<double> discount_;   // by position: 1, 1 / log2(2), 1 / log2(3), ...
};

}  // namespace copse
