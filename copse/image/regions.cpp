#include "copse/image/regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index regions_rows_per_block = 16;

// Pieces of a picture and what lies between them. Of two neighbouring pixels in different pieces the stronger counts.
class Borders {
 public:
  Borders(std::span<const Index> piece_of, PixelShape shape, const Plane& strength) {
    const Index count = piece_of.empty() ? 0 : *std::max_element(piece_of.begin(), piece_of.end()) + 1;
    sizes_.assign(static_cast<std::size_t>(count), 0);
    neighbours_.resize(static_cast<std::size_t>(count));
    into_.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < into_.size(); ++i) into_[i] = static_cast<Index>(i);
    const auto touch = [&](Index p, Index q) {
      if (piece_of[p] != piece_of[q]) add(piece_of[p], piece_of[q], {std::max(strength[p], strength[q]), 1});
    };
    interiors_ = sizes_;
    for (Index p = 0; p < shape.pixels(); ++p) {
      ++sizes_[piece_of[p]];
      interiors_[piece_of[p]] += is_interior(piece_of, shape, p);
      if (p % shape.width + 1 < shape.width) touch(p, p + 1);
      if (p / shape.width + 1 < shape.height) touch(p, p + shape.width);
    }
  }

  Index count() const { return static_cast<Index>(sizes_.size()); }
  Index size(Index piece) const { return sizes_[piece]; }
  // Of too few pixels, or a strip: hardly any of them has neighbours of its own on all sides.
  bool small(Index piece, Index least) const { return sizes_[piece] < least || interiors_[piece] < least / 2; }
  // What a piece has become part of.
  Index now(Index piece) const {
    while (into_[piece] != piece) piece = into_[piece];
    return piece;
  }

  struct Neighbour {
    Index piece = -1;  // -1: there is none
    double strength = std::numeric_limits<double>::infinity();
  };
  // The one behind the weakest boundary; of equal ones the first.
  Neighbour nearest(Index piece) const {
    return nearest(piece, [](Index, Index, double mean) { return mean; });
  }
  // The one with the lowest cost(piece, other, mean strength of the boundary).
  Neighbour nearest(Index piece, const auto& cost) const {
    Neighbour nearest;
    for (const auto& [other, border] : neighbours_[piece]) {
      const double value = cost(piece, other, border.strength / border.pixels);
      if (value < nearest.strength) nearest = {other, value};
    }
    return nearest;
  }

  void join(Index piece, Index other) {
    sizes_[other] += sizes_[piece];
    interiors_[other] += interiors_[piece];
    into_[piece] = other;
    neighbours_[other].erase(piece);
    for (const auto& [third, border] : neighbours_[piece]) {
      if (third == other) continue;
      neighbours_[third].erase(piece);
      add(other, third, border);
    }
    neighbours_[piece].clear();
  }

 private:
  struct Border {
    double strength = 0;
    double pixels = 0;
  };

  void add(Index a, Index b, const Border& border) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      neighbours_[from][to].strength += border.strength;
      neighbours_[from][to].pixels += border.pixels;
    }
  }

  static bool is_interior(std::span<const Index> piece_of, PixelShape shape, Index p) {
    for (Index v = std::max<Index>(0, p / shape.width - 1); v <= std::min(shape.height - 1, p / shape.width + 1); ++v) {
      for (Index u = std::max<Index>(0, p % shape.width - 1); u <= std::min(shape.width - 1, p % shape.width + 1);
           ++u) {
        if (piece_of[v * shape.width + u] != piece_of[p]) return false;
      }
    }
    return true;
  }

  std::vector<Index> sizes_, interiors_, into_;
  std::vector<std::map<Index, Border>> neighbours_;
};

// Weights of the three pixels around a place, which lies `offset` (-1/2 to 1/2) from the centre of the middle one.
std::array<double, 3> spline(double offset) {
  const double low = 0.5 - offset, high = 0.5 + offset;
  return {low * low / 2, 0.75 - offset * offset, high * high / 2};
}

}  // namespace

Index number_by_first_pixel(std::vector<Index>& labels) {
  std::unordered_map<Index, Index> number;
  for (Index& label : labels) label = number.try_emplace(label, static_cast<Index>(number.size())).first->second;
  return static_cast<Index>(number.size());
}

std::vector<Index> connected_pieces(std::span<const Index> labels, PixelShape shape) {
  std::vector<Index> piece(labels.size(), -1), queue;
  Index next = 0;
  for (Index first = 0; first < shape.pixels(); ++first) {
    if (piece[first] >= 0) continue;
    piece[first] = next;
    queue.assign(1, first);
    while (!queue.empty()) {
      const Index p = queue.back(), x = p % shape.width, y = p / shape.width;
      queue.pop_back();
      const auto visit = [&](bool inside, Index q) {
        if (!inside || piece[q] >= 0 || labels[q] != labels[p]) return;
        piece[q] = next;
        queue.push_back(q);
      };
      visit(x > 0, p - 1);
      visit(x + 1 < shape.width, p + 1);
      visit(y > 0, p - shape.width);
      visit(y + 1 < shape.height, p + shape.width);
    }
    ++next;
  }
  return piece;
}

std::vector<Index> absorb_small(std::span<const Index> labels, PixelShape shape, const Plane& strength, Index least) {
  const std::vector<Index> piece_of = connected_pieces(labels, shape);
  Borders borders(piece_of, shape, strength);
  std::vector<Index> label(static_cast<std::size_t>(borders.count()));
  for (std::size_t p = 0; p < labels.size(); ++p) label[piece_of[p]] = labels[p];
  std::set<std::pair<Index, Index>> small;  // size, piece
  for (Index i = 0; i < borders.count(); ++i) {
    if (borders.small(i, least)) small.insert({borders.size(i), i});
  }
  while (!small.empty()) {
    const Index piece = small.begin()->second, other = borders.nearest(piece).piece;
    small.erase(small.begin());
    if (other < 0) continue;  // the only piece
    small.erase({borders.size(other), other});
    borders.join(piece, other);
    if (borders.small(other, least)) small.insert({borders.size(other), other});
  }
  std::vector<Index> out(labels.size());
  for (std::size_t p = 0; p < out.size(); ++p) out[p] = label[borders.now(piece_of[p])];
  number_by_first_pixel(out);
  return out;
}

std::vector<std::vector<Index>> nested_merges(std::span<const Index> labels, PixelShape shape, const Plane& strength,
                                              const LabPlanes* colours, const MergeOptions& options) {
  Borders borders(labels, shape, strength);
  const Index n = borders.count();
  std::vector<std::array<double, 3>> colour(static_cast<std::size_t>(n), {0, 0, 0});  // sums over the pixels
  for (Index p = 0; colours != nullptr && p < shape.pixels(); ++p) {
    std::array<double, 3>& sum = colour[labels[p]];
    sum[0] += static_cast<double>(colours->l[p]);
    sum[1] += static_cast<double>(colours->a[p]);
    sum[2] += static_cast<double>(colours->b[p]);
  }
  const auto cost = [&](Index a, Index b, double mean) {
    const auto one = static_cast<double>(borders.size(a)), other = static_cast<double>(borders.size(b));
    double squared = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double difference = colour[a][c] / one - colour[b][c] / other;
      squared += difference * difference;
    }
    const double share = std::min(one, other) / static_cast<double>(shape.pixels());
    return (mean + options.colour_weight * std::sqrt(squared)) * std::pow(share, options.size_power);
  };
  std::vector<std::vector<Index>> partitions;
  for (Index parts = n; parts >= 2; --parts) {
    std::vector<Index>& partition = partitions.emplace_back();
    for (Index s = 0; s < n; ++s) partition.push_back(borders.now(s));
    Index piece = -1;
    Borders::Neighbour weakest;
    for (Index s = 0; s < n; ++s) {
      if (borders.now(s) != s) continue;
      const Borders::Neighbour nearest = borders.nearest(s, cost);
      if (nearest.piece < 0 || !(nearest.strength < weakest.strength)) continue;
      piece = s;
      weakest = nearest;
    }
    if (piece < 0) continue;
    const Index gone = std::max(piece, weakest.piece), kept = std::min(piece, weakest.piece);
    borders.join(gone, kept);
    for (std::size_t c = 0; c < 3; ++c) colour[kept][c] += colour[gone][c];
  }
  std::reverse(partitions.begin(), partitions.end());
  return partitions;
}

std::vector<Index> scaled_up(const std::vector<Index>& labels, PixelShape from, PixelShape to) {
  if (from == to) return labels;
  std::vector<Index> large(static_cast<std::size_t>(to.pixels()));
  const double step_x = static_cast<double>(from.width) / static_cast<double>(to.width);
  const double step_y = static_cast<double>(from.height) / static_cast<double>(to.height);
  parallel_blocks(to.height, regions_rows_per_block, [&](Index begin, Index end) {
    for (Index y = begin; y < end; ++y) {
      const double v = (static_cast<double>(y) + 0.5) * step_y;
      const Index cy = std::min(static_cast<Index>(v), from.height - 1);
      const auto wy = spline(v - static_cast<double>(cy) - 0.5);
      for (Index x = 0; x < to.width; ++x) {
        const double u = (static_cast<double>(x) + 0.5) * step_x;
        const Index cx = std::min(static_cast<Index>(u), from.width - 1);
        std::array<Index, 9> around;
        bool alike = true;
        for (Index j = 0; j < 3; ++j) {
          for (Index i = 0; i < 3; ++i) {
            const Index q = std::clamp<Index>(cy + j - 1, 0, from.height - 1) * from.width +
                            std::clamp<Index>(cx + i - 1, 0, from.width - 1);
            around[3 * j + i] = labels[q];
            alike &= around[3 * j + i] == around[0];
          }
        }
        Index& out = large[y * to.width + x];
        out = around[4];
        if (alike) continue;
        const auto wx = spline(u - static_cast<double>(cx) - 0.5);
        double most = 0;
        for (std::size_t candidate = 0; candidate < 9; ++candidate) {
          double weight = 0;
          for (std::size_t other = 0; other < 9; ++other) {
            if (around[other] == around[candidate]) weight += wy[other / 3] * wx[other % 3];
          }
          // Of equal weights the lower label: the order in which pixels are visited does not matter.
          if (weight > most + 1e-12 || (weight > most - 1e-12 && around[candidate] < out)) {
            most = std::max(most, weight);
            out = around[candidate];
          }
        }
      }
    }
  });
  return large;
}

}  // namespace copse
