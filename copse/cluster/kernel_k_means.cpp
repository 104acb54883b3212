#include "copse/cluster/kernel_k_means.h"

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/base/stopwatch.h"

namespace copse {
namespace {

constexpr Index nodes_per_block = 512;

template <class T>
class KernelKMeans {
 public:
  KernelKMeans(SparseView<T> a, const std::vector<double>& degrees, const KernelKMeansOptions& options,
               const Stopwatch& clock)
      : a_(a), degrees_(degrees), options_(options), clock_(clock), n_(a.cols), k_(options.clusters) {}

  void grow_from_seeds(std::uint64_t stream) {
    Random random(options_.seed, stream);
    std::vector<Index> nodes;
    for (Index i = 0; i < n_; ++i) {
      if (degrees_[i] > 0) nodes.push_back(i);
    }
    k_ = std::min(k_, static_cast<Index>(nodes.size()));
    labels_.assign(static_cast<std::size_t>(n_), -1);
    std::vector<char> near(static_cast<std::size_t>(n_), 0);
    for (Index c = 0; c < k_; ++c) {
      // Nodes that are no seed; of these, where there are some, those that are no neighbour of one.
      std::vector<Index> free, far;
      for (const Index i : nodes) {
        if (labels_[i] >= 0) continue;
        free.push_back(i);
        if (!near[i]) far.push_back(i);
      }
      const std::vector<Index>& from = options_.start == CentreStart::plus_plus && !far.empty() ? far : free;
      const Index seed = from[random.below(static_cast<Index>(from.size()))];
      labels_[seed] = c;
      near[seed] = 1;
      for (Index p = a_.offsets[seed]; p < a_.offsets[seed + 1]; ++p) near[a_.indices[p]] = 1;
    }
    // A node joins the cluster that it has the most weight with, in rounds; where none comes near, the next at random.
    while (true) {
      check_cancelled();
      std::vector<Index> next = labels_;
      Index joined = 0;
      std::vector<double> links(static_cast<std::size_t>(k_), 0.0);
      for (const Index i : nodes) {
        if (labels_[i] >= 0) continue;
        std::fill(links.begin(), links.end(), 0.0);
        for (Index p = a_.offsets[i]; p < a_.offsets[i + 1]; ++p) {
          if (labels_[a_.indices[p]] >= 0) links[labels_[a_.indices[p]]] += static_cast<double>(a_.values[p]);
        }
        const Index best = std::ranges::max_element(links) - links.begin();
        if (!(links[best] > 0)) continue;
        next[i] = best;
        ++joined;
      }
      if (joined == 0) {
        const auto left = std::ranges::find_if(nodes, [&](Index i) { return labels_[i] < 0; });
        if (left == nodes.end()) return;
        next[*left] = random.below(k_);
      }
      labels_ = std::move(next);
    }
  }

  void start_at(std::vector<Index> labels) {
    labels_ = std::move(labels);
    for (Index i = 0; i < n_; ++i) {
      if (!(degrees_[i] > 0)) labels_[i] = -1;
    }
  }

  void run() {
    count();
    record();
    try {
      batches();
      if (options_.online && stop_ == StopReason::converged) passes();
    } catch (const Cancelled&) {
      // Labels and counts change together, and nobody can stop that.
      stop_ = StopReason::interrupted;
    }
  }

  double objective() const {
    double cut = 0;
    for (Index c = 0; c < k_; ++c) cut += volume_[c] > 0 ? (volume_[c] - within_[c]) / volume_[c] : 0;
    return std::max(0.0, cut);
  }
  const std::vector<Index>& labels() const { return labels_; }
  StopReason stop_reason() const { return stop_; }
  Index clusters() const { return k_; }
  std::vector<MethodIteration> history;

 private:
  // True as long as the run goes on.
  bool record() {
    history.push_back({static_cast<int>(history.size()) + 1, objective(), clock_.seconds()});
    if (options_.progress && !options_.progress(history.back())) stop_ = StopReason::interrupted;
    if (clock_.seconds() > options_.time_limit) stop_ = StopReason::time_limit;
    if (stop_ == StopReason::converged && static_cast<int>(history.size()) > options_.max_iterations)
      stop_ = StopReason::max_iterations;
    return stop_ == StopReason::converged;
  }

  void count() {
    volume_.assign(static_cast<std::size_t>(k_), 0.0);
    within_.assign(static_cast<std::size_t>(k_), 0.0);
    sizes_.assign(static_cast<std::size_t>(k_), 0);
    for (Index i = 0; i < n_; ++i) {
      const Index c = labels_[i];
      if (c < 0) continue;
      ++sizes_[c];
      volume_[c] += degrees_[i];
      for (Index p = a_.offsets[i]; p < a_.offsets[i + 1]; ++p) {
        if (labels_[a_.indices[p]] == c) within_[c] += static_cast<double>(a_.values[p]);
      }
    }
  }

  void links(Index i, std::vector<double>& out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (Index p = a_.offsets[i]; p < a_.offsets[i + 1]; ++p) {
      if (labels_[a_.indices[p]] >= 0) out[labels_[a_.indices[p]]] += static_cast<double>(a_.values[p]);
    }
  }

  // |phi(i) - centre of c|^2 but for what is the same for all c: w_c / d_c^2 - 2 links(i, c) / (d_i d_c).
  double distance(Index i, Index c, double link) const {
    if (!(volume_[c] > 0)) return std::numeric_limits<double>::infinity();
    return within_[c] / (volume_[c] * volume_[c]) - 2 * link / (degrees_[i] * volume_[c]);
  }

  void batches() {
    while (stop_ == StopReason::converged) {
      std::vector<Index> next(labels_);
      parallel_blocks(n_, nodes_per_block, [&](Index begin, Index end) {
        std::vector<double> with(static_cast<std::size_t>(k_));
        for (Index i = begin; i < end; ++i) {
          if (labels_[i] < 0) continue;
          links(i, with);
          double best = distance(i, labels_[i], with[labels_[i]]);
          for (Index c = 0; c < k_; ++c) {
            const double value = distance(i, c, with[c]);
            if (value < best) best = value, next[i] = c;
          }
        }
      });
      fill_empty(next);
      if (next == labels_) return;
      const double before = objective();
      bool worse = false;
      uninterrupted([&] {
        next.swap(labels_);
        count();
        worse = !(objective() < before);
        if (worse) {
          next.swap(labels_);
          count();
        }
      });
      if (worse || !record()) return;
    }
  }

  void fill_empty(std::vector<Index>& next) const {
    std::vector<Index> sizes(static_cast<std::size_t>(k_), 0);
    for (const Index label : next) {
      if (label >= 0) ++sizes[label];
    }
    for (Index c = 0; c < k_; ++c) {
      if (sizes[c] > 0) continue;
      Index loosest = -1;
      double least = std::numeric_limits<double>::infinity();
      for (Index i = 0; i < n_; ++i) {
        if (next[i] < 0 || sizes[next[i]] < 2) continue;
        double own = 0;
        for (Index p = a_.offsets[i]; p < a_.offsets[i + 1]; ++p) {
          if (next[a_.indices[p]] == next[i]) own += static_cast<double>(a_.values[p]);
        }
        if (own / degrees_[i] < least) least = own / degrees_[i], loosest = i;
      }
      if (loosest < 0) return;
      --sizes[next[loosest]];
      next[loosest] = c;
      sizes[c] = 1;
    }
  }

  // The change of the objective where a node leaves cluster own for c.
  double change(Index i, Index own, Index c, const std::vector<double>& with) const {
    const double d = degrees_[i];
    const auto share = [](double within, double volume) { return volume > 0 ? within / volume : 0; };
    return share(within_[own], volume_[own]) + share(within_[c], volume_[c]) -
           share(within_[own] - 2 * with[own], volume_[own] - d) - share(within_[c] + 2 * with[c], volume_[c] + d);
  }

  void passes() {
    while (true) {
      struct Move {
        Index node, to;
        double change;
      };
      std::vector<std::vector<Move>> found(static_cast<std::size_t>((n_ + nodes_per_block - 1) / nodes_per_block));
      parallel_blocks(n_, nodes_per_block, [&](Index begin, Index end) {
        std::vector<double> with(static_cast<std::size_t>(k_));
        for (Index i = begin; i < end; ++i) {
          const Index own = labels_[i];
          if (own < 0 || sizes_[own] < 2) continue;
          links(i, with);
          Move best{i, -1, 0};
          for (Index c = 0; c < k_; ++c) {
            if (c == own) continue;
            const double value = change(i, own, c, with);
            if (value < best.change) best.to = c, best.change = value;
          }
          if (best.to >= 0) found[begin / nodes_per_block].push_back(best);
        }
      });
      std::vector<Move> moves;
      for (const auto& some : found) moves.insert(moves.end(), some.begin(), some.end());
      std::stable_sort(moves.begin(), moves.end(), [](const Move& x, const Move& y) { return x.change < y.change; });
      bool any = false;
      uninterrupted([&] {
        std::vector<double> with(static_cast<std::size_t>(k_));
        for (const Move& move : moves) {
          const Index i = move.node, own = labels_[i];
          if (sizes_[own] < 2) continue;
          links(i, with);
          if (!(change(i, own, move.to, with) < -1e-12)) continue;
          within_[own] -= 2 * with[own];
          within_[move.to] += 2 * with[move.to];
          volume_[own] -= degrees_[i];
          volume_[move.to] += degrees_[i];
          --sizes_[own];
          ++sizes_[move.to];
          labels_[i] = move.to;
          any = true;
        }
        if (any) count();
      });
      if (!any || !record()) return;
    }
  }

  SparseView<T> a_;
  const std::vector<double>& degrees_;
  const KernelKMeansOptions& options_;
  const Stopwatch& clock_;
  Index n_, k_;
  std::vector<Index> labels_, sizes_;
  std::vector<double> volume_, within_;
  StopReason stop_ = StopReason::converged;
};

template <class T>
KMeansResult<T> solve(SparseView<T> weights, const KernelKMeansOptions& options, const std::vector<Index>* start) {
  if (weights.rows != weights.cols) throw InvalidArgument("a graph has as many rows as columns");
  if (options.clusters < 1 || options.clusters > weights.cols)
    throw InvalidArgument("the number of clusters must be between 1 and the number of nodes");
  if (options.runs < 1) throw InvalidArgument("the number of runs must be at least 1");
  const Stopwatch clock;
  const std::vector<double> degree = degrees(weights);
  KMeansResult<T> best;
  best.labels.assign(static_cast<std::size_t>(weights.cols), -1);
  best.run_objectives = {};
  if (std::ranges::none_of(degree, [](double d) { return d > 0; })) {
    best.run_objectives = {0};
    return best;
  }
  for (int run = 0; run < (start != nullptr ? 1 : options.runs); ++run) {
    KernelKMeans<T> one(weights, degree, options, clock);
    try {
      if (start != nullptr) {
        one.start_at(*start);
      } else {
        one.grow_from_seeds(static_cast<std::uint64_t>(run));
      }
      one.run();
    } catch (const Cancelled&) {
      if (run == 0) throw;
      best.stop_reason = StopReason::interrupted;
      break;
    }
    best.run_objectives.push_back(one.objective());
    if (run == 0 || one.objective() < best.objective) {
      best.objective = one.objective();
      best.labels = one.labels();
      best.history = std::move(one.history);
      best.best_run = run;
      best.stop_reason = one.stop_reason();
    }
    if (one.stop_reason() == StopReason::interrupted || one.stop_reason() == StopReason::time_limit) {
      best.stop_reason = one.stop_reason();
      break;
    }
  }
  // Numbers of clusters without nodes are closed up.
  std::vector<Index> number(static_cast<std::size_t>(options.clusters), -1);
  for (const Index label : best.labels) {
    if (label >= 0) number[label] = 0;
  }
  Index next = 0;
  for (Index& value : number) value = value < 0 ? -1 : next++;
  for (Index& label : best.labels) label = label < 0 ? -1 : number[label];
  return best;
}

}  // namespace

template <class T>
KMeansResult<T> kernel_k_means(SparseView<T> weights, const KernelKMeansOptions& options) {
  return solve<T>(weights, options, nullptr);
}

template <class T>
KMeansResult<T> kernel_k_means(SparseView<T> weights, const KernelKMeansOptions& options, std::vector<Index> labels) {
  if (static_cast<Index>(labels.size()) != weights.cols ||
      std::ranges::any_of(labels, [&](Index label) { return label < 0 || label >= options.clusters; }))
    throw InvalidArgument("there must be a label from 0 to clusters - 1 for each node");
  return solve<T>(weights, options, &labels);
}

#define COPSE_INSTANTIATE(T)                                                          \
  template KMeansResult<T> kernel_k_means(SparseView<T>, const KernelKMeansOptions&); \
  template KMeansResult<T> kernel_k_means(SparseView<T>, const KernelKMeansOptions&, std::vector<Index>);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
