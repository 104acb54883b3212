// Graph-regularized NMF [Cai et al. 2011]; the clusters are those of spherical K-means on the columns of H [Kuang 2014,
// section 3.7.3]. Extras: w, h, relative_error.
#include "copse/cluster/gnmf.h"

#include "copse/cluster/k_means.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/choices.h"
#include "copse/methods/registration.h"
#include "copse/methods/runs.h"

namespace copse {
namespace {

struct GnmfMethod {
  GnmfOptions gnmf;
  int label_runs = 10;
};

OptionRows rows_of_gnmf() {
  using Of = GnmfMethod;
  RowsOf<Of> rows;
  const auto of = [](auto field) {
    return [field](Of & options) -> auto& { return options.gnmf.*field; };
  };
  rows.row("graph_weight", of(&GnmfOptions::lambda), "How much neighbours count").within(0, 1e12);
  rows.row("solver", of(&GnmfOptions::solver),
           "multiplicative: as published; hals: coordinate descent with components of length 1 at most")
      .newer();
  rows.row("label_runs", &Of::label_runs, "Starts of what finds the labels, at least").within(1, 1000000).newer();
  return rows.done();
}

template <class T>
MethodResult<T> fit(const MethodData<T>& data, const MethodOptions& options, const GnmfMethod& own) {
  const auto x = in_memory(*data.items);
  return best_of<T>(options, [&](std::uint64_t seed, double seconds) {
    MethodResult<T> result;
    GnmfOptions gnmf_options = with_common(own.gnmf, options);
    gnmf_options.rank = options.k;
    gnmf_options.seed = seed;
    gnmf_options.time_limit = seconds;
    if (options.tolerance >= 0) gnmf_options.tolerance = options.tolerance;
    gnmf_options.progress = reporting<GnmfIteration>(
        options, result.history, [](const GnmfIteration& iteration) { return iteration.objective; });
    GnmfResult<T> found = gnmf<T>(*x, data.graph->weights, gnmf_options);
    result.extras = {{"w", std::move(found.w)}, {"h", found.h}, {"relative_error", found.relative_error}};
    const KMeansOptions means{.clusters = options.k, .spherical = true, .runs = own.label_runs, .seed = seed};
    result.labels = k_means_rows(std::move(found.h), means).labels;
    result.k = count_of(result.labels);
    result.objective = found.objective;
    result.stop_reason = found.stop_reason;
    return result;
  });
}

}  // namespace

const Method& registered::gnmf() {
  static const Method method = with_fit(
      {.name = "gnmf",
       .meaning = "factors of items that are alike for neighbours",
       .traits = {.reads = Reads::items_and_graph, .k_within_features = true},
       .cost =
           [](const Workload& work, const MethodOptions& options) {
             return Cost{4 * described_bytes(work, options) + 2 * edges_of(work) * (work.width + sizeof(RowIndex)),
                         2 * (work.entries + edges_of(work)) * static_cast<double>(options.k)};
           }},
      GnmfMethod{}, rows_of_gnmf(),
      []<class T>(const MethodData<T>& data, const MethodOptions& options, const GnmfMethod& own) {
        return fit(data, options, own);
      });
  return method;
}

}  // namespace copse
