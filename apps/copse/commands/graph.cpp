// copse graph: communities of a graph, or clusters of items through their neighbour graph.
#include <memory>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run.h"
#include "apps/copse/commands/run_graph_tree.h"
#include "apps/copse/program.h"
#include "copse/base/error.h"
#include "copse/run/options.h"

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

struct GraphCall : Call<GraphRunOptions> {
  bool hierarchical = false;
  GraphTreeRunOptions tree;
};

// What a tree takes of the options of flat communities.
GraphTreeRunOptions tree_options(const GraphCall& call) {
  GraphTreeRunOptions tree = call.tree;
  const GraphClusterOptions& cluster = call.options.cluster;
  tree.input = call.options.input;
  tree.tree.tau = cluster.tau;
  tree.tree.least_component = cluster.least_component;
  tree.tree.tree.seed = cluster.seed;
  tree.tree.tree.time_limit = cluster.time_limit;
  tree.top = call.options.top;
  tree.memory_limit = call.options.memory_limit;
  return tree;
}

OptionRows flat_rows() {
  OptionRows all = without(rows<GraphRunOptions>(), {"matrix"});
  make_argument(row_of(all, "graph"), "EDGES|MATRIX")
      .means(
          "Lines \"node node [weight]\" in tabs, commas or blanks with any names, METIS (.metis, .graph), GraphML, or "
          "a "
          "square matrix of weights (.mtx, .npy, .npz); with --similarity a matrix of items; also compressed (.gz, "
          ".zst); - is stdin");
  row_of(all, "truth")
      .means(
          "The true class of each node, one per line, or lines of a node, a tab and its class: adds quality measures");
  for (const char* name : {"clusters", "start", "solver", "model", "runs", "choose", "labels", "overlap", "low_rank",
                           "alpha", "beta", "max_iterations", "tolerance"})
    row_of(all, name).not_with("hierarchical", "it is for communities that are found at once");
  return all;
}

OptionRows tree_rows() {
  RowsOf<GraphCall> all;
  all.row("hierarchical", &GraphCall::hierarchical, "Split again and again instead of finding k communities at once");
  for (const Option& row : RowsOf<GraphCall>().nest(&GraphCall::tree).done()) {
    if (row.name == "leaves" || row.name == "score" || row.name == "min_score") all.add(row).only_with("hierarchical");
  }
  all["leaves"].means("Communities at the leaves");
  all["score"]
      .means("Which leaf is split next; error: by how much better two communities fit than one")
      .otherwise("error");
  all["min_score"]
      .means("Split only leaves whose score exceeds this; with `score` error 0 stops where halves are no communities")
      .otherwise("none");
  return all.headed(0, "A tree of communities").done();
}

}  // namespace

void add_graph(Program& program) {
  auto call = std::make_shared<GraphCall>();
  call->tree.tree.tree.leaves = 20;
  Command command = program.add("graph", graph_description, graph_examples, [call] {
    return call->hierarchical ? run_graph_tree_command(tree_options(*call), call->output, call->machine)
                              : run_graph_command(call->options, call->output, call->machine);
  });
  OptionRows text = text_flag();
  text.front().only_with("similarity", "it is for the items of a matrix");
  command.add(call->options.input.items.prepare, text).add(call->options, flat_rows()).add(*call, tree_rows());
  add_output_and_machine(command, *call);
  command.then([call, command] {
    if (!call->hierarchical && !command.has("clusters"))
      throw WrongOption("clusters", "the number of communities is missing");
  });
}

}  // namespace copse
