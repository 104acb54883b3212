// One run of a method that the papers compare with: from files to clusters with their words and documents, or to
// communities of a graph.
#pragma once

#include <string>

#include "copse/cluster/method.h"
#include "copse/run/flat_run.h"
#include "copse/run/graph_run.h"

namespace copse {

struct ClusterRunOptions {
  std::string command = "cluster";
  // Documents or a matrix of items; or a graph that is given, where is_graph. For methods that read a graph of the
  // items, `similarity` says what an edge means: none is cosine for sparse items, self-tuning for dense ones.
  GraphInputOptions input;
  bool is_graph = false;
  MethodOptions method;
  Index top = 10;           // features to name per cluster
  double memory_limit = 0;  // bytes; 0: what the machine has to spare
  bool keep_texts = true;   // the beginnings of the documents that stand for a cluster
};

// The settings of a method, as result.json has them.
void add_method_settings(const MethodOptions& options, Settings& settings);

// What a method reads, from prepared items: a graph of them where it wants one. Throws InputError where that does not
// fit in memory.
template <class T>
Graph<T> graph_for(const ClusterRunOptions& options, const Dataset<T>& items, const RunEvents& events,
                   std::vector<std::string>& notes);

// The bytes that K clusters take beside `items`: centres, their sums, and weights. Throws InputError where they do not
// fit. K may be larger than the number of features, unlike the rank of NMF.
template <class T>
double check_clusters_fit(const Dataset<T>& items, Index k, double memory_limit, const std::string& called);

// How `input` must be prepared for the method: counts are not weighed for those that model counts.
InputOptions input_for(ClusterMethod method, InputOptions input);

// K-means parts items by their length where lengths differ, and Weighting::text leaves them different: documents get
// unit length for such a method, after preparation.
bool wants_unit_length(ClusterMethod method, const InputOptions& input);
template <class T>
void give_unit_length(Dataset<T>& items);

// The factors of a flat result from what a method found: W, or the centres of its clusters, and H with the soft
// weights, or those of nearest_weights() where the label is that of the nearest centre. An item whose label is another
// one counts as midway between both.
template <class T>
struct ClusterFactors {
  Matrix<T> w, h;
};
template <class T>
ClusterFactors<T> factors_of(const Dataset<T>& items, MethodResult<T>& found);

// A flat result of documents or a matrix. Interruptions are those of cluster_by(). Throws InputError and
// InvalidArgument.
template <class T>
FlatResult<T> run_cluster(const ClusterRunOptions& options, const RunEvents& events = {});

// The same for items that were read for input_for() and, where wants_unit_length() holds, given unit length. `seconds`
// and `clock` are those of the run so far.
template <class T>
FlatResult<T> run_cluster(const ClusterRunOptions& options, PreparedInput<T> input, Seconds seconds, Stopwatch clock,
                          const RunEvents& events = {});

// Of a graph that is given, for methods that read a graph.
template <class T>
GraphResult<T> run_cluster_graph(const ClusterRunOptions& options, const RunEvents& events = {});

}  // namespace copse
