#include "copse/image/k_means.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 1024;

double squared_distance(std::span<const float> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) {
    const double d = static_cast<double>(x[c]) - y[c];
    sum += d * d;
  }
  return sum;
}

class KMeans {
 public:
  KMeans(const Matrix<float>& rows, const KMeansOptions& options)
      : rows_(rows),
        options_(options),
        centres_(options.clusters, rows.cols()),
        distance_(static_cast<std::size_t>(rows.rows()), std::numeric_limits<double>::infinity()),
        labels_(static_cast<std::size_t>(rows.rows()), 0) {}

  std::vector<Index> run() {
    start();
    for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
      check_cancelled();
      move_centres();
      if (!assign()) break;
    }
    return in_order();
  }

 private:
  void take_row(Index cluster, Index row) {
    for (Index c = 0; c < rows_.cols(); ++c) centres_(cluster, c) = static_cast<double>(rows_(row, c));
    parallel_blocks(rows_.rows(), rows_per_block, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const double d = squared_distance(rows_.row(i), centres_.row(cluster));
        if (d >= distance_[i]) continue;
        distance_[i] = d;
        labels_[i] = cluster;
      }
    });
  }

  // The next centre is a row drawn by its squared distance from the nearest one.
  void start() {
    Random random(options_.seed);
    take_row(0, random.below(rows_.rows()));
    for (used_ = 1; used_ < options_.clusters; ++used_) {
      const double total = std::accumulate(distance_.begin(), distance_.end(), 0.0);
      if (!(total > 0)) break;
      double left = random.uniform() * total;
      Index chosen = -1;
      for (Index i = 0; i < rows_.rows() && (chosen < 0 || left >= 0); ++i) {
        if (!(distance_[i] > 0)) continue;
        chosen = i;
        left -= distance_[i];
      }
      take_row(used_, chosen);
    }
  }

  void move_centres() {
    Matrix<double> sums(used_, rows_.cols());
    std::vector<Index> sizes(static_cast<std::size_t>(used_), 0);
    for (Index i = 0; i < rows_.rows(); ++i) {
      ++sizes[labels_[i]];
      for (Index c = 0; c < rows_.cols(); ++c) sums(labels_[i], c) += static_cast<double>(rows_(i, c));
    }
    for (Index k = 0; k < used_; ++k) {
      if (sizes[k] == 0) {
        const Index far = std::max_element(distance_.begin(), distance_.end()) - distance_.begin();
        for (Index c = 0; c < rows_.cols(); ++c) centres_(k, c) = static_cast<double>(rows_(far, c));
        distance_[far] = 0;
        continue;
      }
      for (Index c = 0; c < rows_.cols(); ++c) centres_(k, c) = sums(k, c) / static_cast<double>(sizes[k]);
    }
  }

  // Whether any row moved.
  bool assign() {
    const Index moved = sum_blocks(rows_.rows(), rows_per_block, Index(0), [&](Index begin, Index end) {
      Index count = 0;
      for (Index i = begin; i < end; ++i) {
        // The first of equally near centres, and no change without a gain.
        double best = squared_distance(rows_.row(i), centres_.row(labels_[i]));
        Index label = labels_[i];
        for (Index k = 0; k < used_; ++k) {
          const double d = squared_distance(rows_.row(i), centres_.row(k));
          if (d < best) {
            best = d;
            label = k;
          }
        }
        count += label != labels_[i];
        labels_[i] = label;
        distance_[i] = best;
      }
      return count;
    });
    return moved > 0;
  }

  std::vector<Index> in_order() const {
    std::vector<Index> number(static_cast<std::size_t>(used_), -1), out;
    Index next = 0;
    for (const Index label : labels_) {
      if (number[label] < 0) number[label] = next++;
      out.push_back(number[label]);
    }
    return out;
  }

  const Matrix<float>& rows_;
  const KMeansOptions& options_;
  Matrix<double> centres_;
  std::vector<double> distance_;  // squared, to the centre of the row's cluster
  std::vector<Index> labels_;
  Index used_ = 0;
};

}  // namespace

std::vector<Index> k_means(const Matrix<float>& rows, const KMeansOptions& options) {
  if (options.clusters < 1) throw InvalidArgument("the number of clusters must be at least 1");
  if (rows.rows() == 0) return {};
  return KMeans(rows, options).run();
}

}  // namespace copse
