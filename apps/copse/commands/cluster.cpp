// copse cluster: the methods that the papers compare with.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/commands/run_cluster.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/words.h"
#include "copse/methods/choices.h"

namespace copse {
namespace {

constexpr const char* description =
    "clusters of documents, a matrix or a graph by other methods than NMF\n"
    "K-means and its kin, spectral clustering, and what else the papers compare with (--method). The result is one "
    "like "
    "any other: show, assign, report and evaluate take it.\n\n"
    "kmeans and spherical-kmeans move centres in batches, then items one by one; bisecting splits the cluster whose "
    "split gains most (CLUTO's I2); hierarchical-kmeans grows a tree as HierNMF2 does. kernel-kmeans, spectral (Ng, "
    "Jordan & Weiss), yu-shi and cluster-qr read a graph: that of the items' nearest neighbours, or with --graph the "
    "graph that is given. lda and anchors model counts of words; xray and hottopixx express all words by a few; "
    "affinity-propagation finds items that stand for others; gnmf factors items and their neighbours.\n\n"
    "An item's weight tells where it lies between the two nearest centres: 1 at its own, a half midway. Prints the "
    "clusters with their best features. With -o it also writes result.json, assignments.tsv, topics.tsv, "
    "model.safetensors and report.html. Ctrl-C keeps the best result so far (exit code 130).";

constexpr const char* examples =
    "Twenty clusters of a matrix of word counts by direction:\n"
    "  copse cluster X.npz --text -k 20 --method spherical-kmeans -o out\n"
    "Documents through the graph of their neighbours:\n"
    "  copse cluster mails/ -k 20 --method spectral -o out\n"
    "Communities of a graph by its normalized cut, the best of ten starts:\n"
    "  copse cluster edges.tsv --graph -k 12 --method kernel-kmeans --runs 10\n"
    "New documents into the same clusters:\n"
    "  copse assign out new.jsonl";

constexpr const char* method_group = "Method";

// What does not go together.
void check(const CLI::App& command, ClusterRunOptions& options) {
  const auto given = [&](const char* name) { return command.count(name) > 0; };
  const bool reads_graph = traits_of(options.method.method).from_graph;
  if (options.is_graph && !reads_graph)
    throw CLI::ValidationError("--graph", name_of(options.method.method) + " reads items, not a graph");
  for (const char* name : {"--similarity", "--neighbours", "--sigma"}) {
    if (given(name) && (options.is_graph || !reads_graph))
      throw CLI::ValidationError(name, "it is for methods that read the neighbour graph of items");
  }
  const auto belongs = [&](const char* name, ClusterMethod method) {
    if (given(name) && options.method.method != method)
      throw CLI::ValidationError(name, "it is for --method " + name_of(method));
  };
  belongs("--keep-prior", ClusterMethod::lda);
  belongs("--selection", ClusterMethod::xray);
  belongs("--graph-weight", ClusterMethod::gnmf);
  belongs("--preference", ClusterMethod::affinity_propagation);
  if (options.input.similarity == ItemSimilarity::gaussian && !(options.input.sigma > 0))
    throw CLI::ValidationError("--similarity", "gaussian needs a --sigma above zero");
  if (options.is_graph) options.input.items.documents.reset();
}

}  // namespace

void add_cluster(Program& program) {
  auto options = std::make_shared<ClusterRunOptions>();
  auto output = std::make_shared<OutputOptions>();
  auto machine = std::make_shared<MachineOptions>();
  CLI::App& command =
      program.add("cluster", description, examples, [=] { return run_cluster_command(*options, *output, *machine); });
  CLI::App* parsed = &command;
  add_documents_or_matrix(command, options->input.items, [options, parsed] { check(*parsed, *options); });
  MethodOptions& method = options->method;
  const auto grouped = [](CLI::Option* option) { return option->group(method_group); };
  grouped(
      add_number(command, "-k,--clusters", method.k, Index(1), std::numeric_limits<Index>::max(), "Number of clusters"))
      ->required();
  grouped(add_choice(command, "--method", method.method, "How clusters are found"));
  grouped(add_number(command, "--runs", method.runs, 1, 1000000,
                     "Starts to try; the one with the best objective is kept, never by --truth"));
  grouped(add_choice(command, "--start", method.start,
                     "K-means: first centres that are spread out, or items at random; kernel-kmeans: nodes that are no "
                     "neighbours, or any"));
  grouped(command.add_flag(
      "--batch-only", [&method](std::int64_t) { method.online = false; },
      "K-means and kernel-kmeans: no moves of single items after the batches"));
  add_seed(command, method.seed);
  command.get_option("--seed")->group(method_group);
  grouped(add_number(command, "--max-iterations", method.max_iterations, 0, std::numeric_limits<int>::max(),
                     "At most so many iterations of a run; 0: as the method has it"));
  grouped(add_number(command, "--tolerance", method.tolerance, -1.0, 1.0,
                     "K-means: a batch that lowers the objective by a smaller share is the last; spectral: of the "
                     "eigenvectors; -1: as the method has it"));
  grouped(add_amount(command, "--time-limit", method.time_limit, parse_seconds, "TIME",
                     "Stop after this time with the best result so far, such as 90s or 5m [none]"));
  grouped(command.add_flag(
      "--keep-prior", [&method](std::int64_t) { method.move_prior = false; },
      "lda: all topics stay equally probable beforehand, and none becomes that of common words"));
  grouped(add_choice(command, "--selection", method.selection,
                     "xray: how the next anchor is chosen; error lowers the error most, the others find the anchors of "
                     "separable data exactly"));
  grouped(add_number(command, "--graph-weight", method.lambda, 0.0, 1e12, "gnmf: how much neighbours count"));
  grouped(command.add_option_function<double>(
              "--preference", [&method](double value) { method.preference = value; },
              "affinity-propagation: how much an item would stand for itself, where the search for -k begins [the "
              "median similarity]"))
      ->type_name("NUMBER");
  constexpr const char* graph_group = "Graph";
  command.add_flag("--graph", options->is_graph, "The input is a graph: edges, METIS, GraphML or a square matrix")
      ->group(graph_group);
  GraphInputOptions& input = options->input;
  add_choice(command, "--similarity", input.similarity,
             "What an edge between items means; none: cosine for sparse items, self-tuning for dense ones")
      ->group(graph_group);
  add_number(command, "--neighbours", input.neighbours, Index(0), std::numeric_limits<Index>::max(),
             "Nearest items that each is joined to; 0: floor(log2 n) + 1")
      ->group(graph_group);
  add_number(command, "--sigma", input.sigma, 0.0, std::numeric_limits<double>::max(),
             "gaussian: the distance at which similarity is 1/e")
      ->group(graph_group);
  add_output_options(command, *output);
  add_number(command, "--top", options->top, Index(1), std::numeric_limits<Index>::max(),
             "Features to show and write per cluster")
      ->group("Output");
  add_machine_options(command, *machine);
}

}  // namespace copse
