// Kuang's thesis, tables 12 and 13: how often measures find the number of clusters in simulated gene expression, ours
// beside theirs, the verdict beside all measures, and how often a verdict that calls itself so sure is right.
// ./run bench paper/choosing [affine|standard] [REPETITIONS] [RUNS] [SECONDS] [TOLERANCE]: goes on where an earlier
// call stopped and prints what is there; stops after so many seconds of CPU; fits end at this tolerance. ./run bench
// paper/choosing figures [RUNS]: figures 12 and 13, one Gaussian. ./run bench paper/choosing gps [affine|standard]
// [REPETITIONS] [RUNS] [SECONDS] [LARGEST]: tables 12 (d) and 13 (d) where outliers are uniform between 0 and LARGEST,
// on data sets of other seeds.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/generate/gene_expression.h"
#include "copse/run/choose_run.h"

namespace copse {
namespace {

constexpr std::array deviations{0.25, 0.3, 0.35, 0.4, 0.45, 0.5};
using Table = std::array<std::array<double, 6>, 6>;

struct Printed {
  const char* measure;  // as the verdict names it
  const char* title;
  Table standard, affine;  // theirs, tables 12 and 13
};
const std::array<Printed, 4> printed{{{"cophenetic of starts",
                                       "(a) cophenetic correlation, random starts",
                                       {{{0, 1, .4, .8, 1, .7},
                                         {0, 1, .4, .6, .9, 1},
                                         {0, 1, .3, .8, 1, 1},
                                         {0, 1, .2, .4, .5, .9},
                                         {0, 1, .1, .1, .5, .6},
                                         {0, 1, 0, 0, .5, .4}}},
                                       {{{0, 1, .9, .7, .3, .1},
                                         {0, 1, .9, .6, .8, .3},
                                         {0, 1, 1, .5, .4, .3},
                                         {0, 1, .9, .7, .4, .4},
                                         {0, .9, .9, .6, .4, .4},
                                         {0, 1, .6, .3, .3, .2}}}},
                                      {"cophenetic",
                                       "(b) cophenetic correlation, random samples",
                                       {{{0, 1, .7, 1, 1, .9},
                                         {0, 1, .9, .9, 1, 1},
                                         {0, 1, .8, 1, .9, 1},
                                         {0, 1, .5, .8, .9, 1},
                                         {0, 1, .4, .6, 1, .9},
                                         {0, 1, .2, .5, .9, .4}}},
                                       {{{0, 1, 1, .8, 1, 1},
                                         {0, 1, 1, .9, .9, 1},
                                         {0, 1, 1, 1, 1, 1},
                                         {0, 1, 1, 1, .9, .9},
                                         {0, 1, 1, 1, 1, .9},
                                         {0, 1, .9, 1, .9, .7}}}},
                                      {"gap",
                                       "(c) gap statistic",
                                       {{{.3, .3, .3, .4, .4, .8},
                                         {.5, .1, .4, .5, .7, .8},
                                         {.2, .5, .4, .6, .8, .8},
                                         {.4, .2, .3, .3, .6, .8},
                                         {.3, .2, .2, .4, .8, .7},
                                         {.3, .2, .3, .1, .7, .6}}},
                                       {{{.2, .5, .8, .8, .8, .9},
                                         {.3, .6, .7, 1, .6, .8},
                                         {0, .3, .7, .2, .9, .8},
                                         {.4, .1, .5, .5, .5, .8},
                                         {.5, 0, .3, .2, .5, .7},
                                         {.3, .1, 0, .2, .9, .7}}}},
                                      {"gps",
                                       "(d) gap of prediction strength",
                                       {{{.2, 1, 1, 1, 1, 1},
                                         {.1, 1, 1, 1, 1, 1},
                                         {.1, 1, 1, 1, 1, 1},
                                         {.3, 1, .9, 1, 1, 1},
                                         {.2, 1, .9, 1, 1, .7},
                                         {.3, 1, .9, .9, .7, .4}}},
                                       {{{1, .9, 1, 1, 1, 1},
                                         {.9, 1, 1, 1, 1, 1},
                                         {1, 1, 1, 1, 1, 1},
                                         {.9, 1, 1, 1, 1, 1},
                                         {1, 1, 1, 1, 1, .7},
                                         {.9, 1, 1, 1, .8, .3}}}}}};

struct Cell {
  int right = 0, made = 0;
};

struct Job {
  bool affine = true;
  int repetitions = 3, runs = 20;
  double seconds = 1e9;  // of CPU
  double tolerance = tolerance_by_data;
  double largest_outlier = 0;  // above 0: GPS only
};

// The survey of one simulated data set; nothing where it is not complete and there is no time left.
std::optional<SurveyReport> survey_of(std::size_t s, Index k, int repetition, const Job& job, bool may_run) {
  const bool gps_only = job.largest_outlier > 0;
  const auto seed = static_cast<std::uint64_t>((gps_only ? 900000 : 0) + 1000 * repetition + 10 * k) + s;
  const auto planted = generate_gene_expression<float>(
      {.k = k, .deviation = deviations[s], .largest_outlier = job.largest_outlier, .seed = seed});
  ChooseRunOptions options;
  options.survey.ks = {1, 2, 3, 4, 5, 6, 7};
  options.survey.kinds = {RunKind::split, RunKind::null_split};
  if (!gps_only) {
    options.survey.kinds.insert(options.survey.kinds.end(), {RunKind::shuffled_split, RunKind::resample, RunKind::start,
                                                             RunKind::gap, RunKind::null_gap});
  }
  options.survey.runs = job.runs;
  options.survey.seed = seed;
  options.flat.nmf.affine = job.affine;
  options.flat.nmf.tolerance = job.tolerance;
  options.average = Average::mean;
  const std::filesystem::path folder = "build/bench_data/choosing";
  std::filesystem::create_directories(folder);
  char name[100];
  const int end = std::snprintf(name, sizeof name, "%s_%d_%d_%d", job.affine ? "affine" : "standard",
                                static_cast<int>(s), static_cast<int>(k), repetition);
  if (job.tolerance != tolerance_by_data) std::snprintf(name + end, sizeof name - end, "_%g", job.tolerance);
  if (gps_only) std::snprintf(name + end, sizeof name - end, "_outliers_%g", job.largest_outlier);
  options.run_log = folder / name;
  options.resume = std::filesystem::exists(options.run_log);
  if (!options.resume && !may_run) return {};
  options.time_limit = may_run ? std::numeric_limits<double>::infinity() : 0;
  SurveyOutcome outcome = run_survey(planted.data, options);
  if (outcome.report.done < outcome.report.planned) return {};
  return std::move(outcome.report);
}

void print_table(const std::string& title, const std::map<std::pair<std::size_t, Index>, Cell>& cells,
                 const Table* theirs) {
  std::printf("\n%s: right, ours%s\n\n| sigma | K = 1 | 2 | 3 | 4 | 5 | 6 | sum |\n", title.c_str(),
              theirs != nullptr ? " / theirs" : "");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (std::size_t s = 0; s < deviations.size(); ++s) {
    std::printf("| %.2f |", deviations[s]);
    double own_sum = 0, their_sum = 0;
    for (Index k = 1; k <= 6; ++k) {
      const auto found = cells.find({s, k});
      const bool known = found != cells.end() && found->second.made > 0;
      const double own = known ? static_cast<double>(found->second.right) / found->second.made : 0;
      own_sum += own;
      std::printf(known ? " %.2f" : " -", own);
      if (theirs != nullptr) {
        their_sum += (*theirs)[s][static_cast<std::size_t>(k - 1)];
        std::printf(" / %.1f", (*theirs)[s][static_cast<std::size_t>(k - 1)]);
      }
      std::printf(" |");
    }
    std::printf(" %.2f", own_sum);
    if (theirs != nullptr) std::printf(" / %.1f", their_sum);
    std::printf(" |\n");
  }
}

// Items of one Gaussian, all entries above zero. Standard NMF, as in the figures.
void figures(int runs) {
  std::printf(
      "| one Gaussian, 200 items | k | cophenetic, starts | dispersion, starts | cophenetic, samples | dispersion, "
      "samples | strength | box | shuffled | verdict |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Index features : {Index(2), Index(2000)}) {
    Matrix<float> items(200, features);
    Random random(1);
    for (float& value : items.values()) value = static_cast<float>(std::max(0.0, 5 + random.normal()));
    ChooseRunOptions options;
    options.survey.ks = features == 2 ? std::vector<Index>{2} : std::vector<Index>{2, 3, 4};
    options.survey.kinds = {RunKind::split, RunKind::null_split, RunKind::shuffled_split, RunKind::resample,
                            RunKind::start};
    options.survey.runs = runs;
    options.average = Average::mean;
    const SurveyReport report = run_survey(Dataset<float>{.values = std::move(items)}, options).report;
    for (const SurveyRow& row : report.table.rows) {
      std::printf("| %d features | %d | %.3f | %.3f | %.3f | %.3f | %.2f | %.2f | %.2f | %d |\n",
                  static_cast<int>(features), static_cast<int>(row.k), row.started->cophenetic, row.started->dispersion,
                  row.resampled->cophenetic, row.resampled->dispersion, row.strength->centre, row.null_strength->centre,
                  row.shuffled_strength->centre, static_cast<int>(report.verdict.k));
    }
    for (const Choice& choice : report.verdict.choices)
      std::printf("%s says %d; ", choice.measure.c_str(), static_cast<int>(choice.k));
    std::printf("\n");
  }
}

void run(const Job& job) {
  std::map<std::string, std::map<std::pair<std::size_t, Index>, Cell>> cells;
  std::map<int, Cell> calibration;
  std::map<Index, Cell> by_k;
  int surveys = 0, within = 0;
  for (int repetition = 0; repetition < job.repetitions; ++repetition) {
    for (std::size_t s = 0; s < deviations.size(); ++s) {
      for (Index k = 1; k <= 6; ++k) {
        const bool may_run = static_cast<double>(std::clock()) / CLOCKS_PER_SEC < job.seconds;
        const auto report = survey_of(s, k, repetition, job, may_run);
        if (!report) continue;
        const auto count = [&](const std::string& measure, Index chosen) {
          Cell& cell = cells[measure][{s, k}];
          ++cell.made;
          cell.right += chosen == k;
        };
        for (const Choice& choice : report->verdict.choices) count(choice.measure, choice.k);
        count("verdict", report->verdict.k);
        Cell& bin = calibration[static_cast<int>(report->verdict.sure * 10 + 1e-9)];
        ++bin.made;
        bin.right += report->verdict.k == k;
        ++surveys;
        within +=
            report->verdict.k == k || std::ranges::find(report->verdict.possible, k) != report->verdict.possible.end();
      }
    }
  }
  std::printf("%s NMF, %d surveys, %d runs of each kind\n", job.affine ? "affine" : "standard", surveys, job.runs);
  const bool gps_only = job.largest_outlier > 0;
  for (const Printed& theirs : printed) {
    if (!gps_only || std::string(theirs.measure) == "gps")
      print_table(theirs.title, cells[theirs.measure], job.affine ? &theirs.affine : &theirs.standard);
  }
  if (gps_only) return;
  for (const char* own : {"both nulls", "dispersion", "verdict"}) print_table(own, cells[own], nullptr);
  std::printf("\nThe verdict's confidence\n\n| says | surveys | right |\n| --- | --- | --- |\n");
  for (const auto& [tenth, bin] : calibration)
    std::printf("| %d - %d %% | %d | %.0f %% |\n", tenth * 10, std::min(100, tenth * 10 + 10), bin.made,
                100.0 * bin.right / bin.made);
  std::printf("\nThe planted number is the verdict or among what it calls possible in %d of %d.\n", within, surveys);
}

}  // namespace
}  // namespace copse

int main(int count, char** arguments) {
  if (count > 1 && std::string(arguments[1]) == "figures") {
    copse::with_threads(1, nullptr, [&] { copse::figures(count > 2 ? std::atoi(arguments[2]) : 50); });
    return 0;
  }
  copse::Job job;
  const bool gps_only = count > 1 && std::string(arguments[1]) == "gps";
  if (gps_only) --count, ++arguments, job.largest_outlier = 3;
  job.affine = count < 2 || std::string(arguments[1]) != "standard";
  if (count > 2) job.repetitions = std::atoi(arguments[2]);
  if (count > 3) job.runs = std::atoi(arguments[3]);
  if (count > 4) job.seconds = std::atof(arguments[4]);
  if (count > 5) (gps_only ? job.largest_outlier : job.tolerance) = std::atof(arguments[5]);
  copse::with_threads(1, nullptr, [&] { copse::run(job); });
}
