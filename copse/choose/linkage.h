// Average linkage: clusters merge, the two closest first, and the distance of two clusters is the mean over their
// pairs.
#pragma once

#include <span>
#include <vector>

#include "copse/base/index.h"

namespace copse {

// The distances of n items, each pair once: (0,1), (0,2), ... (1,2), ...
struct PairDistances {
  Index items = 0;
  std::vector<double> values;  // n (n - 1) / 2

  static std::size_t place(Index n, Index i, Index j) {  // i < j
    return static_cast<std::size_t>(i * n - i * (i + 1) / 2 + j - i - 1);
  }
  double& operator()(Index i, Index j) { return values[i < j ? place(items, i, j) : place(items, j, i)]; }
  double operator()(Index i, Index j) const { return values[i < j ? place(items, i, j) : place(items, j, i)]; }
};

struct Dendrogram {
  struct Merge {
    Index left = 0, right = 0;  // items 0 ... n - 1; n + i is what merge i made
    double height = 0;
    Index size = 0;
  };
  Index items = 0;
  std::vector<Merge> merges;  // n - 1, by height

  // The items from left to right: of two clusters that merge the one with the smaller first item stands first.
  std::vector<Index> order() const;
  // Labels 0 ... k - 1 of the k clusters that the last k - 1 merges join, numbered by their first item.
  std::vector<Index> cut(Index k) const;
  // The height at which two items come together.
  PairDistances cophenetic() const;
};

// Nearest-neighbour chains: n^2 steps, the distances are used up.
Dendrogram average_linkage(PairDistances distances);

// Pearson's correlation of two lists; 1 where one of them is constant and both are equal up to a factor, else 0.
double correlation(std::span<const double> a, std::span<const double> b);

}  // namespace copse
