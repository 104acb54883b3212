#include "copse/image/segment.h"

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/stopwatch.h"
#include "copse/cluster/k_means.h"
#include "copse/graph/spectral.h"
#include "copse/image/regions.h"
#include "copse/image/split_graph.h"
#include "copse/kernels/in_memory.h"

namespace copse {
namespace {

// SymNMF starts on a picture of half the size, and that on one of a quarter: information travels one radius per
// iteration, and the smaller graphs have a sixteenth of the entries.
constexpr Index coarsest_pixels = 1200;
constexpr int coarsest_starts = 4;
constexpr int coarsest_iterations = 150;
constexpr int middle_iterations = 25;
constexpr int finest_iterations = 6;
constexpr double tolerance = 1e-3;
constexpr double eigen_tolerance = 3e-3;

struct Level {
  PixelShape shape;
  SparseMatrix<float> graph;  // normalized
  std::vector<double> degrees;
};

// Half the size; the strongest of four pixels stands for them, so that no boundary gets a gap.
Plane halved(const Plane& strength, PixelShape shape, PixelShape half) {
  Plane out(static_cast<std::size_t>(half.pixels()), 0.0F);
  for (Index p = 0; p < shape.pixels(); ++p) {
    float& cell = out[(p / shape.width) / 2 * half.width + (p % shape.width) / 2];
    cell = std::max(cell, strength[p]);
  }
  return out;
}

// The strongest of each pixel and its eight neighbours.
Plane strongest_around(const Plane& strength, PixelShape shape) {
  Plane out = strength;
  for (Index y = 0; y < shape.height; ++y) {
    for (Index x = 0; x < shape.width; ++x) {
      for (Index v = std::max<Index>(0, y - 1); v <= std::min(shape.height - 1, y + 1); ++v) {
        for (Index u = std::max<Index>(0, x - 1); u <= std::min(shape.width - 1, x + 1); ++u)
          out[y * shape.width + x] = std::max(out[y * shape.width + x], strength[v * shape.width + u]);
      }
    }
  }
  return out;
}

// Level 0 is the picture itself.
std::vector<Level> levels_of(Plane strength, PixelShape shape, const PixelGraphOptions& graph, bool all) {
  std::vector<Level> levels;
  PixelGraphOptions options = graph;
  for (;;) {
    check_cancelled();
    Level& level = levels.emplace_back();
    level.shape = shape;
    level.graph = pixel_graph(strength, shape, options);
    level.degrees = normalize_graph(level.graph);
    if (!all || shape.pixels() < 4 * coarsest_pixels || options.radius < 4) return levels;
    const PixelShape half{(shape.width + 1) / 2, (shape.height + 1) / 2};
    strength = halved(strength, shape, half);
    shape = half;
    options.radius = (options.radius + 1) / 2;
  }
}

// B of the level above, each row for the up to four pixels that it stands for; sizes of columns stay.
Matrix<float> refined(const Matrix<float>& coarse, PixelShape from, PixelShape to) {
  Matrix<float> fine(to.pixels(), coarse.cols());
  for (Index p = 0; p < to.pixels(); ++p) {
    const auto row = coarse.row((p / to.width) / 2 * from.width + (p % to.width) / 2);
    for (Index c = 0; c < coarse.cols(); ++c) fine(p, c) = row[c] / 2;
  }
  return fine;
}

class Segmenter {
 public:
  Segmenter(const Plane& strength, const Plane& lines, PixelShape shape, const SegmentOptions& options,
            const LabPlanes* colours)
      : strength_(strength), lines_(lines), options_(options), colours_(colours) {
    result_.shape = shape;
  }

  Segmentations run() {
    const Index n = result_.shape.pixels();
    least_ = std::max<Index>(1, static_cast<Index>(std::floor(options_.smallest * static_cast<double>(n))));
    if (n == 1 || *std::max_element(lines_.begin(), lines_.end()) <= 0) return one_segment();
    tell("building the graph of the pixels");
    levels_ = levels_of(lines_, result_.shape, options_.graph, options_.method != SegmentMethod::spectral);
    result_.entries = levels_[0].graph.nonzeros();
    if (options_.method == SegmentMethod::clust) {
      cluster();
    } else {
      embed();
    }
    if (result_.levels.empty()) return one_segment();
    return std::move(result_);
  }

 private:
  Segmentations one_segment() {
    result_.levels = {{1, std::vector<Index>(static_cast<std::size_t>(result_.shape.pixels()), 0)}};
    result_.nested = true;
    return std::move(result_);
  }

  // Whether to go on.
  bool tell(const std::string& what) {
    if (options_.progress && !options_.progress(what)) stop(StopReason::interrupted);
    if (clock_.seconds() >= options_.time_limit) stop(StopReason::time_limit);
    return result_.stop_reason != StopReason::interrupted && result_.stop_reason != StopReason::time_limit;
  }
  void stop(StopReason reason) {
    if (result_.stop_reason != StopReason::interrupted) result_.stop_reason = reason;
  }

  SymNmfResult<float> factorize(const Level& level, Matrix<float> start, int iterations) {
    SymNmfOptions nmf{.rank = start.cols(),
                      .solver = SymSolver::hals,
                      .max_iterations = iterations,
                      .tolerance = tolerance,
                      .time_limit = std::max(0.0, options_.time_limit - clock_.seconds()),
                      .alpha = 1};
    const SparseView<float> view(level.graph);
    return factorize_symmetric<float>(SparseData<float>(view), nmf, std::move(start));
  }

  // From the coarsest level down: there the best of several random starts.
  Matrix<float> factor(Index k) {
    const Level& coarsest = levels_.back();
    SymNmfResult<float> best;
    for (int s = 0; s < coarsest_starts; ++s) {
      const SparseView<float> view(coarsest.graph);
      const std::uint64_t seed = options_.seed + static_cast<std::uint64_t>(s) * 1'000'003;
      SymNmfResult<float> found = factorize(coarsest, random_sym_start<float>(SparseData<float>(view), k, seed),
                                            levels_.size() == 1 ? coarsest_iterations : coarsest_iterations);
      if (s == 0 || found.objective < best.objective) best = std::move(found);
    }
    for (std::size_t l = levels_.size() - 1; l-- > 0;) {
      best = factorize(levels_[l], refined(best.b, levels_[l + 1].shape, levels_[l].shape),
                       l == 0 ? finest_iterations : middle_iterations);
    }
    result_.iterations += static_cast<int>(best.history.size());
    result_.relative_error = best.relative_error;
    if (best.stop_reason == StopReason::interrupted || best.stop_reason == StopReason::time_limit)
      stop(best.stop_reason);
    return std::move(best.b);
  }

  void cluster() {
    const Index most = std::min(options_.rank, levels_.back().graph.cols);
    for (Index k = 2; k <= most; ++k) {
      if (!tell("SymNMF with k = " + std::to_string(k) + " of " + std::to_string(most)) && !result_.levels.empty())
        break;
      Matrix<float> b;
      try {
        b = factor(k);
      } catch (const Cancelled&) {
        if (result_.levels.empty()) throw;
        stop(StopReason::interrupted);
        break;
      }
      std::vector<Index> labels(static_cast<std::size_t>(b.rows()), 0);
      for (Index p = 0; p < b.rows(); ++p) {
        const auto row = b.row(p);
        labels[p] = std::max_element(row.begin(), row.end()) - row.begin();
      }
      uninterrupted([&] { add(absorb_small(labels, result_.shape, strength_, least_)); });
    }
  }

  void embed() {
    Matrix<float> rows;
    const Index rank = std::min(options_.rank, levels_.back().graph.cols);
    if (options_.method == SegmentMethod::spectral) {
      tell("computing eigenvectors");
      rows = leading_eigenpairs_by_component<float>(SparseView<float>(levels_[0].graph), rank, options_.seed,
                                                    eigen_tolerance)
                 .vectors;
    } else {
      tell("SymNMF with k = " + std::to_string(rank));
      rows = factor(rank);
    }
    levels_.resize(1);
    tell("joining pixels to superpixels");
    uninterrupted([&] { split(rows); });
  }

  void split(Matrix<float>& rows) {
    const Level& level = levels_[0];
    // A row of D^1/2 times the embedding of its segment: the same for all pixels of a segment after division.
    for (Index p = 0; p < rows.rows(); ++p) {
      const double root = std::sqrt(level.degrees[p]);
      for (float& value : rows.row(p)) value = root > 0 ? static_cast<float>(value / root) : 0.0F;
    }
    const KMeansOptions superpixels{.clusters = std::min(options_.superpixels, rows.rows()),
                                    .online = false,
                                    .max_iterations = 30,
                                    .seed = options_.seed};
    std::vector<Index> labels = k_means_rows(std::move(rows), superpixels).labels;
    labels = absorb_small(labels, result_.shape, strength_, least_);
    const Index groups = *std::max_element(labels.begin(), labels.end()) + 1;
    const auto partitions =
        options_.hierarchy == SegmentHierarchy::merge
            ? nested_merges(labels, result_.shape, strength_, colours_)
            : nested_splits(contracted(SparseView<float>(level.graph), level.degrees, labels, groups));
    for (const std::vector<Index>& parts : partitions) {
      std::vector<Index> joined(labels.size());
      for (std::size_t p = 0; p < labels.size(); ++p) joined[p] = parts[labels[p]];
      add(std::move(joined));
    }
    result_.nested = true;
  }

  void add(std::vector<Index> labels) {
    const Index segments = number_by_first_pixel(labels);
    result_.levels.push_back({segments, std::move(labels)});
  }

  const Plane& strength_;
  const Plane& lines_;
  const SegmentOptions& options_;
  const LabPlanes* colours_;
  Stopwatch clock_;
  Segmentations result_;
  std::vector<Level> levels_;
  Index least_ = 1;
};

}  // namespace

double segment_memory(PixelShape shape, const SegmentOptions& options) {
  const auto n = static_cast<double>(shape.pixels());
  const auto entries = static_cast<double>(pixel_graph_entries(shape, options.graph.radius));
  // The smaller graphs have a sixteenth of the entries each time; factors, their products and steps; segmentations.
  const double graphs = 1.07 * entries * (sizeof(float) + sizeof(RowIndex));
  const double factors = 10 * n * static_cast<double>(options.rank + 8) * sizeof(float);
  const double labels = n * static_cast<double>(std::max(options.superpixels, options.rank)) * sizeof(Index);
  return graphs + factors + labels;
}

Segmentations segment(const Plane& strength, const Plane& lines, PixelShape shape, const SegmentOptions& options,
                      const LabPlanes* colours) {
  if (shape.width < 1 || shape.height < 1 || static_cast<Index>(strength.size()) != shape.pixels() ||
      lines.size() != strength.size())
    throw InvalidArgument("the boundary strengths do not fit the shape of the picture");
  if (options.rank < 2) throw InvalidArgument("the rank of a segmentation must be at least 2");
  if (options.superpixels < 2) throw InvalidArgument("a segmentation needs at least 2 superpixels");
  if (!(options.smallest >= 0) || options.smallest > 1)
    throw InvalidArgument("the smallest piece is a share of the pixels, between 0 and 1");
  for (const Plane* plane : {&strength, &lines}) {
    for (const float value : *plane) {
      if (!(value >= 0) || value > 1) throw InvalidArgument("boundary strengths must be between 0 and 1");
    }
  }
  return Segmenter(strength, lines, shape, options, colours).run();
}

std::size_t choose_segmentation(const Segmentations& all, const Plane& strength, double t) {
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  const Index w = all.shape.width, h = all.shape.height;
  const Plane near = strongest_around(strength, all.shape);
  for (std::size_t level = 0; level < all.levels.size(); ++level) {
    const std::vector<Index>& labels = all.levels[level].labels;
    double sum = 0;
    for (Index p = 0; p < all.shape.pixels(); ++p) {
      if (p % w + 1 < w && labels[p] != labels[p + 1]) sum += std::max(near[p], near[p + 1]) - t;
      if (p / w + 1 < h && labels[p] != labels[p + w]) sum += std::max(near[p], near[p + w]) - t;
    }
    if (sum > most) {
      most = sum;
      best = level;
    }
  }
  return best;
}

}  // namespace copse
