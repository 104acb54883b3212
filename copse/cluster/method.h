// The methods that the papers compare with, behind one call: a method has a name, reads items or a graph of them, and
// gives labels. Each stands in files of its own; a new one gets a value, a row of method_traits() and a case here.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "copse/cluster/place_by.h"
#include "copse/cluster/separable.h"
#include "copse/graph/graph.h"
#include "copse/matrix/dataset.h"
#include "copse/nmf/nmf.h"

namespace copse {

enum class ClusterMethod {
  kmeans,                // k_means.h: Euclidean
  spherical_kmeans,      // k_means.h: items and centres of unit length
  hierarchical_kmeans,   // bisecting.h: in the workflow of HierNMF2 [Kuang 2014, 5.6.2]
  repeated_bisection,    // bisecting.h: CLUTO's criterion I2
  kernel_kmeans,         // kernel_k_means.h: the normalized cut of a graph
  spectral,              // spectral_clustering.h: Ng, Jordan & Weiss
  spectral_discretized,  // Yu & Shi
  cluster_qr,            // Damle, Minden & Ying
  affinity_propagation,
  gnmf,
  lda,
  anchor_topics,
  xray,
  hottopixx
};

// What a method reads and gives.
struct MethodTraits {
  ClusterMethod method;
  bool from_graph = false;    // it reads a graph of the items; their entries serve to describe and to place only
  bool wants_counts = false;  // it models counts of words: they are not weighed
  bool unit_text = false;     // lengths count where they should not in text: documents get unit length
  bool chooses_k = false;     // k is what it finds; options.k is searched for, or ignored where it is 0
  bool random = true;         // its outcome depends on the seed
  bool soft = false;          // items have weights for several clusters
  PlaceBy place = PlaceBy::angle;
  double growth = 1;  // time grows as items^growth, for estimates
};
const MethodTraits& traits_of(ClusterMethod method);

// One step, as the history and the progress callback see it.
struct MethodIteration {
  int number = 0;        // 1, 2, ... within a run
  double objective = 0;  // of the method; see MethodResult
  double seconds = 0;    // since the method began
};

enum class CentreStart { plus_plus, random };

struct MethodOptions {
  ClusterMethod method = ClusterMethod::spherical_kmeans;
  Index k = 0;             // required: 1 <= k <= items
  int runs = 1;            // starts to try; the one with the best objective is kept
  int max_iterations = 0;  // of a run; 0: as the method has it
  double tolerance = -1;   // as the method has it; below 0: its own
  double time_limit = std::numeric_limits<double>::infinity();  // seconds, all runs together
  std::uint64_t seed = 0;                                       // same seed, same bits, any number of threads
  // Of K-means.
  CentreStart start = CentreStart::plus_plus;
  bool online = true;  // moves of single items after the batches (Dhillon, Guan & Kogan 2002)
  // Of single methods; each header says more.
  bool move_prior = true;                                  // LDA: alpha and beta follow the data
  XraySelection selection = SeparableOptions().selection;  // XRAY: how the next anchor is chosen
  double lambda = 100;                                     // GNMF: weight of the graph
  std::optional<double> preference = {};                   // affinity propagation: none is the median, or searched for
  std::function<bool(const MethodIteration&)> progress = {};  // once per iteration; false asks to stop
};

// What there is to cluster. `items` may be null where a method reads the graph, `graph` where it does not.
template <class T>
struct MethodData {
  const Dataset<T>* items = nullptr;
  const Graph<T>* graph = nullptr;
};

template <class T>
struct MethodResult {
  std::vector<Index> labels;  // per item: 0 ... k - 1, or -1 for none; never -1 without a note that says why
  Index k = 0;                // clusters that were found
  Matrix<T> weights;          // items x k, >= 0, largest at the label; empty: the labels are all there is
  Matrix<T> w;                // features x k: centres, exemplars or topics; empty: the method has none
  PlaceBy place = PlaceBy::angle;
  std::vector<double> prior;  // of the topics, for PlaceBy::topic_shares
  // What the method makes small or large, as its header says; runs are compared by it.
  double objective = 0;
  bool larger_is_better = false;
  std::vector<MethodIteration> history;  // of the run that is kept
  int iterations = 0;
  StopReason stop_reason = StopReason::converged;
  std::vector<double> run_objectives;
  int best_run = 0;
  std::vector<std::string> notes;  // sentences that the user should see
};

// Throws InvalidArgument for a bad k or option or data that the method cannot read, and Cancelled if stopped from
// outside before there is a result; after that the best so far comes back with StopReason::interrupted.
template <class T>
MethodResult<T> cluster_by(const MethodData<T>& data, const MethodOptions& options);

}  // namespace copse
