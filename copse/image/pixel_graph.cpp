#include "copse/image/pixel_graph.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/graph/graph.h"

namespace copse {
namespace {

constexpr Index pixel_graph_rows_per_block = 2;
constexpr Index columns_per_block = 512;

// The half of the disk that comes after its centre in the order of pixels; the other half is its mirror.
struct HalfDisk {
  struct Step {
    Index dx, dy;
    Index before;  // the step before it on the line from the centre; -1: the centre itself
  };
  std::vector<Step> steps;   // by rows, then from the left
  std::vector<Index> order;  // the same steps, each after the one before it on its line
  std::vector<Index> reach;  // of row dy: largest |dx|

  explicit HalfDisk(Index radius) {
    for (Index dy = 0; dy <= radius; ++dy)
      reach.push_back(static_cast<Index>(std::sqrt(static_cast<double>(radius * radius - dy * dy) + 0.5)));
    for (Index dy = 0; dy <= radius; ++dy) {
      for (Index dx = dy == 0 ? 1 : -reach[dy]; dx <= reach[dy]; ++dx) steps.push_back({dx, dy, before(dx, dy)});
    }
    for (std::size_t s = 0; s < steps.size(); ++s) order.push_back(static_cast<Index>(s));
    const auto length = [&](Index s) { return std::max(std::abs(steps[s].dx), steps[s].dy); };
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return length(a) < length(b); });
  }

  Index place(Index dx, Index dy) const {
    Index at = 0;
    for (Index row = 0; row < dy; ++row) at += row == 0 ? reach[0] : 2 * reach[row] + 1;
    return at + (dy == 0 ? dx - 1 : dx + reach[dy]);
  }

  // One step back along the longer side of the line; the shorter side is rounded away from the centre for both signs,
  // so that mirrored lines are mirrored.
  Index before(Index dx, Index dy) const {
    const Index length = std::max(std::abs(dx), dy);
    if (length == 1) return -1;
    const auto shrink = [&](Index d) {
      const double back = static_cast<double>(std::abs(d) * (length - 1)) / static_cast<double>(length);
      const auto rounded = static_cast<Index>(std::floor(back + 0.5));
      return d < 0 ? -rounded : rounded;
    };
    const Index bx = shrink(dx), by = shrink(dy);
    return by == 0 && bx < 0 ? -2 - (-bx) : place(bx, by);
  }
};

// Where the entries of a column stand: those of pixel (x, y) before and after its own number, row by row of the
// picture.
class Columns {
 public:
  Columns(PixelShape shape, Index radius) : shape_(shape), radius_(radius), reach_(HalfDisk(radius).reach) {
    rows_.reserve(static_cast<std::size_t>(shape.width * (radius + 1)));
    for (Index x = 0; x < shape.width; ++x) {
      Index sum = 0;
      rows_.push_back(0);
      for (Index dy = 1; dy <= radius; ++dy) rows_.push_back(sum += in_row(x, dy));
    }
  }

  Index left(Index x, Index dy) const { return std::max(-reach_[dy], -x); }
  Index right(Index x, Index dy) const { return std::min(reach_[dy], shape_.width - 1 - x); }
  Index in_row(Index x, Index dy) const { return right(x, dy) - left(x, dy) + 1; }
  // In `count` rows above, or below.
  Index in_rows(Index x, Index count) const { return rows_[x * (radius_ + 1) + count]; }

  Index before(Index x, Index y) const { return -left(x, 0) + in_rows(x, std::min(radius_, y)); }
  Index after(Index x, Index y) const { return right(x, 0) + in_rows(x, std::min(radius_, shape_.height - 1 - y)); }

 private:
  PixelShape shape_;
  Index radius_;
  std::vector<Index> reach_;
  std::vector<Index> rows_;
};

void check(PixelShape shape, Index radius) {
  if (shape.width < 1 || shape.height < 1) throw InvalidArgument("a picture needs at least one pixel");
  if (radius < 1) throw InvalidArgument("the radius of a pixel's neighbourhood must be at least 1");
  if (shape.pixels() > std::numeric_limits<RowIndex>::max())
    throw InvalidArgument("the picture has more pixels than a graph can count");
}

}  // namespace

Index pixel_graph_entries(PixelShape shape, Index radius) {
  check(shape, radius);
  const Columns columns(shape, radius);
  // A column of the picture has the same counts per row.
  std::vector<double> per_row(static_cast<std::size_t>(radius) + 1, 0.0);
  for (Index dy = 0; dy <= radius; ++dy) {
    for (Index x = 0; x < shape.width; ++x) per_row[dy] += static_cast<double>(columns.in_row(x, dy));
  }
  double total = (per_row[0] - static_cast<double>(shape.width)) * static_cast<double>(shape.height);
  for (Index dy = 1; dy <= std::min(radius, shape.height - 1); ++dy)
    total += 2 * per_row[dy] * static_cast<double>(shape.height - dy);
  return static_cast<Index>(total);
}

SparseMatrix<float> pixel_graph(const Plane& strength, PixelShape shape, const PixelGraphOptions& options) {
  check(shape, options.radius);
  if (!(options.scale > 0) || std::isinf(options.scale))
    throw InvalidArgument("the scale of boundary strengths must be a positive number");
  assert(static_cast<Index>(strength.size()) == shape.pixels());
  const Index n = shape.pixels(), w = shape.width;
  const Columns columns(shape, options.radius);
  const HalfDisk disk(options.radius);
  SparseMatrix<float> graph{.rows = n, .cols = n};
  graph.offsets.resize(static_cast<std::size_t>(n + 1));
  graph.offsets[0] = 0;
  for (Index p = 0; p < n; ++p)
    graph.offsets[p + 1] = graph.offsets[p] + columns.before(p % w, p / w) + columns.after(p % w, p / w);
  graph.indices.resize(static_cast<std::size_t>(graph.offsets[n]));
  graph.values.resize(static_cast<std::size_t>(graph.offsets[n]));
  // First the entries (j, i) with j > i. The strongest pixel on a line is that of the line one step shorter, or the
  // end.
  parallel_blocks(shape.height, pixel_graph_rows_per_block, [&](Index begin, Index end) {
    std::vector<float> strongest(disk.steps.size()), leftward(static_cast<std::size_t>(options.radius) + 1);
    for (Index i = begin * w; i < end * w; ++i) {
      const Index x = i % w, y = i / w;
      // Lines that begin straight to the left leave the half disk.
      leftward[0] = strength[i];
      for (Index d = 1; d <= std::min(options.radius, x); ++d) leftward[d] = std::max(leftward[d - 1], strength[i - d]);
      const auto inside = [&](const HalfDisk::Step& step) {
        return x + step.dx >= 0 && x + step.dx < w && y + step.dy < shape.height;
      };
      for (const Index s : disk.order) {
        const HalfDisk::Step& step = disk.steps[s];
        if (!inside(step)) continue;
        const float so_far = step.before >= 0    ? strongest[step.before]
                             : step.before == -1 ? strength[i]
                                                 : leftward[-2 - step.before];
        strongest[s] = std::max(so_far, strength[i + step.dy * w + step.dx]);
      }
      Index place = graph.offsets[i] + columns.before(x, y);
      for (std::size_t s = 0; s < disk.steps.size(); ++s) {
        const HalfDisk::Step& step = disk.steps[s];
        if (!inside(step)) continue;
        graph.indices[place] = static_cast<RowIndex>(i + step.dy * w + step.dx);
        graph.values[place++] = std::exp(-strongest[s] / static_cast<float>(options.scale));
      }
    }
  });
  // Then their mirrors, each read where its column has it.
  parallel_blocks(shape.height, pixel_graph_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin * w; i < end * w; ++i) {
      const Index x = i % w, y = i / w;
      Index place = graph.offsets[i];
      for (Index dy = std::min(options.radius, y); dy >= 0; --dy) {
        const Index last = dy == 0 ? -1 : columns.right(x, dy);
        for (Index dx = columns.left(x, dy); dx <= last; ++dx) {
          const Index u = x + dx, v = y - dy, j = v * w + u;
          Index there = graph.offsets[j] + columns.before(u, v);
          there += dy == 0 ? -dx - 1 : columns.right(u, 0) + columns.in_rows(u, dy - 1) - dx - columns.left(u, dy);
          graph.indices[place] = static_cast<RowIndex>(j);
          graph.values[place++] = graph.values[there];
        }
      }
    }
  });
  return graph;
}

std::vector<double> normalize_graph(SparseMatrix<float>& graph) {
  std::vector<double> degree = degrees(SparseView<float>(graph)), scale;
  for (const double d : degree) scale.push_back(d > 0 ? 1 / std::sqrt(d) : 0);
  parallel_blocks(graph.cols, columns_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      for (Index e = graph.offsets[j]; e < graph.offsets[j + 1]; ++e)
        graph.values[e] =
            static_cast<float>(static_cast<double>(graph.values[e]) * (scale[graph.indices[e]] * scale[j]));
    }
  });
  return degree;
}

}  // namespace copse
