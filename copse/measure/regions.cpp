#include "copse/measure/regions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "copse/base/error.h"

namespace copse {
namespace {

struct Overlaps {
  std::map<Index, double> found, truth;
  std::map<std::pair<Index, Index>, double> both;  // (truth, found)
  double n = 0;
};

Overlaps overlaps(std::span<const Index> found, std::span<const Index> truth) {
  if (found.size() != truth.size() || found.empty())
    throw InvalidArgument(
        "two segmentations are compared pixel by pixel: they must be of the same size, and not empty");
  Overlaps counts;
  counts.n = static_cast<double>(found.size());
  // Neighbours mostly have the same labels: whole runs are counted at once.
  for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
    while (end < found.size() && found[end] == found[begin] && truth[end] == truth[begin]) ++end;
    const auto run = static_cast<double>(end - begin);
    counts.found[found[begin]] += run;
    counts.truth[truth[begin]] += run;
    counts.both[{truth[begin], found[begin]}] += run;
  }
  return counts;
}

}  // namespace

double region_covering(std::span<const Index> found, std::span<const Index> truth) {
  const Overlaps counts = overlaps(found, truth);
  std::map<Index, double> best;
  for (const auto& [pair, both] : counts.both) {
    const double either = counts.truth.at(pair.first) + counts.found.at(pair.second) - both;
    best[pair.first] = std::max(best[pair.first], both / either);
  }
  double sum = 0;
  for (const auto& [region, size] : counts.truth) sum += size * best[region];
  return sum / counts.n;
}

double variation_of_information(std::span<const Index> found, std::span<const Index> truth) {
  const Overlaps counts = overlaps(found, truth);
  // H(F) + H(T) - 2 I = sum p_tf (log p_t / p_tf + log p_f / p_tf).
  double sum = 0;
  for (const auto& [pair, both] : counts.both)
    sum += both * (std::log2(counts.truth.at(pair.first) / both) + std::log2(counts.found.at(pair.second) / both));
  return std::max(0.0, sum / counts.n);
}

}  // namespace copse
