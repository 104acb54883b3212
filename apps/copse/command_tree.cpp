// copse tree: a tree of clusters by repeated rank-2 NMF.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "apps/copse/program.h"
#include "apps/copse/tree_run.h"

namespace copse {
namespace {

constexpr const char* description =
    "a tree of clusters, splitting the most promising one again and again\n"
    "HierNMF2: each split is a nonnegative factorization of rank 2. The leaf to split next is the one whose words "
    "divide best between its would-be children (--score mndcg, for text), or whose error falls most (--score error). "
    "Small groups that do not look like a topic are set aside as outliers.\n\n"
    "Prints the tree. With -o it also writes tree.json, assignments.tsv (leaf, path and soft weights of every item), "
    "topics.tsv, partitions.tsv (the partitions with 2, 3, ... leaves), tree.newick, model.safetensors and "
    "result.json. A run that was killed continues with --resume.";

constexpr const char* examples =
    "Forty topics of word counts, with the words' names:\n"
    "  copse tree counts.mtx.gz --text --features terms.txt --leaves 40 -o out\n"
    "Genes x patients, where there are no words:\n"
    "  copse tree genes.tsv --score error --leaves 6\n"
    "Then look closer at one node:\n"
    "  copse edit out --split 1.2 --into 4";

constexpr const char* growing = "Growing";

}  // namespace

void add_tree(Program& program) {
  auto options = std::make_shared<TreeRunOptions>();
  TreeOptions& tree = options->tree;
  tree.leaves = 20;
  CLI::App& command = program.add("tree", description, examples, [options] { return run_tree(*options); });
  add_matrix_input(command, options->input);
  add_number(command, "--leaves", tree.leaves, Index(1), std::numeric_limits<Index>::max(), "Leaves to stop at")
      ->group(growing);
  std::vector<std::string> scores;
  for (const auto& [name, score] : score_choices()) scores.push_back(name);
  add_words(
      command, "--score", scores, "",
      [&options = *options](std::size_t i) { options.score = score_choices()[i].second; },
      "What makes a leaf worth splitting [mndcg where features have names, else error]")
      ->group(growing);
  add_choice(command, "--pick", tree.pick, pick_choices(), "Split the leaf with the highest score, or the largest")
      ->group(growing);
  add_number(command, "--min-score", tree.min_score, -std::numeric_limits<double>::infinity(),
             std::numeric_limits<double>::infinity(), "Split only leaves with a higher score")
      ->group(growing);
  add_number(command, "--outlier-trials", tree.outlier_trials, 0, 1000,
             "Times that a small group may be set aside before a leaf is left alone; 0: never")
      ->group(growing);
  add_number(command, "--imbalance", tree.imbalance, 1.000001, std::numeric_limits<double>::infinity(),
             "A group is small if the other has so many times its items")
      ->group(growing);
  add_number(command, "--tolerance", tree.tolerance, 0.0, 1.0,
             "A split is found when the projected gradient is this share of its first value")
      ->group(growing);
  add_number(command, "--max-iterations", tree.max_iterations, 2, 1000000000, "Iterations per split at most")
      ->group(growing);
  add_seed(command, tree.seed);
  command.get_option("--seed")->group(growing);
  command.add_flag("!--no-flat", options->flat, "Do not fit all items to the leaves' topics at the end")
      ->group(growing);
  command.add_flag("--resume", options->resume, "Continue a run into the same folder that was killed")->group("Output");
  add_output_options(command, options->output);
  add_number(command, "--top", options->top, Index(1), std::numeric_limits<Index>::max(),
             "Features and items to name per node")
      ->group("Output");
  add_machine_options(command, options->machine);
}

}  // namespace copse
