// HierNMF2 [Kuang 2014, algorithm 6] and its twin on graphs [Du et al. 2017b].
#include "copse/tree/tree.h"

#include <optional>

#include "copse/graph/graph_tree.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/options.h"
#include "copse/methods/registration.h"
#include "copse/methods/runs.h"
#include "copse/nmf/error.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

TreeOptions options_of(const TreeOptions& own, const MethodOptions& options) {
  TreeOptions tree = with_common(own, options);
  tree.leaves = options.k;
  if (options.tolerance >= 0) tree.tolerance = options.tolerance;
  if (options.progress) {
    tree.progress = [&options](const TreeProgress& step) {
      return options.progress({static_cast<int>(step.leaves), 0, 0});
    };
  }
  return tree;
}

// k is their number.
OptionRows without_leaves(OptionRows rows) {
  std::erase_if(rows, [](const Option& row) { return row.name == "leaves"; });
  return rows;
}

// All items are fitted to the topics of the leaves, outliers included.
template <class T>
MethodResult<T> fit_tree(const MethodData<T>& data, const MethodOptions& options, const TreeOptions& own) {
  MethodResult<T> result;
  const auto x = in_memory(*data.items);
  const auto nodes = tree_data(*data.items);
  const Tree tree = build_tree(*nodes, options_of(own, options));
  result.w = leaf_topics(*x, tree);
  take_weights(flatten(*x, result.w), result);
  result.iterations = tree.splits();
  result.stop_reason = tree.stop_reason;
  return result;
}

template <class T>
MethodResult<T> fit_graph_tree(const MethodData<T>& data, const MethodOptions& options, const GraphTreeOptions& own) {
  GraphTreeOptions growing = own;
  growing.tree = options_of(own.tree, options);
  GraphTree found = cluster_graph_tree(*data.graph, growing);
  MethodResult<T> result;
  result.k = count_of(found.labels);
  result.labels = std::move(found.labels);
  result.iterations = found.tree.splits();
  result.stop_reason = found.tree.stop_reason;
  result.notes = std::move(found.notes);
  return result;
}

// Grows one tree, of which those with fewer leaves are the beginning.
template <class T>
class TreeFitter : public Fitter<T> {
 public:
  TreeFitter(const TreeOptions& options, const Dataset<T>& items, Index largest, const Dataset<T>* others)
      : options_(options),
        nodes_(tree_data(items)),
        items_(in_memory(items)),
        others_(others == nullptr ? nullptr : in_memory(*others)) {
    options_.leaves = largest;
  }

  ClusterFit<T> fit(Index k, std::uint64_t seed) override {
    if (!tree_ || is_random_) grow(k, seed);
    Matrix<T> topics = leaf_topics(*items_, tree_->beginning(k));
    Matrix<T> h = flatten(*items_, topics);
    ClusterFit<T> fit{.labels = cluster_items(h).labels, .relative_error = relative_error<T>(*items_, topics, h)};
    fit.components = components_of(topics, k);
    fit.coefficients = std::move(h);
    if (others_) fit.predicted = cluster_items(flatten(*others_, topics)).labels;
    return fit;
  }

 private:
  void grow(Index k, std::uint64_t seed) {
    TreeOptions options = options_;
    if (is_random_) options.leaves = k;
    options.seed = seed;
    Tree tree = build_tree(*nodes_, options);
    refuse_half(tree.stop_reason);
    tree_ = std::move(tree);
  }

  TreeOptions options_;
  bool is_random_ = options_.start == Rank2Start::random;  // another seed grows another tree
  std::unique_ptr<TreeData<T>> nodes_;
  std::unique_ptr<Data<T>> items_, others_;  // others: null if there are none
  std::optional<Tree> tree_;
};

// A tree of k leaves. An item's label is the leaf whose topic has its largest coefficient when it is fitted to all of
// them (tree/flatten.h), as `assign` places items. Its own options count but for leaves and seed.
template <class T>
class TreeClusterer : public Clusterer<T> {
 public:
  explicit TreeClusterer(const TreeOptions& options) : options_(options) {}

  std::unique_ptr<Fitter<T>> over(const Dataset<T>& items, Index largest, const Dataset<T>* others) const override {
    return std::make_unique<TreeFitter<T>>(options_, items, largest, others);
  }
  bool is_random() const override { return options_.start == Rank2Start::random; }

 private:
  TreeOptions options_;
};

// Topics of all nodes, and nodes that are parts of the data.
Cost cost_of(const Workload& work, const MethodOptions& options) {
  return {described_bytes(work, options) + 2.5 * work.entries * (work.width + sizeof(RowIndex)) + 150 * work.items,
          4 * work.entries * std::log2(static_cast<double>(std::max<Index>(2, options.k)))};
}

}  // namespace

const Method& registered::tree() {
  static const Method method =
      with_clusterer(with_fit({.name = "tree",
                               .meaning = "topics and their parts, split in two again and again",
                               .command = "tree",
                               .by_default = true,
                               .traits = {.gives = Gives::tree,
                                          .has_components = true,
                                          .k_within_features = true,
                                          .random = false,
                                          .soft = true,
                                          .place = PlaceBy::least_squares},
                               .cost = cost_of},
                              TreeOptions{}, without_leaves(rows<TreeOptions>()),
                              []<class T>(const MethodData<T>& data, const MethodOptions& options,
                                          const TreeOptions& own) { return fit_tree(data, options, own); }),
                     []<class T>(const MethodOptions& options, bool named) -> std::unique_ptr<Clusterer<T>> {
                       TreeOptions tree = own_options<TreeOptions>(options);
                       if (!options.own.has_value()) tree.score = default_score(named);
                       return std::make_unique<TreeClusterer<T>>(tree);
                     });
  return method;
}

const Method& registered::graph_tree() {
  static const Method method = [] {
    using Of = GraphTreeOptions;
    RowsOf<Of> rows;
    rows.nest(&Of::tree);
    rows.row("tau", &Of::tau, "Damping: degrees d count as d + tau mean(d); 0: D^-1/2 A D^-1/2, as in the papers")
        .at_least(0);
    rows.row("least_component", &Of::least_component, "Set aside components with fewer nodes; -1: by the leaves")
        .at_least(-1);
    return with_fit({.name = "graph-tree",
                     .meaning = "communities and their parts, split in two again and again",
                     .command = "graph",
                     .traits = {.reads = Reads::graph,
                                .gives = Gives::community_tree,
                                .growth = 1.5,
                                .compared = Compared::when_named},
                     .cost =
                         [](const Workload& work, const MethodOptions& options) {
                           Workload graph = work;
                           graph.entries = 2 * edges_of(work);
                           graph.features = work.items;
                           return cost_of(graph, options);
                         }},
                    GraphTreeOptions{}, without_leaves(rows.done()),
                    []<class T>(const MethodData<T>& data, const MethodOptions& options, const Of& own) {
                      return fit_graph_tree(data, options, own);
                    });
  }();
  return method;
}

}  // namespace copse
