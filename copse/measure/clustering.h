// How well clusters agree with classes that are known. A cluster is what a method found, a class is the truth.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "copse/base/index.h"

namespace copse {

// n(i, j) is the number of items of class i in cluster j, c the number of classes. Every value is defined: with no
// items, or one cluster and one class, the agreement is perfect.
struct ClusteringMeasures {
  Index items = 0;
  Index clusters = 0;   // distinct labels found
  Index classes = 0;    // distinct labels of the truth
  double accuracy = 1;  // share of items in the class that their cluster is matched with; the best one-to-one matching
  double nmi = 1;       // I(clusters; classes) / ((H(clusters) + H(classes)) / 2) [Kuang 2014, eq. 8]
  double ari = 1;       // adjusted Rand index [Hubert & Arabie 1985]: pairs that agree, corrected for chance
  double purity = 1;    // 1/n sum_j max_i n(i, j) [Kim & Park 2008, eq. 15]
  // -1/(n log2 c) sum_j sum_i n(i, j) log2(n(i, j) / n(j)) [Kim & Park 2008, eq. 16, with its minus sign]; lower is
  // better
  double entropy = 0;
};

// Labels are any integers; only equality counts. Throws InvalidArgument when the lengths differ.
ClusteringMeasures compare_clusterings(std::span<const Index> clusters, std::span<const Index> classes);

// Numbers 0, 1, ... for the distinct labels, in order of first appearance.
std::vector<Index> label_numbers(std::span<const std::string> labels);

}  // namespace copse
