#include "copse/cluster/method.h"

#include <algorithm>
#include <array>

#include "copse/base/error.h"

namespace copse {
namespace {

constexpr std::array traits = {
    MethodTraits{.method = ClusterMethod::kmeans, .place = PlaceBy::distance},
    MethodTraits{.method = ClusterMethod::spherical_kmeans},
    MethodTraits{.method = ClusterMethod::hierarchical_kmeans},
    MethodTraits{.method = ClusterMethod::repeated_bisection},
    MethodTraits{.method = ClusterMethod::kernel_kmeans, .from_graph = true, .growth = 1.5},
    MethodTraits{.method = ClusterMethod::spectral, .from_graph = true, .growth = 1.5},
    MethodTraits{.method = ClusterMethod::spectral_discretized, .from_graph = true, .growth = 1.5},
    MethodTraits{.method = ClusterMethod::cluster_qr, .from_graph = true, .random = false, .growth = 1.5},
    MethodTraits{.method = ClusterMethod::affinity_propagation,
                 .from_graph = true,
                 .chooses_k = true,
                 .random = false,
                 .growth = 1.5},
    MethodTraits{.method = ClusterMethod::gnmf, .from_graph = true, .soft = true, .place = PlaceBy::least_squares},
    MethodTraits{.method = ClusterMethod::lda, .wants_counts = true, .soft = true, .place = PlaceBy::divergence},
    MethodTraits{
        .method = ClusterMethod::anchor_topics, .wants_counts = true, .soft = true, .place = PlaceBy::divergence},
    MethodTraits{.method = ClusterMethod::xray, .random = false, .soft = true, .place = PlaceBy::least_squares},
    MethodTraits{.method = ClusterMethod::hottopixx, .soft = true, .place = PlaceBy::least_squares},
};

template <class T>
void check(const MethodData<T>& data, const MethodOptions& options) {
  const MethodTraits& method = traits_of(options.method);
  if (method.from_graph && data.graph == nullptr) throw InvalidArgument("this method reads a graph of the items");
  if (!method.from_graph && data.items == nullptr) throw InvalidArgument("this method reads items, not a graph");
  const Index items = data.items != nullptr ? data.items->items() : data.graph->nodes();
  if (data.items != nullptr && data.graph != nullptr && data.graph->nodes() != items)
    throw InvalidArgument("the graph must have one node for each item");
  if ((options.k < 1 && !method.chooses_k) || options.k < 0 || options.k > items)
    throw InvalidArgument("the number of clusters must be between 1 and the number of items");
  if (options.runs < 1) throw InvalidArgument("the number of runs must be at least 1");
}

}  // namespace

const MethodTraits& traits_of(ClusterMethod method) {
  return *std::ranges::find_if(traits, [&](const MethodTraits& row) { return row.method == method; });
}

template <class T>
MethodResult<T> cluster_by(const MethodData<T>& data, const MethodOptions& options) {
  check(data, options);
  switch (options.method) {
    default:
      throw InvalidArgument("this method is not part of this version");
  }
}

template MethodResult<float> cluster_by(const MethodData<float>&, const MethodOptions&);
template MethodResult<double> cluster_by(const MethodData<double>&, const MethodOptions&);

}  // namespace copse
