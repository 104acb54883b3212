// One run of a method that the papers compare with: from files to clusters with their words and documents, or to
// communities of a graph.
#pragma once

#include <string>

#include "copse/run/flat_run.h"
#include "copse/run/graph_run.h"
#include "copse/run/method_input.h"

namespace copse {

struct ClusterRunOptions {
  std::string command = "cluster";
  // Documents or a matrix of items; or a graph that is given, where is_graph. For methods that read a graph of the
  // items, `similarity` says what an edge means: none is cosine for sparse items, self-tuning for dense ones.
  GraphInputOptions input;
  bool is_graph = false;
  MethodOptions method = options_for(default_method("cluster"));
  Index top = 10;           // features to name per cluster
  double memory_limit = 0;  // bytes; 0: what the machine has to spare
  bool keep_texts = true;   // the beginnings of the documents that stand for a cluster
};

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
FlatResult run_cluster(const ClusterRunOptions& options, const RunEvents& events = {});

// The same for items as load_for() gives them. `seconds`
// and `clock` are those of the run so far.
template <class T>
FlatResult run_cluster(const ClusterRunOptions& options, PreparedInput<T> input, Seconds seconds, Stopwatch clock,
                       const RunEvents& events = {});

// Of a graph that is given, for methods that read a graph.
template <class T>
GraphResult run_cluster_graph(const ClusterRunOptions& options, const RunEvents& events = {});

}  // namespace copse
