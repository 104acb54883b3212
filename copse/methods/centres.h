// What the options and results of K-means and its kin, on items or graphs, have in common.
#pragma once

#include "copse/cluster/k_means.h"
#include "copse/methods/choices.h"
#include "copse/methods/runs.h"

namespace copse {

struct CentreOptions {
  CentreStart start = CentreStart::plus_plus;
  bool online = true;  // moves of single items after the batches (Dhillon, Guan & Kogan 2002)
};

inline void add_centre_rows(RowsOf<CentreOptions>& rows) {
  rows.row("start", &CentreOptions::start,
           "First centres that are spread out, or items at random; of a graph, nodes that are no neighbours, or any");
  rows.row("online", &CentreOptions::online, "Moves of single items after the batches").spell("!--batch-only");
}

template <class T>
MethodResult<T> result_of(KMeansResult<T> found) {
  MethodResult<T> result;
  result.k = count_of(found.labels);
  result.labels = std::move(found.labels);
  result.w = std::move(found.centres);
  result.objective = found.objective;
  result.history = std::move(found.history);
  result.stop_reason = found.stop_reason;
  result.run_objectives = std::move(found.run_objectives);
  result.best_run = found.best_run;
  return result;
}

}  // namespace copse
