// How many clusters, from files to a verdict: a survey whose runs are kept, and the clusters of the k that it chose.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/run/choose_options.h"

namespace copse {

// The numbers of clusters of a survey that was given none: 2 ... 10 and then steps of a fifth, and the last.
std::vector<Index> automatic_range(Index last);

// The survey that `-k auto` makes of this run: automatic_range(), up to 60 for sparse data and 20 for dense, with a
// search; up to 20 runs of each kind until the verdict is settled, whose fits end at 1e-3 as those of `choose` do.
// Throws InvalidArgument for what a survey cannot do.
ChooseRunOptions automatic_survey(const FlatRunOptions& flat, bool sparse);

// The survey alone. An interruption or the time limit ends it with what is there. Throws InvalidArgument for options
// out of range, InputError where no k of the range is possible or the log belongs to another survey, and Cancelled if
// no run has ended.
struct SurveyOutcome {
  SurveyReport report;                     // without the persistence of clusters: no fit has been chosen
  std::vector<RunRecord> samples = {};     // the resampled runs whose components can be compared
  std::vector<std::string> notes = {};     // sentences on what was left out
  std::optional<StopReason> stopped = {};  // time_limit or interrupted; nothing: it is complete
  double seconds = 0;
};
template <class T>
SurveyOutcome run_survey(const Dataset<T>& data, ChooseRunOptions options, const RunEvents& events = {});

// The survey and, where the method has components, their persistence, for which all items are fitted as run_choose()
// does. Throws as run_survey() does.
template <class T>
SurveyReport run_whole_survey(Dataset<T> data, ChooseRunOptions options, const RunEvents& events = {});

// The result is that of run_flat(), run_cluster(), run_tree() or run_graph() with the k of the verdict, and its report
// has the survey. Of a worker it is empty, with the survey of what is there. Throws as those and run_survey() do.
template <class T>
ChooseResult run_choose(ChooseRunOptions options, const RunEvents& events = {});

// The file of one worker.
std::string worker_log(const ChooseRunOptions& options, int worker);

}  // namespace copse
