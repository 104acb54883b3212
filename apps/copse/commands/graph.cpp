// copse graph: communities of a graph, or clusters of items through their neighbour graph.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/commands/run_graph_tree.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/words.h"
#include "copse/input/options.h"
#include "copse/methods/options.h"

namespace copse {
namespace {

constexpr const char* graph_description =
    "communities of a graph by symmetric nonnegative matrix factorization\n"
    "Takes a graph (nodes and weighted edges), or with --similarity the items of a matrix, each of which is joined to "
    "its nearest neighbours. Finds B >= 0 (nodes x k) with A ~ B B', where A are the weights divided by the roots of "
    "the nodes' degrees. Every node gets a share in each of the k communities, and one community of its own.\n\n"
    "Self-loops are dropped. A list of edges has no direction: what is listed between two nodes, in either direction, "
    "is added up. The two entries of a matrix for a pair of nodes are averaged. Pieces that are not connected with the "
    "rest and too small for a community become clusters of their own.\n\n"
    "--hierarchical splits the graph again and again into two, by rank-2 factorizations (HierSymNMF2): a tree of "
    "communities, which show, edit and report take as any other tree.\n\n"
    "Prints the communities with their central nodes. With -o it also writes result.json, assignments.tsv, "
    "communities.tsv, model.safetensors and report.html. Ctrl-C stops and keeps the best result so far (exit code "
    "130).";

constexpr const char* graph_examples =
    "Twelve communities of a graph, with quality measures, into a folder:\n"
    "  copse graph edges.tsv.gz -k 12 --truth labels.txt -o out\n"
    "Clusters of documents through the neighbour graph of their words:\n"
    "  copse graph counts.mtx.gz --similarity cosine --text -k 20\n"
    "Images in rows, each joined to its neighbours at their own scale:\n"
    "  copse graph faces.npy --items rows --similarity self-tuning -k 40 --runs 20\n"
    "A tree of communities, forty at its leaves:\n"
    "  copse graph edges.tsv --hierarchical --leaves 40 -o tree\n"
    "As in [Kuang 2014]: its scaling, a random start, its algorithm for small graphs:\n"
    "  copse graph edges.tsv -k 5 --scaling normalized-cut --start random --solver newton --max-iterations 10000";

constexpr const char* input_group = "Input";
constexpr const char* items_group = "Graph of items";
constexpr const char* communities_group = "Communities";
constexpr const char* tree_group = "A tree of communities";
constexpr const char* stopping_group = "Stopping";

void add_graph_input(CLI::App& command, GraphInputOptions& options) {
  add_matrix_input(command, options.items, "EDGES|MATRIX",
                   "Lines \"node node [weight]\" in tabs, commas or blanks with any names, METIS (.metis, .graph), "
                   "GraphML, or a square matrix of weights (.mtx, .npy, .npz); with --similarity a matrix of items; "
                   "also compressed (.gz, .zst); - is stdin");
  command.get_option("--truth")->description(
      "The true class of each node, one per line, or lines of a node, a tab and its class: adds quality measures");
  add_choice(command, "--format", options.format, "What EDGES is [by its content and name]")->group(input_group);
  command
      .add_option("--nodes", options.nodes,
                  "All nodes in the order wanted, those without edges among them; or names for nodes 0, 1, ...")
      ->type_name("FILE")
      ->group(input_group);
  add_choice(command, "--similarity", options.similarity,
             "none: EDGES is the graph. Else MATRIX has items: cosine, for counts of words; gaussian: "
             "exp(-d^2 / sigma^2); self-tuning: the same at the scale of both items")
      ->group(items_group);
  add_number(command, "--neighbours", options.neighbours, Index(0), std::numeric_limits<Index>::max(),
             "Nearest items that each is joined to; 0: floor(log2 n) + 1")
      ->group(items_group);
  add_number(command, "--sigma", options.sigma, 0.0, std::numeric_limits<double>::max(),
             "gaussian: the distance at which similarity is 1/e")
      ->group(items_group);
  add_number(command, "--scale-neighbour", options.scale_neighbour, Index(1), std::numeric_limits<Index>::max(),
             "self-tuning: the scale of an item is the distance to this neighbour")
      ->group(items_group);
}

void add_method(CLI::App& command, GraphRunOptions& options) {
  GraphClusterOptions& cluster = options.cluster;
  const auto grouped = [](CLI::Option* option) { return option->group(communities_group); };
  grouped(add_number_or_auto(
      command, "-k,--clusters", cluster.k, [&options] { options.auto_k = true; },
      "Number of communities; auto: where modularity is highest, and 1 where it is no higher than in graphs with the "
      "same degrees and random edges"));
  grouped(add_choice(command, "--model", cluster.model,
                     "symmetric: A ~ B B'; blocks: A ~ Z S Z', which also finds groups with more edges to each other "
                     "than within"));
  grouped(add_choice(command, "--start", cluster.start,
                     "multilevel: groups by moves that raise modularity, k of them; spectral: by leading eigenvectors; "
                     "random, as in the papers"));
  grouped(add_choice(command, "--solver", cluster.solver,
                     "coordinate: exact coordinate descent; hals: sweeps, extrapolated; anls, anls-growing and newton: "
                     "the algorithms of [Kuang 2014], newton for less than 3,000 nodes; projected-gradient; "
                     "gauss-newton"));
  // Two names for values of one number.
  grouped(add_words(
      command, "--scaling", {"damped", "normalized-cut"}, "damped",
      [&cluster](std::size_t i) { cluster.tau = i == 0 ? GraphClusterOptions().tau : 0; },
      "Of the weights, by degrees: damped, which keeps small loose pieces from taking communities; or D^-1/2 A D^-1/2, "
      "as in the papers"));
  grouped(add_number(command, "--tau", cluster.tau, 0.0, std::numeric_limits<double>::max(),
                     "Damping: degrees d count as d + tau mean(d)"));
  grouped(add_number(command, "--least-component", cluster.least_component, Index(-1),
                     std::numeric_limits<Index>::max(),
                     "Set aside components with fewer nodes; -1: fewer than nodes / (10 k)"));
  grouped(add_number(command, "--runs", cluster.runs, 1, 1000000, "Starts to try; see --choose"));
  grouped(add_choice(command, "--choose", cluster.choice, "Which of the runs is kept"));
  grouped(add_choice(command, "--labels", cluster.labels,
                     "better: the partition of the start or of the factor, whichever has the higher modularity; "
                     "factor: the largest membership of every node"));
  grouped(add_number(command, "--overlap", options.overlap, 0.0, 1.0,
                     "A node belongs to every community where its share is at least this"));
  grouped(
      add_number(command, "--low-rank", cluster.low_rank, Index(0), std::numeric_limits<Index>::max(),
                 "Factorize a randomized approximation of this rank first, which pays for dense graphs; 0: do not"));
  grouped(add_number(command, "--alpha", cluster.alpha, 0.0, std::numeric_limits<double>::max(),
                     "anls, hals: weight of |C - B|^2"));
  grouped(add_number(command, "--beta", cluster.beta, 0.0, std::numeric_limits<double>::max(),
                     "anls, hals: weight of the squared row sums of B, which makes memberships sparse"));
  add_seed(command, cluster.seed);
  command.get_option("--seed")->group(communities_group);
}

void add_stopping(CLI::App& command, GraphClusterOptions& options) {
  add_number(command, "--max-iterations", options.max_iterations, 1, std::numeric_limits<int>::max(),
             "At most so many iterations of a run")
      ->group(stopping_group);
  add_number(command, "--tolerance", options.tolerance, 0.0, 1.0,
             "Stop when the norm of the projected gradient is at most this times that of a random start")
      ->group(stopping_group);
  add_amount(command, "--time-limit", options.time_limit, parse_seconds, "TIME",
             "Stop after this time with the best result so far, such as 90s or 5m [none]")
      ->group(stopping_group);
}

// What a tree takes of the options of flat communities.
GraphTreeRunOptions tree_options(const GraphRunOptions& options, const GraphTreeRunOptions& given) {
  GraphTreeRunOptions tree = given;
  tree.input = options.input;
  tree.tree.tau = options.cluster.tau;
  tree.tree.least_component = options.cluster.least_component;
  tree.tree.tree.seed = options.cluster.seed;
  tree.tree.tree.time_limit = options.cluster.time_limit;
  tree.top = options.top;
  return tree;
}

void add_tree_options(CLI::App& command, bool& hierarchical, GraphTreeRunOptions& options) {
  TreeOptions& tree = options.tree.tree;
  command.add_flag("--hierarchical", hierarchical, "Split again and again instead of finding k communities at once")
      ->group(tree_group);
  add_number(command, "--leaves", tree.leaves, Index(1), std::numeric_limits<Index>::max(), "Communities at the leaves")
      ->group(tree_group);
  add_choice(command, "--score", tree.score,
             "Which leaf is split next; error: by how much better two communities fit than one")
      ->group(tree_group);
  add_number(command, "--min-score", tree.min_score, -std::numeric_limits<double>::max(),
             std::numeric_limits<double>::max(),
             "Split only leaves whose score exceeds this; with --score error 0 stops where halves are no communities "
             "[none]")
      ->group(tree_group);
}

}  // namespace

void add_graph(Program& program) {
  auto options = std::make_shared<GraphRunOptions>();
  auto output = std::make_shared<OutputOptions>();
  auto machine = std::make_shared<MachineOptions>();
  auto hierarchical = std::make_shared<bool>(false);
  auto tree = std::make_shared<GraphTreeRunOptions>();
  tree->tree.tree.leaves = 20;
  CLI::App& command = program.add("graph", graph_description, graph_examples, [=] {
    return *hierarchical ? run_graph_tree_command(tree_options(*options, *tree), *output, *machine)
                         : run_graph_command(*options, *output, *machine);
  });
  CLI::App* parsed = &command;
  command.parse_complete_callback([options, parsed, hierarchical] {
    const GraphInputOptions& input = options->input;
    const auto given = [&](const char* name) { return parsed->count(name) > 0; };
    const auto refuse = [](const char* option, const char* why) { throw CLI::ValidationError(option, why); };
    if (!*hierarchical && !given("--clusters")) refuse("-k", "the number of communities is missing");
    for (const char* name : {"--clusters", "--start", "--solver", "--model", "--runs", "--choose", "--labels",
                             "--overlap", "--low-rank", "--alpha", "--beta", "--max-iterations", "--tolerance"}) {
      if (*hierarchical && given(name)) refuse(name, "it does not go with --hierarchical");
    }
    for (const char* name : {"--leaves", "--score", "--min-score"}) {
      if (!*hierarchical && given(name)) refuse(name, "it goes with --hierarchical");
    }
    if (input.similarity == ItemSimilarity::gaussian && !(input.sigma > 0))
      refuse("--similarity", "gaussian needs a --sigma above zero");
    if (given("--sigma") && input.similarity != ItemSimilarity::gaussian)
      refuse("--sigma", "it goes with --similarity gaussian");
    if (given("--scale-neighbour") && input.similarity != ItemSimilarity::self_tuning)
      refuse("--scale-neighbour", "it goes with --similarity self-tuning");
    if (!input.has_items()) {
      for (const char* name :
           {"--neighbours", "--items", "--features", "--text", "--weights", "--scale", "--min-count", "--min-words",
            "--unit-columns", "--normalized-cut", "--drop-empty", "--drop-duplicates"}) {
        if (given(name)) refuse(name, "it is for the items of a matrix, and --similarity says how they make a graph");
      }
    } else {
      if (given("--format")) refuse("--format", "it is for a graph, and --similarity takes a matrix");
      if (given("--nodes")) refuse("--nodes", "it is for a graph; --item-names names the items of a matrix");
    }
  });
  add_text_flag(command, options->input.items.prepare);
  add_graph_input(command, options->input);
  add_method(command, *options);
  add_tree_options(command, *hierarchical, *tree);
  add_stopping(command, options->cluster);
  add_output_options(command, *output);
  add_number(command, "--top", options->top, Index(1), std::numeric_limits<Index>::max(),
             "Central nodes to show and write per community")
      ->group("Output");
  add_machine_options(command, *machine);
}

}  // namespace copse
