#include "copse/cluster/bisecting.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/stopwatch.h"
#include "copse/cluster/item_rows.h"

namespace copse {
namespace {

// Some of the items, with the features that occur in them.
template <class T>
struct Part {
  Dataset<T> data;
  std::vector<Index> features;  // of each row; empty: all
};

template <class T>
Part<T> part_of(const Dataset<T>& items, std::span<const Index> members) {
  Part<T> part;
  if (const auto* sparse = std::get_if<SparseMatrix<T>>(&items.values)) {
    SparseMatrix<T> columns = select_columns<T>(*sparse, members);
    part.features = drop_empty_rows(columns);
    part.data.values = std::move(columns);
    return part;
  }
  const Matrix<T>& rows = std::get<Matrix<T>>(items.values);
  Matrix<T> some;
  some.reshape(static_cast<Index>(members.size()), rows.cols());
  for (std::size_t p = 0; p < members.size(); ++p)
    std::copy_n(rows.row(members[p]).data(), rows.cols(), some.row(static_cast<Index>(p)).data());
  part.data.values = std::move(some);
  return part;
}

struct Leaf2 {
  std::vector<Index> items;  // ascending
  double objective = 0;
  std::vector<Index> labels = {};             // of its split; empty: it cannot be split
  std::vector<double> split_objectives = {};  // of both sides
  double priority = 0;
};

template <class T>
class Bisection {
 public:
  Bisection(const Dataset<T>& items, const BisectingOptions& options, int run, const Stopwatch& clock)
      : items_(items), options_(options), run_(run), clock_(clock) {}

  KMeansResult<T> run() {
    KMeansOptions whole = split_options(0);
    whole.clusters = 1;
    whole.runs = 1;
    result_ = k_means(items_, whole);
    result_.history.clear();
    result_.stop_reason = StopReason::converged;
    Leaf2 root;
    for (Index j = 0; j < items_.items(); ++j) {
      if (result_.labels[j] >= 0) root.items.push_back(j);
    }
    root.objective = result_.objective;
    leaves_.push_back(std::move(root));
    try {
      grow();
    } catch (const Cancelled&) {
      if (leaves_.size() < 2) throw;
      result_.stop_reason = StopReason::interrupted;
    }
    uninterrupted([&] { finish(); });
    return std::move(result_);
  }

 private:
  KMeansOptions split_options(Index node) const {
    return {.clusters = 2,
            .spherical = options_.spherical,
            .start = options_.start,
            .online = options_.online,
            .runs = options_.trials,
            .max_iterations = options_.max_iterations,
            // A node's starts depend on its number only.
            .seed = options_.seed + 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(node) +
                    0xD1B54A32D192ED03ULL * static_cast<std::uint64_t>(run_)};
  }

  void try_split(Leaf2& leaf) {
    const Index node = tried_++;
    if (leaf.items.size() < 2) return;
    const Part<T> part = part_of(items_, leaf.items);
    const KMeansResult<T> split = k_means(part.data, split_options(node));
    if (split.centres.cols() < 2) return;
    leaf.labels = split.labels;
    leaf.split_objectives = objectives(part.data, split);
    switch (options_.pick) {
      case Bisect::gain:
        leaf.priority = leaf.objective - split.objective;
        break;
      case Bisect::objective:
        leaf.priority = leaf.objective;
        break;
      case Bisect::size:
        leaf.priority = static_cast<double>(leaf.items.size());
        break;
    }
  }

  // Of both sides by themselves.
  std::vector<double> objectives(const Dataset<T>& data, const KMeansResult<T>& split) const {
    std::vector<double> sums(2, 0.0);
    const ItemRows<T> rows(data);
    std::vector<double> centres(2, 0.0);
    for (Index i = 0; i < split.centres.rows(); ++i) {
      for (Index c = 0; c < 2; ++c) {
        const auto value = static_cast<double>(split.centres(i, c));
        centres[c] += value * value;
      }
    }
    for (Index j = 0; j < rows.items(); ++j) {
      const Index c = split.labels[j];
      if (c < 0) continue;
      double square = 0, product = 0;
      rows.visit(j, [&](Index i, T value) {
        const auto x = static_cast<double>(value);
        square += x * x;
        product += x * static_cast<double>(split.centres(i, c));
      });
      sums[c] += options_.spherical ? 1 - product / std::sqrt(square) : square - 2 * product + centres[c];
    }
    // What the whole has in addition by rounding is shared out.
    const double total = sums[0] + sums[1];
    for (double& sum : sums) sum = total > 0 ? std::max(0.0, sum) * split.objective / total : 0;
    return sums;
  }

  void grow() {
    double objective = leaves_[0].objective;
    if (options_.clusters > 1) try_split(leaves_[0]);
    while (static_cast<Index>(leaves_.size()) < options_.clusters) {
      // The first of equal ones.
      auto best = leaves_.end();
      for (auto leaf = leaves_.begin(); leaf != leaves_.end(); ++leaf) {
        if (!leaf->labels.empty() && (best == leaves_.end() || leaf->priority > best->priority)) best = leaf;
      }
      if (best == leaves_.end()) return;
      std::vector<Leaf2> sides(2);
      for (std::size_t p = 0; p < best->items.size(); ++p) sides[best->labels[p]].items.push_back(best->items[p]);
      for (int c = 0; c < 2; ++c) sides[c].objective = best->split_objectives[c];
      objective += sides[0].objective + sides[1].objective - best->objective;
      *best = std::move(sides[0]);
      const auto place = best - leaves_.begin();
      leaves_.push_back(std::move(sides[1]));
      const MethodIteration step{static_cast<int>(leaves_.size()) - 1, objective, clock_.seconds()};
      result_.history.push_back(step);
      if (options_.progress && !options_.progress(step)) result_.stop_reason = StopReason::interrupted;
      if (clock_.seconds() > options_.time_limit) result_.stop_reason = StopReason::time_limit;
      if (result_.stop_reason != StopReason::converged || static_cast<Index>(leaves_.size()) == options_.clusters)
        return;
      try_split(leaves_[place]);
      try_split(leaves_.back());
    }
  }

  // Labels, centres and the objective from the leaves: K-means with their centres and no iteration would say the same.
  void finish() {
    std::ranges::sort(leaves_, {}, [](const Leaf2& leaf) { return leaf.items.empty() ? Index(-1) : leaf.items[0]; });
    const Index m = items_.features();
    const ItemRows<T> rows(items_);
    Matrix<double> sums(m, static_cast<Index>(leaves_.size()));
    result_.objective = 0;
    for (std::size_t c = 0; c < leaves_.size(); ++c) {
      const auto column = static_cast<Index>(c);
      result_.objective += leaves_[c].objective;
      for (const Index j : leaves_[c].items) {
        result_.labels[j] = column;
        double square = 0;
        if (options_.spherical) {
          rows.visit(j, [&](Index, T value) { square += static_cast<double>(value) * static_cast<double>(value); });
        }
        const double by = options_.spherical ? 1 / std::sqrt(square) : 1;
        rows.visit(j, [&](Index i, T value) { sums(i, column) += by * static_cast<double>(value); });
      }
      double length = static_cast<double>(leaves_[c].items.size());
      if (options_.spherical) {
        length = 0;
        for (Index i = 0; i < m; ++i) length += sums(i, column) * sums(i, column);
        length = std::sqrt(length);
      }
      for (Index i = 0; i < m && length > 0; ++i) sums(i, column) /= length;
    }
    if (leaves_.size() == 1 && leaves_[0].items.empty()) return;
    result_.centres = Matrix<T>(m, sums.cols());
    std::transform(sums.values().begin(), sums.values().end(), result_.centres.data(),
                   [](double value) { return static_cast<T>(value); });
  }

  const Dataset<T>& items_;
  const BisectingOptions& options_;
  int run_;
  const Stopwatch& clock_;
  KMeansResult<T> result_;
  std::vector<Leaf2> leaves_;
  Index tried_ = 0;
};

// One node of a tree: its reads are those of ordinary items, its factors come from 2-means.
template <class T>
class KMeansNode : public NodeData<T> {
 public:
  KMeansNode(std::unique_ptr<NodeData<T>> inner, Part<T> part, bool spherical)
      : NodeData<T>({inner->terms().begin(), inner->terms().end()},
                    {inner->squared_norms().begin(), inner->squared_norms().end()}, inner->exponent(), 1),
        inner_(std::move(inner)),
        items_(std::move(part.data)),
        spherical_(spherical) {
    // The local number of each feature, which the node may have in another order.
    std::vector<std::pair<RowIndex, Index>> order;
    for (std::size_t t = 0; t < this->terms().size(); ++t) order.emplace_back(this->terms()[t], static_cast<Index>(t));
    std::ranges::sort(order);
    for (Index i = 0; i < items_.features(); ++i) {
      const auto feature = static_cast<RowIndex>(part.features.empty() ? i : part.features[i]);
      const auto found = std::ranges::lower_bound(order, feature, {}, [](const auto& pair) { return pair.first; });
      local_.push_back(found != order.end() && found->first == feature ? found->second : -1);
    }
  }

  Index items() const override { return inner_->items(); }
  Index entries() const override { return inner_->entries(); }
  std::unique_ptr<NodeData<T>> part(const SampledItems& chosen) const override { return inner_->part(chosen); }
  void sweep(const Matrix<T>& w, const PairGram& ww, Sweep<T>& out) const override { inner_->sweep(w, ww, out); }
  void project(const Matrix<T>& v, Sweep<T>& out) const override { inner_->project(v, out); }
  void spread(Sweep<T>& out) const override { inner_->spread(out); }
  void power_step(const Matrix<T>& v, std::span<const char> in_first, Sweep<T>& out) const override {
    inner_->power_step(v, in_first, out);
  }

  Rank2Result<T> factorize(const Rank2Options& options) const override {
    Rank2Result<T> result;
    result.h = Matrix<T>(items(), 2);
    result.w = Matrix<T>(static_cast<Index>(this->terms().size()), 2);
    const KMeansOptions means{.clusters = std::min<Index>(2, items()),
                              .spherical = spherical_,
                              .seed = options.seed,
                              .progress = [&](const MethodIteration&) {
                                check_time(*this, options.deadline);
                                return true;
                              }};
    const KMeansResult<T> split = k_means(items_, means);
    result.iterations = split.history.empty() ? 0 : split.history.back().number;
    result.entries_read = static_cast<double>(entries()) * result.iterations;
    // Unit columns.
    for (Index c = 0; c < split.centres.cols(); ++c) {
      double square = 0;
      for (Index i = 0; i < split.centres.rows(); ++i)
        square += static_cast<double>(split.centres(i, c)) * static_cast<double>(split.centres(i, c));
      for (Index i = 0; i < split.centres.rows() && square > 0; ++i) {
        if (local_[i] < 0) continue;
        result.w(local_[i], c) = static_cast<T>(static_cast<double>(split.centres(i, c)) / std::sqrt(square));
      }
    }
    for (Index i = 0; i < result.w.rows(); ++i)
      result.inner += static_cast<double>(result.w(i, 0)) * static_cast<double>(result.w(i, 1));
    const ItemRows<T> rows(items_);
    for (Index j = 0; j < items(); ++j) {
      const Index c = split.labels[j];
      if (c < 0) continue;
      double product = 0;
      rows.visit(
          j, [&](Index i, T value) { product += static_cast<double>(value) * static_cast<double>(result.w(i, c)); });
      const double coefficient = std::ldexp(product, -this->exponent());
      result.h(j, c) = static_cast<T>(coefficient);
      result.fitted += coefficient * coefficient;
    }
    return result;
  }

 private:
  void drop_items(std::span<const char>, int) override {
    throw InvalidArgument("the items of a node are cut out anew for every split");
  }
  // So that no node is cut down in place: it would have to keep the items for K-means as well.
  Index entries_of(std::span<const char>) const override { return 0; }

  std::unique_ptr<NodeData<T>> inner_;
  Dataset<T> items_;
  std::vector<Index> local_;  // the node's number of each feature of items_; -1: it has none
  bool spherical_;
};

template <class T>
class KMeansTreeData : public TreeData<T> {
 public:
  KMeansTreeData(const Dataset<T>& items, bool spherical)
      : items_(items), spherical_(spherical), whole_(tree_data(items)) {}
  Index rows() const override { return whole_->rows(); }
  Index cols() const override { return whole_->cols(); }
  Index entries() const override { return whole_->entries(); }
  std::span<const double> squared_norms() const override { return whole_->squared_norms(); }
  int exponent() const override { return whole_->exponent(); }
  std::unique_ptr<NodeData<T>> cut(std::span<const RowIndex> items) const override {
    const std::vector<Index> members(items.begin(), items.end());
    return std::make_unique<KMeansNode<T>>(whole_->cut(items), part_of(items_, members), spherical_);
  }

 private:
  const Dataset<T>& items_;
  bool spherical_;
  std::unique_ptr<TreeData<T>> whole_;
};

}  // namespace

template <class T>
KMeansResult<T> repeated_bisection(const Dataset<T>& items, const BisectingOptions& options) {
  if (options.runs < 1 || options.trials < 1) throw InvalidArgument("the number of runs and trials must be at least 1");
  if (options.clusters < 1 || options.clusters > items.items())
    throw InvalidArgument("the number of clusters must be between 1 and the number of items");
  const Stopwatch clock;
  KMeansResult<T> best;
  for (int run = 0; run < options.runs; ++run) {
    KMeansResult<T> one;
    try {
      one = Bisection<T>(items, options, run, clock).run();
    } catch (const Cancelled&) {
      if (run == 0) throw;
      best.stop_reason = StopReason::interrupted;
      break;
    }
    std::vector<double> objectives = std::move(best.run_objectives);
    objectives.push_back(one.objective);
    const bool stopped = one.stop_reason != StopReason::converged;
    // A run that was cut short has fewer clusters.
    if (run == 0 || (!stopped && one.objective < best.objective)) {
      best = std::move(one);
      best.best_run = run;
    } else if (stopped) {
      best.stop_reason = one.stop_reason;
    }
    best.run_objectives = std::move(objectives);
    if (stopped) break;
  }
  return best;
}

template <class T>
std::unique_ptr<TreeData<T>> k_means_tree_data(const Dataset<T>& items, bool spherical) {
  return std::make_unique<KMeansTreeData<T>>(items, spherical);
}

#define COPSE_INSTANTIATE(T)                                                               \
  template KMeansResult<T> repeated_bisection(const Dataset<T>&, const BisectingOptions&); \
  template std::unique_ptr<TreeData<T>> k_means_tree_data(const Dataset<T>&, bool);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
