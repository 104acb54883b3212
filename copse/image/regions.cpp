#include "copse/image/regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 16;

// A piece and what lies between it and its neighbours.
struct Piece {
  Index size = 0;
  Index label = 0;
  struct Border {
    double strength = 0;
    double pixels = 0;
  };
  std::map<Index, Border> neighbours = {};
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
  std::vector<Index> piece_of = connected_pieces(labels, shape);
  const Index count = piece_of.empty() ? 0 : *std::max_element(piece_of.begin(), piece_of.end()) + 1;
  std::vector<Piece> pieces(static_cast<std::size_t>(count));
  const auto touch = [&](Index p, Index q) {
    const Index a = piece_of[p], b = piece_of[q];
    if (a == b) return;
    const double strongest = std::max(strength[p], strength[q]);
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      Piece::Border& border = pieces[from].neighbours[to];
      border.strength += strongest;
      border.pixels += 1;
    }
  };
  for (Index p = 0; p < shape.pixels(); ++p) {
    ++pieces[piece_of[p]].size;
    pieces[piece_of[p]].label = labels[p];
    if (p % shape.width + 1 < shape.width) touch(p, p + 1);
    if (p / shape.width + 1 < shape.height) touch(p, p + shape.width);
  }
  std::vector<Index> into(pieces.size());
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<Index>(i);
  std::set<std::pair<Index, Index>> small;  // size, piece
  for (Index i = 0; i < count; ++i) {
    if (pieces[i].size < least) small.insert({pieces[i].size, i});
  }
  while (!small.empty()) {
    const Index i = small.begin()->second;
    small.erase(small.begin());
    Index best = -1;
    double weakest = 0;
    for (const auto& [j, border] : pieces[i].neighbours) {
      const double mean = border.strength / border.pixels;
      if (best >= 0 && mean >= weakest) continue;
      best = j;
      weakest = mean;
    }
    if (best < 0) continue;  // the only piece
    small.erase({pieces[best].size, best});
    pieces[best].size += pieces[i].size;
    into[i] = best;
    pieces[best].neighbours.erase(i);
    for (const auto& [j, border] : pieces[i].neighbours) {
      if (j == best) continue;
      pieces[j].neighbours.erase(i);
      for (const auto& [from, to] : {std::pair(best, j), std::pair(j, best)}) {
        pieces[from].neighbours[to].strength += border.strength;
        pieces[from].neighbours[to].pixels += border.pixels;
      }
    }
    if (pieces[best].size < least) small.insert({pieces[best].size, best});
  }
  std::vector<Index> out(labels.size());
  for (std::size_t p = 0; p < out.size(); ++p) {
    Index piece = piece_of[p];
    while (into[piece] != piece) piece = into[piece];
    out[p] = pieces[piece].label;
  }
  number_by_first_pixel(out);
  return out;
}

std::vector<Index> scaled_up(const std::vector<Index>& labels, PixelShape from, PixelShape to) {
  if (from == to) return labels;
  std::vector<Index> large(static_cast<std::size_t>(to.pixels()));
  const double step_x = static_cast<double>(from.width) / static_cast<double>(to.width);
  const double step_y = static_cast<double>(from.height) / static_cast<double>(to.height);
  parallel_blocks(to.height, rows_per_block, [&](Index begin, Index end) {
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
