// copse tree: a tree of clusters by repeated rank-2 NMF.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "apps/copse/commands/device_option.h"
#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/words.h"

namespace copse {
namespace {

constexpr const char* tree_description =
    "a topic tree of documents, or a tree of clusters of a matrix\n"
    "The input is documents if it is a folder, a .jsonl or .txt file, a table (.csv, .tsv) with a column named by "
    "--text, "
    "or the standard input; otherwise it is a matrix. --format says it where the name does not.\n\n"
    "HierNMF2: each split is a nonnegative factorization of rank 2. The leaf to split next is the one whose words "
    "divide best between its would-be children (--score mndcg, for text), or whose error falls most (--score error). "
    "Small groups that do not look like a topic are set aside as outliers, and get the nearest topic. At the "
    "end all items are fitted to the topics of the leaves, which gives each its cluster; links between them, or a "
    "vector for each, can have their say there (--links, --vectors).\n\n"
    "Prints the tree as a reader sees it: splits that belong together are one node with many children, and 1x4.2 is "
    "short for the id 1.1.1.1.2. A terminal gets a screen of it, --all prints all. With -o it also writes tree.json, "
    "assignments.tsv (topic, leaf, path and soft weights of every item), "
    "topics.tsv, partitions.tsv (the partitions with 2, 3, ... leaves), tree.newick, model.safetensors, "
    "report.html (a page that opens in any browser without a network) and result.json. Ctrl-C keeps the tree "
    "so far; a run that was stopped or killed continues with --resume.";

constexpr const char* tree_examples =
    "A topic tree of reviews in a table, with classes and time:\n"
    "  copse tree reviews.csv --text body --id key --label stars --time date -o out\n"
    "Documents from the standard input, as JSON lines:\n"
    "  zcat papers.jsonl.gz | copse tree - --leaves 60 -o out\n"
    "Forty topics of word counts, with the words' names:\n"
    "  copse tree counts.mtx.gz --text --features terms.txt --leaves 40 -o out\n"
    "Genes x patients, where there are no words:\n"
    "  copse tree genes.tsv --score error --leaves 6\n"
    "A tree that knows when to stop:\n"
    "  copse tree papers.jsonl --leaves auto -o out\n"
    "Then look closer at one node:\n"
    "  copse edit out --split 1.2 --into 4";

constexpr const char* growing = "Growing";
constexpr Index most_leaves = 300;

}  // namespace

void add_tree(Program& program) {
  auto options = std::make_shared<TreeRunOptions>();
  TreeOptions& tree = options->tree;
  auto output = std::make_shared<OutputOptions>();
  auto machine = std::make_shared<MachineOptions>();
  auto log = std::make_shared<SplitLogUse>(SplitLogUse::start);
  CLI::App& command = program.add("tree", tree_description, tree_examples,
                                  [=] { return run_tree_command(*options, *output, *machine, *log); });
  add_documents_or_matrix(command, options->input);
  add_number_or_auto(
      command, "--leaves", tree.leaves,
      [&options = *options] {
        options.auto_leaves = true;
        options.tree.leaves = most_leaves;
      },
      "Leaves to stop at; auto: split only what two topics explain better than one, judged by hidden "
      "entries and beside shuffled data, up to 300 leaves")
      ->group(growing);
  add_words(
      command, "--score", names_of<Score>(), "",
      [&options = *options](std::size_t i) { options.score = choices<Score>()[i].second; },
      "What makes a leaf worth splitting [mndcg where features have names, else error]")
      ->group(growing);
  add_choice(command, "--pick", tree.pick, "Split the leaf with the highest score, or the largest")->group(growing);
  add_number(command, "--min-score", tree.min_score, -std::numeric_limits<double>::infinity(),
             std::numeric_limits<double>::infinity(), "Split only leaves with a higher score")
      ->group(growing);
  add_number(command, "--outlier-trials", tree.outlier_trials, 0, 1000,
             "Times that a small group may be set aside before a leaf is left alone; 0: never")
      ->group(growing);
  add_number(command, "--imbalance", tree.imbalance, 1.000001, std::numeric_limits<double>::infinity(),
             "A group is small if the other has so many times its items")
      ->group(growing);
  add_choice(command, "--start", tree.start,
             "First factors of a split: from singular vectors, always the same, or random by --seed")
      ->group(growing);
  add_number(command, "--tolerance", tree.tolerance, 0.0, 1.0,
             "A split is found when the projected gradient is this share of what it is near random factors")
      ->group(growing);
  add_number(command, "--max-iterations", tree.max_iterations, 2, 1000000000, "Iterations per split at most")
      ->group(growing);
  add_number(command, "--large-share", tree.large_share, 0.0, 1.0,
             "A node with this share of all items is split even if its trials only set outliers aside")
      ->group(growing);
  add_amount(command, "--time-limit", tree.time_limit, parse_seconds, "TIME",
             "Stop after this time with the tree so far, such as 90s or 5m [none]")
      ->group(growing);
  add_seed(command, tree.seed);
  command.get_option("--seed")->group(growing);
  add_number(command, "--stability", options->stability, 0, 1000000,
             "Grow trees of so many subsamples, too: each node gets the share of its pairs that stay together")
      ->group(growing);
  command.add_flag("!--no-flat", options->flat, "Do not fit all items to the leaves' topics at the end")
      ->group(growing);
  add_joint_options(command, options->joint);
  add_output_options(command, *output);
  add_all(command, output->all);
  command
      .add_flag_callback(
          "--resume", [&log = *log] { log = SplitLogUse::resume; },
          "Continue a run into the same folder that was stopped or killed")
      ->needs("--output")
      ->group("Output");
  add_number(command, "--top", options->top, Index(1), std::numeric_limits<Index>::max(),
             "Features and items to name per node")
      ->group("Output");
  add_machine_options(command, *machine);
  add_engine(command, *machine);
  add_device(command, options->device, options->explain);
}

}  // namespace copse
