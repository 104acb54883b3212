// copse choose: how many clusters, and how sure.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <memory>

#include "apps/copse/commands/by_hand.h"
#include "apps/copse/commands/range.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/commands/sparse_options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/words.h"
#include "copse/run/survey_method.h"

namespace copse {
namespace {

constexpr const char* choose_description =
    "how many clusters there are, and how sure that is\n"
    "Fits every k of a range many times: to halves of the items, which predict each other; to halves of data without "
    "clusters; to samples of the items; to data with hidden entries; from several starts. Each measure has a choice of "
    "its own, and the verdict says how many clusters come back beyond chance, what else is possible, and whether "
    "there are clusters at all.\n\n"
    "Stability tells how many groups can be told apart (--for clusters); the error of hidden entries tells how many "
    "components the data needs (--for components). These may be different numbers.\n\n"
    "The clusters are those of NMF, or of another method (--method): a tree with k leaves, K-means and its kin, or "
    "SymNMF of the items' nearest neighbours. New items find the leaf, the nearest centre or the neighbours' "
    "cluster.\n\n"
    "Prints a table of all measures and the verdict. With -o it also writes survey.tsv, and the clusters of the chosen "
    "k as `factor` or the command of the method would. Every finished run is kept: Ctrl-C gives the verdict so far, a "
    "killed run continues with "
    "--resume, and more --runs can be added later.";

constexpr const char* choose_examples =
    "Genes x patients, two to eight groups, with a baseline:\n"
    "  copse choose genes.tsv -k 2:8 --affine -o out\n"
    "Mutational signatures: how many components the counts need:\n"
    "  copse choose counts.tsv -k 1:10 --for components -o out\n"
    "Documents: how many leaves of a tree, or clusters of spherical K-means, come back:\n"
    "  copse choose papers.jsonl -k 2:20 --method tree -o out\n"
    "  copse choose papers.jsonl -k 2:20 --method spherical-kmeans -o out\n"
    "More runs of the same survey:\n"
    "  copse choose genes.tsv -k 2:8 --affine --runs 200 --resume -o out\n"
    "Three machines that share a disk, then the verdict:\n"
    "  copse choose genes.tsv -k 2:8 --worker 1/3 -o out     # and 2/3, 3/3\n"
    "  copse choose genes.tsv -k 2:8 --resume -o out";

constexpr const char* survey_group = "Survey";
constexpr const char* factorization_group = "Factorization";
constexpr const char* of_factors[] = {"--solver", "--affine", "--tolerance", "--max-iterations",
                                      "--hide",   "--sparse", "--sparse-w",  "--consensus"};

void parse_worker(const std::string& text, ChooseRunOptions& options) {
  const auto parts = split(text, '/');
  if (parts.size() == 2) {
    options.worker = static_cast<int>(std::min<Index>(parse_index("--worker", parts[0], text), 100000));
    options.workers = static_cast<int>(std::min<Index>(parse_index("--worker", parts[1], text), 100000));
    if (options.worker <= options.workers) return;
  }
  throw CLI::ValidationError("--worker", "'" + text + "' is not I/N with I from 1 to N");
}

// What does not go together.
void check(const CLI::App& command, const ChooseRunOptions& options) {
  if (options.method->traits.factors) return;
  const std::string& factors = default_method("factor").name;
  for (const char* name : of_factors) {
    if (command.count(name) > 0) throw CLI::ValidationError(name, "it is for --method " + factors);
  }
  if (options.question == Question::components)
    throw CLI::ValidationError("--for",
                               "components are told by hidden entries, which only --method " + factors + " foretells");
}

}  // namespace

void add_choose(Program& program) {
  auto options = std::make_shared<ChooseRunOptions>();
  auto output = std::make_shared<OutputOptions>();
  auto machine = std::make_shared<MachineOptions>();
  options->flat.command = "choose";
  options->flat.nmf.tolerance = tolerance_by_data;
  auto exact_runs = std::make_shared<int>(0);  // 0: until the verdict is settled
  CLI::App& command = program
                          .add("choose", choose_description, choose_examples,
                               [=] {
                                 options->until_settled = *exact_runs == 0;
                                 if (*exact_runs > 0) options->survey.runs = *exact_runs;
                                 return run_choose_command(*options, *output, *machine);
                               })
                          .app();
  NmfOptions& nmf = options->flat.nmf;
  SurveyOptions& survey = options->survey;
  CLI::App* parsed = &command;
  add_documents_or_matrix(command, options->flat.input, [options, parsed] { check(*parsed, *options); });
  command
      .add_option_function<std::string>(
          "-k,--clusters", [&survey](const std::string& text) { survey.ks = parse_range(text); },
          "Numbers of clusters to look at: first:last, first:last:step, or a list")
      ->type_name("RANGE")
      ->required()
      ->group(survey_group);
  command
      .add_flag(
          "--search", options->search,
          "The range is a grid, such as 5:100:5: look closer around the best of it until its neighbours are there")
      ->group(survey_group);
  add_choice(command, "--for", options->question, "What is counted: groups of items, or components that the data needs")
      ->group(survey_group);
  const std::vector<const Method*> fitted = survey_methods();
  add_words(
      command, "--method", names_of(fitted), options->method->name,
      [&options = *options, fitted](std::size_t i) { options.method = fitted[i]; },
      "What is fitted, as compare calls it; only of a factorization entries are hidden")
      ->group(survey_group);
  add_number(command, "--most-runs", survey.runs, 1, 1000000,
             "Runs of each kind for every k, at most: 10, and 5 more at a time until the verdict is settled")
      ->group(survey_group);
  add_number(command, "--runs", *exact_runs, 1, 1000000,
             "Just so many; at most 10 are starts, and with --for clusters 10 with hidden entries")
      ->excludes("--most-runs")
      ->group(survey_group);
  add_choice(
      command, "--null", survey.null,
      "Data without clusters: uniform in the box of the principal components [Kuang 2014], or the data with each "
      "feature shuffled; automatic: box for dense data, which must stand above both, shuffled for sparse data")
      ->group(survey_group);
  add_choice(command, "--average", options->average, "Of the runs")->group(survey_group);
  add_number(command, "--most-items", survey.most_items, Index(0), Index(1) << 40,
             "Items that the runs look at: of more, a sample; 0: all. The clusters at the end are those of all items")
      ->group(survey_group);
  add_number(command, "--resample", survey.resample_share, 0.01, 1.0, "Share of these in each resampled run")
      ->group(survey_group);
  add_number(command, "--hide", survey.hidden_share, 0.0001, 0.5,
             "Share of the entries that are hidden, at most: a million tell enough")
      ->group(survey_group);
  command
      .add_flag(
          "--all-measures", options->all_measures,
          "Also the gap statistic, bi-cross-validation and the perturbation test of NMFk [Nebgen et al. 2021], which "
          "take as long again, and more than 10 starts")
      ->group(survey_group);
  add_amount(command, "--time-limit", options->time_limit, parse_seconds, "TIME",
             "Stop after this time with the verdict so far, such as 90s or 5m [none]")
      ->group(survey_group);
  add_seed(command, survey.seed);
  command.get_option("--seed")->group(survey_group);
  add_choice(command, "--solver", nmf.solver, "How each fit is made")->group(factorization_group);
  command.add_flag("--affine", nmf.affine, "X ~ w0 1' + W H: a nonnegative baseline w0 that all items share")
      ->group(factorization_group);
  add_sparse_options(command, options->flat, factorization_group);
  add_number(command, "--tolerance", nmf.tolerance, 0.0, 1.0,
             "A fit ends when its projected gradient is so small [0.001; 0.0001 for dense data]")
      ->group(factorization_group);
  add_number(command, "--max-iterations", nmf.max_iterations, 1, 1000000000, "Iterations per fit at most")
      ->group(factorization_group);
  add_consensus(command, options->flat.consensus);
  for (const char* name : {"--consensus", "--consensus-distance"})
    command.get_option(name)->group("The clusters at the end");
  add_output_options(command, *output);
  command
      .add_flag("--resume", options->resume, "Take up the runs that an earlier call, or workers, left in this folder")
      ->needs("--output")
      ->group("Output");
  command
      .add_option_function<std::string>(
          "--worker", [&options = *options](const std::string& text) { parse_worker(text, options); },
          "Do every N-th run, beginning with the I-th, and write no result: for several processes at once")
      ->type_name("I/N")
      ->needs("--output")
      ->excludes("--resume")
      ->group("Output");
  add_machine_options(command, *machine);
}

}  // namespace copse
