// copse generate: data whose clusters are known.
#include <fmt/format.h>

#include <memory>

#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/terminal.h"
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
#include "copse/methods/options.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

constexpr Index no_limit = std::numeric_limits<Index>::max();

struct FileOptions {
  std::string path;
  OutputOptions said;
  MachineOptions machine;
};

// The rows of one kind of data. A number that may not be zero has at least 1, if it is whole.
template <class Options>
class KindRows : public RowsOf<Options> {
 public:
  KindRows() { this->row("seed", &Options::seed, find_row(copse::rows<NmfOptions>(), "seed")->meaning); }
  Option& count(const char* name, Index Options::*field, const char* meaning) {
    return this->row(name, field, meaning).at_least(1);
  }
  Option& number(const char* name, double Options::*field, const char* meaning, double least = 0) {
    return this->row(name, field, meaning).at_least(least);
  }
  Option& clusters(Index Options::*field, const char* meaning) {
    return count("clusters", field, meaning).spell("-k,--clusters");
  }
};

OptionRows file_rows() {
  using Of = FileOptions;
  RowsOf<Of> rows;
  rows.row("output", &Of::path, "File to write: .copse, .npz, .mtx, .npy, .csv, .tsv (also .gz, .zst)")
      .as(OptionKind::file)
      .spell("--output,-o")
      .needed();
  rows.row(
          "quiet", [](Of & file) -> auto& { return file.said.quiet; }, "Say nothing but errors")
      .in("Output");
  rows.nest(&Of::machine);
  return rows.done();
}

OptionRows corpus_rows() {
  using Of = CorpusOptions;
  KindRows<Of> rows;
  rows.count("docs", &Of::documents, "Documents");
  rows.count("terms", &Of::terms, "Different words");
  rows.clusters(&Of::k, "Topics");
  rows.count("branch", &Of::branch, "Topics below one parent topic; 1 makes no hierarchy");
  rows.number("terms_per_document", &Of::terms_per_document, "Mean number of different words in a document", 1);
  rows.number("zipf", &Of::zipf, "Exponent of the law of word frequencies");
  rows.number("strength", &Of::strength, "Scales the share of words from a document's topic");
  rows.row("counts", &Of::counts, "Counts of words instead of tf-idf with unit columns");
  return rows.done();
}

OptionRows mixture_rows() {
  using Of = MixtureOptions;
  KindRows<Of> rows;
  rows.clusters(&Of::k, "Clusters").needed();
  rows.count("features", &Of::features, "Features");
  rows.count("items", &Of::items, "Items");
  rows.number("variance", &Of::variance, "Variance of an entry");
  return rows.done();
}

OptionRows gene_rows() {
  using Of = GeneExpressionOptions;
  KindRows<Of> rows;
  rows.clusters(&Of::k, "Clusters").needed();
  rows.count("features", &Of::features, "Genes");
  rows.count("nuisance", &Of::nuisance_features, "Genes among them that say nothing about the cluster").at_least(0);
  rows.count("items_per_cluster", &Of::items_per_cluster, "Patients per cluster");
  rows.number("deviation", &Of::deviation, "Standard deviation around a cluster's centre");
  rows.number("outliers", &Of::outlier_fraction, "Share of entries that are outliers").within(0, 1);
  rows.number("largest_outlier", &Of::largest_outlier,
              "Outliers are uniform between 0 and this; 0: between the smallest and the largest of the other entries")
      .within(0, 1e9);
  return rows.done();
}

OptionRows uniform_rows() {
  using Of = UniformSparseOptions;
  KindRows<Of> rows;
  rows.count("features", &Of::features, "Features").needed();
  rows.count("items", &Of::items, "Items").needed();
  rows.number("density", &Of::density, "Probability that an entry is not zero").within(0, 1);
  return rows.done();
}

OptionRows graph_rows() {
  using Of = GraphOptions;
  KindRows<Of> rows;
  rows.count("nodes", &Of::nodes, "Nodes");
  rows.clusters(&Of::k, "Clusters");
  rows.number("degree", &Of::degree, "Mean number of edges of a node");
  rows.number("mixing", &Of::mixing, "Share of a node's edges that lead to other clusters").within(0, 1);
  return rows.done();
}

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
  Terminal terminal(file.said.quiet);
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
  Terminal terminal(file.said.quiet);
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

// What all kinds have in common; run(options, file) makes the data.
template <class Options, class Run>
void add_kind(Program& program, const Command& group, const char* name, const char* description, const char* examples,
              const OptionRows& rows, const Run& run) {
  const auto options = std::make_shared<Options>();
  const auto file = std::make_shared<FileOptions>();
  program
      .add(
          name, description, examples, [=] { return run(*options, *file); }, &group)
      .add(*file, only(file_rows(), {"output"}))
      .add(*options, rows)
      .add(*file, without(file_rows(), {"output"}));
}

void add_kinds(Program& program, const Command& group) {
  add_kind<CorpusOptions>(
      program, group, "corpus",
      "documents with planted topics and Zipf's law of words\n"
      "Writes terms x documents, with the topic of each document in a .labels.txt file, and with --branch the group of "
      "its topic in a .parents.txt file. A .copse file is written as the documents are drawn, and may be larger than "
      "memory.",
      "A large corpus with 40 topics:\n"
      "  copse generate corpus --docs 100000 --terms 50000 -k 40 --seed 1 -o big.npz",
      corpus_rows(), [](const CorpusOptions& asked, const FileOptions& file) {
        if (file.path.ends_with(".copse")) return write_stream(file, asked);
        const double entries = static_cast<double>(asked.documents) * asked.terms_per_document;
        const MatrixSummary expected{
            .features = asked.terms, .items = asked.documents, .nonzeros = count_of(entries), .sparse = true};
        return write_planted(file, expected, [&](auto number) { return generate_corpus<decltype(number)>(asked); });
      });
  add_kind<MixtureOptions>(program, group, "mixture",
                           "a mixture of Gaussians, clearly separated\n"
                           "The synthetic data of section 4.2 of the paper on sparse NMF for clustering.",
                           "Twelve clusters:\n  copse generate mixture -k 12 -o mixture.npy", mixture_rows(),
                           [](const MixtureOptions& asked, const FileOptions& file) {
                             return write_planted(
                                 file, {.features = asked.features, .items = asked.items},
                                 [&](auto number) { return generate_mixture<decltype(number)>(asked); });
                           });
  add_kind<GeneExpressionOptions>(
      program, group, "genes",
      "simulated gene expression profiles [Kuang 2014, section 4.5]\nGenes x patients, with outliers.",
      "Three kinds of patients:\n  copse generate genes -k 3 -o genes.tsv", gene_rows(),
      [](const GeneExpressionOptions& asked, const FileOptions& file) {
        const double items = static_cast<double>(asked.k) * static_cast<double>(asked.items_per_cluster);
        return write_planted(file, {.features = asked.features, .items = count_of(items)},
                             [&](auto number) { return generate_gene_expression<decltype(number)>(asked); });
      });
  add_kind<UniformSparseOptions>(
      program, group, "uniform", "a sparse matrix without structure (table 1 of the paper on DC-NMF)",
      "One percent of the entries, uniform in (0, 1):\n"
      "  copse generate uniform --features 1000 --items 2000 --density 0.01 -o uniform.npz",
      uniform_rows(), [](const UniformSparseOptions& asked, const FileOptions& file) {
        const double entries = static_cast<double>(asked.features) * static_cast<double>(asked.items) * asked.density;
        const MatrixSummary expected{
            .features = asked.features, .items = asked.items, .nonzeros = count_of(entries), .sparse = true};
        return write_planted(file, expected, [&](auto number) {
          using T = decltype(number);
          return Planted<T>{.data = generate_uniform_sparse<T>(asked), .labels = {}, .parents = {}};
        });
      });
  add_kind<GraphOptions>(
      program, group, "graph", "a graph with planted clusters, as its adjacency matrix",
      "A thousand nodes in ten clusters:\n  copse generate graph --nodes 1000 -k 10 -o graph.mtx", graph_rows(),
      [](const GraphOptions& asked, const FileOptions& file) {
        const double entries = static_cast<double>(asked.nodes) * asked.degree;
        const MatrixSummary expected{
            .features = asked.nodes, .items = asked.nodes, .nonzeros = count_of(entries), .sparse = true};
        return write_planted(file, expected, [&](auto number) { return generate_graph<decltype(number)>(asked); });
      });
}

}  // namespace

void add_generate(Program& program) {
  add_kinds(program,
            program.add_group("generate",
                              "data with known clusters, of any size\n"
                              "Writes a matrix, and beside it a .labels.txt file with the true cluster of each item.",
                              "A corpus with 40 topics, then what factor finds in it:\n"
                              "  copse generate corpus --docs 100000 --terms 50000 -k 40 --seed 1 -o big.npz\n"
                              "  copse factor big.npz -k 40 --truth big.labels.txt"));
}

}  // namespace copse
