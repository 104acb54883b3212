// K-means and its kin on items: batches and single moves, repeated bisection, a tree by 2-means. What has centres can
// be surveyed: another item has the label of the nearest centre.
#include "copse/cluster/bisecting.h"
#include "copse/cluster/hard_error.h"
#include "copse/cluster/k_means.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/centres.h"
#include "copse/methods/choices.h"
#include "copse/methods/registration.h"
#include "copse/nmf/clusters.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

template <class T>
class CentreFitter : public Fitter<T> {
 public:
  CentreFitter(const MethodOptions& options, const Dataset<T>& items, const Dataset<T>* others)
      : options_(options), items_(items), others_(others == nullptr ? nullptr : in_memory(*others)) {}

  ClusterFit<T> fit(Index k, std::uint64_t seed) override {
    MethodOptions options = options_;
    options.k = k;
    options.seed = seed;
    MethodResult<T> found = cluster_by<T>({.items = &items_}, options);
    refuse_half(found.stop_reason);
    ClusterFit<T> fit{.labels = {}, .relative_error = hard_error(items_, found.w, found.labels)};
    if (options.method->traits.has_components) fit.components = components_of(found.w, k);
    fit.labels = std::move(found.labels);
    if (others_) fit.predicted = cluster_items(nearest_weights<T>(*others_, found.w, *found.place)).labels;
    return fit;
  }

 private:
  MethodOptions options_;
  const Dataset<T>& items_;
  std::unique_ptr<Data<T>> others_;
};

template <class T>
class CentreClusterer : public Clusterer<T> {
 public:
  explicit CentreClusterer(const MethodOptions& options) : options_(options) { options_.runs = 1; }

  std::unique_ptr<Fitter<T>> over(const Dataset<T>& items, Index, const Dataset<T>* others) const override {
    return std::make_unique<CentreFitter<T>>(options_, items, others);
  }
  Index most(Index items, Index) const override { return items; }
  bool is_random() const override { return options_.method->traits.random; }

 private:
  MethodOptions options_;
};

Method surveyed(Method method) {
  return with_clusterer(std::move(method),
                        []<class T>(const MethodOptions& options, bool) -> std::unique_ptr<Clusterer<T>> {
                          return std::make_unique<CentreClusterer<T>>(options);
                        });
}

Cost one_pass(const Workload& work, const MethodOptions& options) {
  return {described_bytes(work, options), 2 * work.entries * static_cast<double>(options.k)};
}

const OptionRows& rows_of_centres() {
  static const OptionRows table = [] {
    RowsOf<CentreOptions> rows;
    add_centre_rows(rows);
    return rows.done();
  }();
  return table;
}

template <class T>
MethodResult<T> fit_k_means(const MethodData<T>& data, const MethodOptions& options, const CentreOptions& own,
                            bool spherical) {
  KMeansOptions means = with_common(KMeansOptions{}, options);
  means.clusters = options.k;
  means.spherical = spherical;
  means.start = own.start;
  means.online = own.online;
  means.runs = options.runs;
  means.progress = options.progress;
  if (options.tolerance >= 0) means.tolerance = options.tolerance;
  return result_of(data.centres != nullptr ? k_means(*data.items, means, *data.centres) : k_means(*data.items, means));
}

struct BisectingMethod {
  CentreOptions centres;
  bool spherical = true;
  Bisect pick = Bisect::gain;
  int trials = 10;
};

OptionRows rows_of_bisecting() {
  using Of = BisectingMethod;
  RowsOf<Of> rows;
  for (const Option& row : rows_of_centres()) {
    rows.add(row).locate = [locate = row.locate](void* options) {
      return locate(&static_cast<BisectingMethod*>(options)->centres);
    };
  }
  rows.row("spherical", &Of::spherical, "Items count by their direction, as CLUTO's criterion I2 has it")
      .spell("!--euclidean")
      .newer();
  rows.row("pick", &Of::pick,
           "Which cluster is split next: the one whose split gains most, the one with the largest objective, or the "
           "one with the most items")
      .newer();
  rows.row("trials", &Of::trials, "Starts of each split").within(1, 1000000).newer();
  return rows.done();
}

template <class T>
MethodResult<T> fit_bisecting(const MethodData<T>& data, const MethodOptions& options, const BisectingMethod& own) {
  BisectingOptions bisecting = with_common(BisectingOptions{}, options);
  bisecting.clusters = options.k;
  bisecting.spherical = own.spherical;
  bisecting.pick = own.pick;
  bisecting.trials = own.trials;
  bisecting.start = own.centres.start;
  bisecting.online = own.centres.online;
  bisecting.runs = options.runs;
  bisecting.progress = options.progress;
  MethodResult<T> result = result_of(repeated_bisection(*data.items, bisecting));
  if (!own.spherical) result.place = PlaceBy::distance;
  return result;
}

// The leaves of the tree, in the order of their ids; outliers have no cluster.
template <class T>
MethodResult<T> fit_tree(const MethodData<T>& data, const MethodOptions& options) {
  MethodResult<T> result;
  const Stopwatch clock;
  const TreeOptions tree_options{
      .leaves = options.k,
      .outlier_trials = 5,
      .time_limit = options.time_limit,
      .seed = options.seed,
      .progress = [&](const TreeProgress&) {
        result.history.push_back({static_cast<int>(result.history.size()) + 1, 0, clock.seconds()});
        return !options.progress || options.progress(result.history.back());
      }};
  const auto nodes = k_means_tree_data(*data.items);
  const Tree tree = build_tree(*nodes, tree_options);
  const std::vector<Index> leaves = tree.leaf_nodes();
  std::vector<Index> number(tree.nodes.size(), -1);
  for (std::size_t c = 0; c < leaves.size(); ++c) number[leaves[c]] = static_cast<Index>(c);
  result.labels = tree.partition(tree.splits());
  for (Index& label : result.labels) label = label < 0 ? -1 : number[label];
  result.k = static_cast<Index>(leaves.size());
  result.w = leaf_topics<T>(tree);
  result.stop_reason = tree.stop_reason;
  return result;
}

struct NoOptions {};

}  // namespace

const Method& registered::kmeans() {
  static const Method method =
      surveyed(with_fit({.name = "kmeans",
                         .meaning = "centres that move in batches, then items one by one",
                         .traits = {.unit_text = true, .place = PlaceBy::distance},
                         .cost = one_pass},
                        CentreOptions{}, rows_of_centres(),
                        []<class T>(const MethodData<T>& data, const MethodOptions& options, const CentreOptions& own) {
                          return fit_k_means(data, options, own, false);
                        }));
  return method;
}

const Method& registered::spherical_kmeans() {
  static const Method method =
      surveyed(with_fit({.name = "spherical-kmeans",
                         .meaning = "the same, where items count by their direction",
                         .by_default = true,
                         .traits = {.has_components = true},
                         .cost = one_pass},
                        CentreOptions{}, rows_of_centres(),
                        []<class T>(const MethodData<T>& data, const MethodOptions& options, const CentreOptions& own) {
                          return fit_k_means(data, options, own, true);
                        }));
  return method;
}

const Method& registered::bisecting() {
  static const Method method =
      surveyed(with_fit({.name = "bisecting",
                         .meaning = "the cluster whose split gains most is split in two, again and again (CLUTO's I2)",
                         .traits = {.has_components = true},
                         .cost = one_pass},
                        BisectingMethod{}, rows_of_bisecting(),
                        []<class T>(const MethodData<T>& data, const MethodOptions& options,
                                    const BisectingMethod& own) { return fit_bisecting(data, options, own); }));
  return method;
}

const Method& registered::hierarchical_kmeans() {
  static const Method method =
      with_fit({.name = "hierarchical-kmeans",
                .meaning = "a tree grown as HierNMF2 does, with 2-means",
                .traits = {.unit_text = true},
                .cost =
                    [](const Workload& work, const MethodOptions& options) {
                      // Nodes are cut out of the data.
                      Cost cost = one_pass(work, options);
                      cost.bytes += 2 * work.entries * (work.width + sizeof(RowIndex));
                      return cost;
                    }},
               NoOptions{}, {}, []<class T>(const MethodData<T>& data, const MethodOptions& options, const NoOptions&) {
                 return fit_tree(data, options);
               });
  return method;
}

}  // namespace copse
