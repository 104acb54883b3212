// copse generate: data whose clusters are known.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"
#include "copse/base/error.h"
#include "copse/generate/corpus.h"
#include "copse/generate/gene_expression.h"
#include "copse/generate/graph.h"
#include "copse/generate/mixture.h"
#include "copse/generate/uniform_sparse.h"
#include "copse/input/memory.h"
#include "copse/io/copse_file.h"
#include "copse/io/matrix_file.h"
#include "copse/io/output_file.h"

namespace copse {
namespace {

constexpr Index no_limit = std::numeric_limits<Index>::max();
constexpr double large = std::numeric_limits<double>::max();

struct FileOptions {
  std::string path;
  bool quiet = false;
  MachineOptions machine;
};

// X.mtx.gz -> X.labels.txt
std::filesystem::path beside(std::filesystem::path path, const char* ending) {
  const std::string last = path.extension().string();
  if (last == ".gz" || last == ".zst") path.replace_extension();
  return path.replace_extension(ending);
}

// All bytes of the labels on the disk, to be named when the matrix is there, too; null for none.
std::unique_ptr<OutputFile> write_labels(const std::filesystem::path& path, const std::vector<Index>& labels) {
  if (labels.empty()) return nullptr;
  auto file = std::make_unique<OutputFile>(path);
  for (const Index label : labels) file->write(std::to_string(label) + "\n");
  file->finish();
  return file;
}

// Makes the data and writes them with their labels; `expected` says how large they will be.
template <class T, class Make>
int write_planted(const FileOptions& file, const MatrixSummary& expected, const Make& make) {
  Terminal terminal(file.quiet);
  check_fits(expected, {.clusters = 0, .memory_limit = file.machine.memory_limit}, precision_of<T>);
  with_threads(file.machine.threads, &interruption(), [&] {
    terminal.show("generating ...");
    const Planted<T> planted = make();
    terminal.show("writing " + file.path + " ...");
    const auto labels = write_labels(beside(file.path, ".labels.txt"), planted.labels);
    const auto parents = write_labels(beside(file.path, ".parents.txt"), planted.parents);
    write_matrix(file.path, planted.data);
    if (labels) labels->commit();
    if (parents) parents->commit();
    terminal.say(fmt::format("{}: {} x {}, {} nonzeros", file.path, counted(planted.data.features(), "feature"),
                             counted(planted.data.items(), "item"), counted(planted.data.nonzeros())));
  });
  return 0;
}

// `make` is generic over the type of the numbers.
template <class Make>
int write_planted(const FileOptions& file, const MatrixSummary& expected, const Make& make) {
  return with_precision(file.machine.precision,
                        [&]<class T> { return write_planted<T>(file, expected, [&] { return make(T()); }); });
}

// A corpus into a .copse file, some documents after the others: it may be larger than memory.
int write_stream(const FileOptions& file, const CorpusOptions& options) {
  Terminal terminal(file.quiet);
  constexpr double entries_at_once = 0x1p22;
  const auto at_once = static_cast<Index>(entries_at_once / options.terms_per_document);
  with_precision(file.machine.precision, [&]<class T> {
    with_threads(file.machine.threads, &interruption(), [&] {
      terminal.show("generating ...");
      CopseWriter writer(file.path, {.features = options.terms});
      std::vector<Index> all, parents;
      generate_corpus<T>(options, at_once, [&](const SparseMatrix<T>& documents, std::span<const Index> labels) {
        writer.add<T>(documents);
        all.insert(all.end(), labels.begin(), labels.end());
        terminal.show(fmt::format("writing {}: {} ...", file.path, counted(writer.items(), "item")));
      });
      if (options.branch > 1) {
        for (const Index label : all) parents.push_back(label / options.branch);
      }
      const auto labels_file = write_labels(beside(file.path, ".labels.txt"), all);
      const auto parents_file = write_labels(beside(file.path, ".parents.txt"), parents);
      writer.commit();
      for (OutputFile* labels : {labels_file.get(), parents_file.get()}) {
        if (labels != nullptr) labels->commit();
      }
      terminal.say(fmt::format("{}: {} x {}, {} nonzeros", file.path, counted(options.terms, "feature"),
                               counted(writer.items(), "item"), counted(writer.entries())));
    });
  });
  return 0;
}

Index count_of(double count) { return count < 9e18 ? static_cast<Index>(count) : no_limit; }

template <class Options>
struct Request {
  Options options;
  FileOptions file;
};

// What all kinds have in common.
template <class Options>
CLI::App& add_kind(Program& program, CLI::App& group, const char* name, const std::string& description,
                   const char* examples, const std::shared_ptr<Request<Options>>& request, std::function<int()> run) {
  CLI::App& command = program.add(name, description, examples, std::move(run), &group);
  command
      .add_option("-o,--output", request->file.path,
                  "File to write: .copse, .npz, .mtx, .npy, .csv, .tsv (also .gz, .zst)")
      ->type_name("FILE")
      ->required();
  add_seed(command, request->options.seed);
  return command;
}

void add_rest(CLI::App& command, FileOptions& file) {
  command.add_flag("--quiet", file.quiet, "Say nothing but errors")->group("Output");
  add_machine_options(command, file.machine);
}

void add_corpus(Program& program, CLI::App& group) {
  auto request = std::make_shared<Request<CorpusOptions>>();
  CorpusOptions& options = request->options;
  CLI::App& command = add_kind(
      program, group, "corpus",
      "documents with planted topics and Zipf's law of words\n"
      "Writes terms x documents, with the topic of each document in a .labels.txt file, and with --branch the group of "
      "its topic in a .parents.txt file. A .copse file is written as the documents are drawn, and may be larger than "
      "memory.",
      "A large corpus with 40 topics:\n"
      "  copse generate corpus --docs 100000 --terms 50000 -k 40 --seed 1 -o big.npz",
      request, [request] {
        const CorpusOptions& asked = request->options;
        if (request->file.path.ends_with(".copse")) return write_stream(request->file, asked);
        const double entries = static_cast<double>(asked.documents) * asked.terms_per_document;
        const MatrixSummary expected{
            .features = asked.terms, .items = asked.documents, .nonzeros = count_of(entries), .sparse = true};
        return write_planted(request->file, expected,
                             [&](auto number) { return generate_corpus<decltype(number)>(asked); });
      });
  add_number(command, "--docs", options.documents, Index(1), no_limit, "Documents");
  add_number(command, "--terms", options.terms, Index(1), no_limit, "Different words");
  add_number(command, "-k,--clusters", options.k, Index(1), no_limit, "Topics");
  add_number(command, "--branch", options.branch, Index(1), no_limit,
             "Topics below one parent topic; 1 makes no hierarchy");
  add_number(command, "--terms-per-document", options.terms_per_document, 1.0, large,
             "Mean number of different words in a document");
  add_number(command, "--zipf", options.zipf, 0.0, large, "Exponent of the law of word frequencies");
  add_number(command, "--strength", options.strength, 0.0, large, "Scales the share of words from a document's topic");
  command.add_flag("--counts", options.counts, "Counts of words instead of tf-idf with unit columns");
  add_rest(command, request->file);
}

void add_mixture(Program& program, CLI::App& group) {
  auto request = std::make_shared<Request<MixtureOptions>>();
  MixtureOptions& options = request->options;
  CLI::App& command =
      add_kind(program, group, "mixture",
               "a mixture of Gaussians, clearly separated\n"
               "The synthetic data of section 4.2 of the paper on sparse NMF for clustering.",
               "Twelve clusters:\n  copse generate mixture -k 12 -o mixture.npy", request, [request] {
                 const MixtureOptions& asked = request->options;
                 return write_planted(request->file, {.features = asked.features, .items = asked.items},
                                      [&](auto number) { return generate_mixture<decltype(number)>(asked); });
               });
  add_number(command, "-k,--clusters", options.k, Index(1), no_limit, "Clusters")->required();
  add_number(command, "--features", options.features, Index(1), no_limit, "Features");
  add_number(command, "--items", options.items, Index(1), no_limit, "Items");
  add_number(command, "--variance", options.variance, 0.0, large, "Variance of an entry");
  add_rest(command, request->file);
}

void add_genes(Program& program, CLI::App& group) {
  auto request = std::make_shared<Request<GeneExpressionOptions>>();
  GeneExpressionOptions& options = request->options;
  CLI::App& command =
      add_kind(program, group, "genes",
               "simulated gene expression profiles [Kuang 2014, section 4.5]\nGenes x patients, with outliers.",
               "Three kinds of patients:\n  copse generate genes -k 3 -o genes.tsv", request, [request] {
                 const GeneExpressionOptions& asked = request->options;
                 const double items = static_cast<double>(asked.k) * static_cast<double>(asked.items_per_cluster);
                 return write_planted(request->file, {.features = asked.features, .items = count_of(items)},
                                      [&](auto number) { return generate_gene_expression<decltype(number)>(asked); });
               });
  add_number(command, "-k,--clusters", options.k, Index(1), no_limit, "Clusters")->required();
  add_number(command, "--features", options.features, Index(1), no_limit, "Genes");
  add_number(command, "--nuisance", options.nuisance_features, Index(0), no_limit,
             "Genes among them that say nothing about the cluster");
  add_number(command, "--items-per-cluster", options.items_per_cluster, Index(1), no_limit, "Patients per cluster");
  add_number(command, "--deviation", options.deviation, 0.0, large, "Standard deviation around a cluster's centre");
  add_number(command, "--outliers", options.outlier_fraction, 0.0, 1.0, "Share of entries that are outliers");
  add_number(command, "--largest-outlier", options.largest_outlier, 0.0, 1e9,
             "Outliers are uniform between 0 and this; 0: between the smallest and the largest of the other entries");
  add_rest(command, request->file);
}

void add_uniform(Program& program, CLI::App& group) {
  auto request = std::make_shared<Request<UniformSparseOptions>>();
  UniformSparseOptions& options = request->options;
  CLI::App& command = add_kind(
      program, group, "uniform", "a sparse matrix without structure (table 1 of the paper on DC-NMF)",
      "One percent of the entries, uniform in (0, 1):\n"
      "  copse generate uniform --features 1000 --items 2000 --density 0.01 -o uniform.npz",
      request, [request] {
        const UniformSparseOptions& asked = request->options;
        const double entries = static_cast<double>(asked.features) * static_cast<double>(asked.items) * asked.density;
        const MatrixSummary expected{
            .features = asked.features, .items = asked.items, .nonzeros = count_of(entries), .sparse = true};
        return write_planted(request->file, expected, [&](auto number) {
          using T = decltype(number);
          return Planted<T>{.data = generate_uniform_sparse<T>(asked), .labels = {}, .parents = {}};
        });
      });
  add_number(command, "--features", options.features, Index(1), no_limit, "Features")->required();
  add_number(command, "--items", options.items, Index(1), no_limit, "Items")->required();
  add_number(command, "--density", options.density, 0.0, 1.0, "Probability that an entry is not zero");
  add_rest(command, request->file);
}

void add_graph(Program& program, CLI::App& group) {
  auto request = std::make_shared<Request<GraphOptions>>();
  GraphOptions& options = request->options;
  CLI::App& command = add_kind(
      program, group, "graph", "a graph with planted clusters, as its adjacency matrix",
      "A thousand nodes in ten clusters:\n  copse generate graph --nodes 1000 -k 10 -o graph.mtx", request, [request] {
        const GraphOptions& asked = request->options;
        const double entries = static_cast<double>(asked.nodes) * asked.degree;
        const MatrixSummary expected{
            .features = asked.nodes, .items = asked.nodes, .nonzeros = count_of(entries), .sparse = true};
        return write_planted(request->file, expected,
                             [&](auto number) { return generate_graph<decltype(number)>(asked); });
      });
  add_number(command, "--nodes", options.nodes, Index(1), no_limit, "Nodes");
  add_number(command, "-k,--clusters", options.k, Index(1), no_limit, "Clusters");
  add_number(command, "--degree", options.degree, 0.0, large, "Mean number of edges of a node");
  add_number(command, "--mixing", options.mixing, 0.0, 1.0, "Share of a node's edges that lead to other clusters");
  add_rest(command, request->file);
}

}  // namespace

void add_generate(Program& program) {
  CLI::App& group =
      program.add_group("generate",
                        "data with known clusters, of any size\n"
                        "Writes a matrix, and beside it a .labels.txt file with the true cluster of each item.",
                        "A corpus with 40 topics, then what factor finds in it:\n"
                        "  copse generate corpus --docs 100000 --terms 50000 -k 40 --seed 1 -o big.npz\n"
                        "  copse factor big.npz -k 40 --truth big.labels.txt");
  for (const auto add : {add_corpus, add_mixture, add_genes, add_uniform, add_graph}) add(program, group);
}

}  // namespace copse
