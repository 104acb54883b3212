#include "copse/measure/boundaries.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {
namespace {

// Partners of a bipartite graph by augmenting paths, all shortest ones in a round.
class HopcroftKarp {
 public:
  HopcroftKarp(const std::vector<std::vector<Index>>& near, Index right)
      : near_(near), left_(near.size(), -1), right_(static_cast<std::size_t>(right), -1) {}

  Index solve() {
    Index pairs = 0;
    // The nearest first: most pixels find their partner here.
    for (std::size_t u = 0; u < near_.size(); ++u) {
      for (const Index v : near_[u]) {
        if (right_[v] >= 0) continue;
        left_[u] = v;
        right_[v] = static_cast<Index>(u);
        ++pairs;
        break;
      }
    }
    while (layer()) {
      next_.assign(near_.size(), 0);
      for (std::size_t u = 0; u < near_.size(); ++u) {
        if (left_[u] < 0 && augment(static_cast<Index>(u))) ++pairs;
      }
    }
    return pairs;
  }

  const std::vector<Index>& left() const { return left_; }
  const std::vector<Index>& right() const { return right_; }

 private:
  // Distances of the left side from its free nodes; false where no free node of the right side can be reached.
  bool layer() {
    depth_.assign(near_.size(), -1);
    std::vector<Index> queue;
    for (std::size_t u = 0; u < near_.size(); ++u) {
      if (left_[u] >= 0) continue;
      depth_[u] = 0;
      queue.push_back(static_cast<Index>(u));
    }
    bool reached = false;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (const Index v : near_[queue[at]]) {
        const Index u = right_[v];
        if (u < 0) {
          reached = true;
        } else if (depth_[u] < 0) {
          depth_[u] = depth_[queue[at]] + 1;
          queue.push_back(u);
        }
      }
    }
    return reached;
  }

  // Along the layers, without recursion: paths may be as long as the boundary.
  bool augment(Index root) {
    std::vector<Index> path = {root};
    while (!path.empty()) {
      const Index u = path.back();
      if (next_[u] >= near_[u].size()) {
        path.pop_back();
        if (!path.empty()) ++next_[path.back()];
        continue;
      }
      const Index v = near_[u][next_[u]], other = right_[v];
      if (other < 0) {
        for (const Index w : path) {
          const Index taken = near_[w][next_[w]];
          left_[w] = taken;
          right_[taken] = w;
          next_[w] = near_[w].size();  // a node is on one path of a round only
        }
        return true;
      }
      if (depth_[other] == depth_[u] + 1 && next_[other] < near_[other].size()) {
        path.push_back(other);
      } else {
        ++next_[u];
      }
    }
    return false;
  }

  const std::vector<std::vector<Index>>& near_;
  std::vector<Index> left_, right_, depth_;
  std::vector<std::size_t> next_;
};

void check_shape(std::size_t size, PixelShape shape, const char* what) {
  if (shape.width < 1 || shape.height < 1 || static_cast<Index>(size) != shape.pixels())
    throw InvalidArgument(std::string(what) + " has " + std::to_string(size) + " pixels, and the picture is " +
                          std::to_string(shape.width) + " x " + std::to_string(shape.height));
}

}  // namespace

Mask boundaries_between(std::span<const Index> labels, PixelShape shape) {
  check_shape(labels.size(), shape, "the segmentation");
  Mask mask(labels.size(), 0);
  for (Index y = 0; y < shape.height; ++y) {
    for (Index x = 0; x < shape.width; ++x) {
      const Index p = y * shape.width + x;
      const bool right = x + 1 < shape.width, below = y + 1 < shape.height;
      mask[p] = (right && labels[p + 1] != labels[p]) || (below && labels[p + shape.width] != labels[p]) ||
                (right && below && labels[p + shape.width + 1] != labels[p]);
    }
  }
  return mask;
}

Mask thinned(Mask mask, PixelShape shape) {
  check_shape(mask.size(), shape, "the boundary");
  const Index w = shape.width, h = shape.height;
  const auto at = [&](Index x, Index y) -> int { return x >= 0 && y >= 0 && x < w && y < h && mask[y * w + x] != 0; };
  std::vector<Index> candidates;
  for (Index p = 0; p < shape.pixels(); ++p) {
    if (mask[p] != 0) candidates.push_back(p);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (int pass = 0; pass < 2; ++pass) {
      std::vector<Index> gone;
      for (const Index p : candidates) {
        const Index x = p % w, y = p / w;
        // The neighbours from north, clockwise: p2 ... p9 of the paper.
        const int n = at(x, y - 1), ne = at(x + 1, y - 1), e = at(x + 1, y), se = at(x + 1, y + 1), s = at(x, y + 1),
                  sw = at(x - 1, y + 1), west = at(x - 1, y), nw = at(x - 1, y - 1);
        const int groups =
            ((1 - n) & (ne | e)) + ((1 - e) & (se | s)) + ((1 - s) & (sw | west)) + ((1 - west) & (nw | n));
        if (groups != 1) continue;
        const int one = (nw | n) + (ne | e) + (se | s) + (sw | west),
                  two = (n | ne) + (e | se) + (s | sw) + (west | nw);
        const int neighbours = std::min(one, two);
        if (neighbours < 2 || neighbours > 3) continue;
        const int kept = pass == 0 ? ((n | ne | (1 - se)) & e) : ((s | sw | (1 - nw)) & west);
        if (kept == 0) gone.push_back(p);
      }
      for (const Index p : gone) mask[p] = 0;
      if (gone.empty()) continue;
      changed = true;
      std::erase_if(candidates, [&](Index p) { return mask[p] == 0; });
    }
  }
  return mask;
}

BoundaryMatch match_boundaries(const Mask& found, const Mask& truth, PixelShape shape, double tolerance) {
  check_shape(found.size(), shape, "the boundary");
  check_shape(truth.size(), shape, "the true boundary");
  struct Offset {
    Index dx, dy;
    Index square;
  };
  std::vector<Offset> offsets;
  const auto reach = static_cast<Index>(std::floor(tolerance));
  for (Index dy = -reach; dy <= reach; ++dy) {
    for (Index dx = -reach; dx <= reach; ++dx) {
      const Index square = dx * dx + dy * dy;
      if (static_cast<double>(square) <= tolerance * tolerance) offsets.push_back({dx, dy, square});
    }
  }
  std::stable_sort(offsets.begin(), offsets.end(),
                   [](const Offset& a, const Offset& b) { return a.square < b.square; });
  std::vector<Index> found_pixels, truth_pixels, place(truth.size(), -1);
  for (Index p = 0; p < shape.pixels(); ++p) {
    if (found[p] != 0) found_pixels.push_back(p);
    if (truth[p] == 0) continue;
    place[p] = static_cast<Index>(truth_pixels.size());
    truth_pixels.push_back(p);
  }
  std::vector<std::vector<Index>> near(found_pixels.size());
  for (std::size_t u = 0; u < found_pixels.size(); ++u) {
    const Index x = found_pixels[u] % shape.width, y = found_pixels[u] / shape.width;
    for (const Offset& o : offsets) {
      const Index tx = x + o.dx, ty = y + o.dy;
      if (tx < 0 || ty < 0 || tx >= shape.width || ty >= shape.height) continue;
      if (const Index v = place[ty * shape.width + tx]; v >= 0) near[u].push_back(v);
    }
  }
  HopcroftKarp matching(near, static_cast<Index>(truth_pixels.size()));
  BoundaryMatch match{.found = Mask(found.size(), 0), .truth = Mask(truth.size(), 0), .pairs = matching.solve()};
  for (std::size_t u = 0; u < found_pixels.size(); ++u) match.found[found_pixels[u]] = matching.left()[u] >= 0;
  for (std::size_t v = 0; v < truth_pixels.size(); ++v) match.truth[truth_pixels[v]] = matching.right()[v] >= 0;
  return match;
}

double BoundaryCounts::f() const {
  const double p = precision(), r = recall();
  return p + r > 0 ? 2 * p * r / (p + r) : 0;
}

BoundaryCounts operator+(const BoundaryCounts& a, const BoundaryCounts& b) {
  return {a.found + b.found, a.found_matched + b.found_matched, a.truth + b.truth, a.truth_matched + b.truth_matched};
}

BoundaryCounts compare_boundaries(const Mask& found, std::span<const Mask> truths, PixelShape shape, double tolerance) {
  if (truths.empty()) throw InvalidArgument("boundaries are compared with at least one person's");
  if (!(tolerance >= 0) || tolerance > 1)
    throw InvalidArgument("the tolerance is a share of the diagonal, between 0 and 1");
  const double distance = tolerance * std::hypot(static_cast<double>(shape.width), static_cast<double>(shape.height));
  Mask matched(found.size(), 0);
  BoundaryCounts counts;
  for (const Mask& truth : truths) {
    const BoundaryMatch match = match_boundaries(found, truth, shape, distance);
    for (std::size_t p = 0; p < matched.size(); ++p) matched[p] |= match.found[p];
    counts.truth += std::count(truth.begin(), truth.end(), 1);
    counts.truth_matched += match.pairs;
  }
  counts.found = std::count(found.begin(), found.end(), 1);
  counts.found_matched = std::count(matched.begin(), matched.end(), 1);
  return counts;
}

std::vector<BoundaryPoint> boundary_curve(std::span<const double> strength, std::span<const Mask> truths,
                                          PixelShape shape, std::span<const double> thresholds, double tolerance) {
  check_shape(strength.size(), shape, "the boundary map");
  if (truths.empty()) throw InvalidArgument("boundaries are compared with at least one person's");
  std::vector<double> ascending(thresholds.begin(), thresholds.end());
  std::sort(ascending.begin(), ascending.end());
  std::vector<BoundaryPoint> curve(ascending.size());
  // How many pixels reach each threshold: equal numbers are equal pixels.
  std::vector<double> sorted(strength.begin(), strength.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> reached, first;
  for (std::size_t t = 0; t < ascending.size(); ++t) {
    const auto count =
        static_cast<std::size_t>(sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), ascending[t]));
    if (reached.empty() || reached.back() != count) first.push_back(t);
    reached.push_back(count);
  }
  parallel_for(static_cast<Index>(first.size()), [&](Index i) {
    const std::size_t t = first[i];
    Mask mask(strength.size());
    for (std::size_t p = 0; p < strength.size(); ++p) mask[p] = strength[p] >= ascending[t];
    curve[t].counts = compare_boundaries(thinned(std::move(mask), shape), truths, shape, tolerance);
  });
  for (std::size_t t = 0; t < curve.size(); ++t) {
    curve[t].threshold = ascending[t];
    if (t > 0 && reached[t] == reached[t - 1]) curve[t].counts = curve[t - 1].counts;
  }
  return curve;
}

const BoundaryPoint& best_point(std::span<const BoundaryPoint> curve) {
  return *std::max_element(curve.begin(), curve.end(),
                           [](const BoundaryPoint& a, const BoundaryPoint& b) { return a.counts.f() < b.counts.f(); });
}

}  // namespace copse
