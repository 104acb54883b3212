// Nonnegative factorization: flat NMF (sparse and affine by its options), DC-NMF from the leaves of a tree, and words
// and links in one.
#include "copse/nmf/nmf.h"

#include "copse/graph/joint_nmf.h"
#include "copse/graph/normalize.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/options.h"
#include "copse/methods/place.h"
#include "copse/methods/registration.h"
#include "copse/methods/runs.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

// Of fits whose labels count, which settle early.
const NmfOptions defaults{.tolerance = 1e-3};

PlaceBy place_of(const NmfOptions& options) {
  return options.loss == Loss::kullback_leibler ? PlaceBy::divergence : PlaceBy::least_squares;
}

template <class T>
Matrix<T> placed(const Data<T>& x, const NmfOptions& options, const NmfResult<T>& found) {
  return weights_at<T>(x,
                       {.by = place_of(options), .w = found.w, .baseline = found.baseline, .penalty = found.penalty});
}

NmfOptions options_of(const NmfOptions& own, const MethodOptions& options) {
  NmfOptions nmf = with_common(own, options);
  nmf.rank = options.k;
  nmf.runs = options.runs;
  if (options.tolerance >= 0) nmf.tolerance = options.tolerance;
  if (options.progress) {
    nmf.progress = [&options](const Iteration& step) {
      return options.progress({step.number, step.relative_error, step.seconds});
    };
  }
  return nmf;
}

template <class T>
MethodResult<T> result_of(NmfResult<T> found, Matrix<T> h, const NmfOptions& options) {
  MethodResult<T> result;
  take_weights(std::move(h), result);
  result.place = place_of(options);
  result.objective = found.objective;
  for (const Iteration& step : found.history)
    result.history.push_back({step.number, step.relative_error, step.seconds});
  result.stop_reason = found.stop_reason;
  result.best_run = found.best_run;
  result.run_objectives = std::move(found.run_errors);
  result.w = std::move(found.w);
  return result;
}

template <class T>
MethodResult<T> fit_nmf(const MethodData<T>& data, const MethodOptions& options, const NmfOptions& own) {
  const auto x = in_memory(*data.items);
  const NmfOptions nmf = options_of(own, options);
  NmfResult<T> found = factorize(*x, nmf);
  Matrix<T> h = placed(*x, nmf, found);
  return result_of(std::move(found), std::move(h), nmf);
}

template <class T>
MethodResult<T> fit_dc(const MethodData<T>& data, const MethodOptions& options, const NmfOptions& own) {
  const auto x = in_memory(*data.items);
  const auto nodes = tree_data(*data.items);
  NmfOptions nmf = options_of(own, options);
  nmf.runs = 1;
  NmfResult<T> found = factorize_dc(*x, *nodes, nmf);
  Matrix<T> h = std::move(found.h);
  return result_of(std::move(found), std::move(h), nmf);
}

struct JointMethod {
  NmfOptions nmf = defaults;
  double weight = 0.3;  // neighbours by words repeat what the words say
};

template <class T>
MethodResult<T> fit_joint(const MethodData<T>& data, const MethodOptions& options, const JointMethod& own) {
  constexpr double damping = 0.1;
  const auto x = in_memory(*data.items);
  const NmfOptions nmf = options_of(own.nmf, options);
  JointResult<T> found =
      factorize_joint<T>(*x, normalized<T>(data.graph->weights, damping), {.nmf = nmf, .weight = own.weight});
  Matrix<T> h = std::move(found.nmf.h);
  return result_of(std::move(found.nmf), std::move(h), nmf);
}

// The items and the others, as data for products.
template <class T>
class NmfFitter : public Fitter<T> {
 public:
  NmfFitter(const NmfOptions& options, const Dataset<T>& items, const Dataset<T>* others)
      : options_(options), items_(in_memory(items)), others_(others == nullptr ? nullptr : in_memory(*others)) {}

  ClusterFit<T> fit(Index k, std::uint64_t seed) override {
    const FitRequest request{k, seed};
    return std::move(fits({&request, 1}).front());
  }

  std::vector<ClusterFit<T>> fits(std::span<const FitRequest> requests) override {
    std::vector<NmfOptions> options(requests.size(), options_);
    for (std::size_t f = 0; f < requests.size(); ++f) {
      options[f].rank = requests[f].k;
      options[f].seed = requests[f].seed;
    }
    std::vector<ClusterFit<T>> fits;
    for (NmfResult<T>& found : factorize_together<T>(*items_, options)) fits.push_back(fit_of(std::move(found)));
    return fits;
  }

 private:
  ClusterFit<T> fit_of(NmfResult<T> found) const {
    refuse_half(found.stop_reason);
    ClusterFit<T> fit{.labels = cluster_items(found.h).labels, .relative_error = found.relative_error};
    fit.components = components_of(found.w, found.w.cols());
    if (others_) fit.predicted = cluster_items(placed(*others_, options_, found)).labels;
    fit.coefficients = std::move(found.h);
    return fit;
  }

  NmfOptions options_;
  std::unique_ptr<Data<T>> items_, others_;  // others: null if there are none
};

// Plain, sparse or affine, any solver: its own options count but for rank and seed.
template <class T>
class NmfClusterer : public Clusterer<T> {
 public:
  explicit NmfClusterer(const NmfOptions& options) : options_(options) {}

  std::unique_ptr<Fitter<T>> over(const Dataset<T>& items, Index, const Dataset<T>* others) const override {
    return std::make_unique<NmfFitter<T>>(options_, items, others);
  }

 private:
  NmfOptions options_;
};

constexpr Traits factor_traits(Reads reads, Compared compared) {
  return {.reads = reads,
          .factors = true,
          .has_components = true,
          .k_within_features = true,
          .soft = true,
          .place = PlaceBy::least_squares,
          .compared = compared};
}

// Both factors with their twins and products, and a copy of the data.
Cost cost_of_factors(const Workload& work, const MethodOptions& options) {
  const auto k = static_cast<double>(options.k);
  return {7 * k * (work.items + work.features) * work.width + work.entries * (work.width + sizeof(RowIndex)),
          4 * work.entries * k};
}

}  // namespace

const Method& registered::nmf() {
  static const Method method =
      with_clusterer(with_fit({.name = "nmf",
                               .meaning = "X ~ W H: parts that add up",
                               .command = "factor",
                               .by_default = true,
                               .traits = factor_traits(Reads::items, Compared::always),
                               .cost = cost_of_factors},
                              defaults, rows<NmfOptions>(),
                              []<class T>(const MethodData<T>& data, const MethodOptions& options,
                                          const NmfOptions& own) { return fit_nmf(data, options, own); }),
                     []<class T>(const MethodOptions& options, bool) -> std::unique_ptr<Clusterer<T>> {
                       return std::make_unique<NmfClusterer<T>>(own_options<NmfOptions>(options));
                     });
  return method;
}

const Method& registered::dc() {
  static const Method method = with_fit({.name = "dc",
                                         .meaning = "NMF that starts from the leaves of a tree",
                                         .command = "factor",
                                         .traits = factor_traits(Reads::items, Compared::when_named),
                                         .cost = cost_of_factors},
                                        defaults, rows<NmfOptions>(),
                                        []<class T>(const MethodData<T>& data, const MethodOptions& options,
                                                    const NmfOptions& own) { return fit_dc(data, options, own); });
  return method;
}

const Method& registered::joint() {
  static const Method method = [] {
    RowsOf<JointMethod> rows;
    rows.nest(&JointMethod::nmf);
    rows.row("graph_weight", &JointMethod::weight, "How much neighbours count: at 1 as much as words").within(0, 1e12);
    return with_fit({.name = "joint",
                     .meaning = "items and their neighbours in one factorization",
                     .command = "factor",
                     .traits = factor_traits(Reads::items_and_graph, Compared::when_named),
                     .cost =
                         [](const Workload& work, const MethodOptions& options) {
                           Cost cost = cost_of_factors(work, options);
                           cost.bytes += 2 * edges_of(work) * (work.width + sizeof(RowIndex)) +
                                         3 * static_cast<double>(options.k) * work.items * work.width;
                           return cost;
                         }},
                    JointMethod{}, rows.done(),
                    []<class T>(const MethodData<T>& data, const MethodOptions& options, const JointMethod& own) {
                      return fit_joint(data, options, own);
                    });
  }();
  return method;
}

}  // namespace copse
