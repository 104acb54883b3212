// What a survey with its clusters is asked for, and what it gives.
#pragma once

#include <limits>
#include <optional>
#include <string>

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

// Flat for nmf and methods with centres, and for a worker.
using ChooseResult = AnyResult;

}  // namespace copse
