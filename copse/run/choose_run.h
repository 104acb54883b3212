// How many clusters, from files to a verdict: a survey whose runs are kept, and the clusters of the k that it chose.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "copse/choose/survey.h"
#include "copse/describe/result.h"
#include "copse/methods/method.h"
#include "copse/run/flat_run.h"
#include "copse/run/graph_run.h"

namespace copse {

// For FlatRunOptions::nmf.tolerance of a survey. Labels of sparse data settle early, and 1e-3 will do. Dense data,
// whose items have much in common, comes to rest slowly, and has 1e-4.
inline constexpr double tolerance_by_data = -1;

struct ChooseRunOptions {
  // One of survey_methods(). Those that are no factorization answer Question::clusters only: they cannot foretell
  // hidden entries.
  const Method* method = &default_method("factor");
  // Input and, of nmf, how it is fitted; its rank is chosen. Where no start is asked for, the survey's fits begin at
  // random: where all items have much in common, many W explain them alike, and those that a start from a sample leads
  // to tell clusters apart less well (bench/results/choosing.md).
  FlatRunOptions flat;
  SurveyOptions survey;
  // survey.runs is the most: the survey ends with 10, 15, ... runs as soon as the verdict is settled
  // (choose/verdict.h). Workers make all.
  bool until_settled = false;
  // The gap statistic, bi-cross-validation and the perturbation test, too, and as many starts as other runs.
  bool all_measures = false;
  Average average = Average::median;
  Question question = Question::clusters;
  // survey.ks is a grid: when its runs have ended, numbers halfway to the neighbours of the verdict join, again and
  // again until the neighbours are there. Workers do the grid only.
  bool search = false;
  std::optional<double> final_tolerance = {};  // of the fit with the chosen k; none: that of the survey's fits
  double time_limit = std::numeric_limits<double>::infinity();  // seconds, of the survey
  // The file where finished runs are kept, and whether those of an earlier call count; empty: they are not kept. Worker
  // i of n does every n-th run and keeps them in the file whose name is worker_logs and i. Who is no worker and resumes
  // takes up the files of all workers.
  std::string run_log;
  std::string worker_logs;
  bool resume = false;
  int worker = 0;   // 1 ... workers
  int workers = 0;  // 0: no workers
};

// Those that give labels of items, and tell the clusters of others.
std::vector<const Method*> survey_methods();
// Throws InvalidArgument for a name that is none of theirs.
const Method& survey_method(const std::string& name);

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

// Flat for nmf and methods with centres, and for a worker.
using ChooseResult = AnyResult;

// The result is that of run_flat(), run_cluster(), run_tree() or run_graph() with the k of the verdict, and its report
// has the survey. Of a worker it is empty, with the survey of what is there. Throws as those and run_survey() do.
template <class T>
ChooseResult run_choose(ChooseRunOptions options, const RunEvents& events = {});

// The file of one worker.
std::string worker_log(const ChooseRunOptions& options, int worker);

}  // namespace copse
