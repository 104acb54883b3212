// copse evaluate: clusters against classes that are known.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"
#include "copse/base/error.h"
#include "copse/report/result_json.h"

namespace copse {
namespace {

constexpr const char* description =
    "quality of clusters where the true classes are known\n"
    "Prints the accuracy under the best one-to-one matching of clusters and classes, normalized mutual information, "
    "the adjusted Rand index, purity and entropy (which is better when lower). Only equality of labels counts, so they "
    "can be any words.\n\n"
    "Both files have one label per line, or are the assignments.tsv of a result. Documents without a topic "
    "(\"none\") count as a cluster of their own. Items whose cluster is -1 belong to none; they are left out, and said "
    "so.";

constexpr const char* examples =
    "How good are these clusters?\n"
    "  copse evaluate out/assignments.tsv labels.txt\n"
    "How alike are two results?\n"
    "  copse evaluate first/assignments.tsv second/assignments.tsv";

struct EvaluateOptions {
  std::string labels;
  std::string truth;
  OutputOptions output;
};

// One label per line, or the column `cluster` of a table that starts with "item<tab>cluster".
std::vector<std::string> read_labels(const std::string& path, std::vector<std::string>& notes) {
  std::vector<std::string> lines = read_names(path == "-" ? "/dev/stdin" : path, &notes);
  if (lines.empty() || !lines.front().starts_with("item\tcluster")) return lines;
  std::vector<std::string> labels;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t begin = lines[i].find('\t');
    if (begin == std::string::npos) {
      throw InputError(fmt::format("{}, line {}: there is no cluster after the item.", path, i + 1));
    }
    labels.push_back(lines[i].substr(begin + 1, lines[i].find('\t', begin + 1) - begin - 1));
  }
  return labels;
}

int run(const EvaluateOptions& options) {
  Terminal terminal(options.output.quiet);
  std::vector<std::string> notes;
  const std::vector<std::string> labels = read_labels(options.labels, notes);
  const std::vector<std::string> truth = read_labels(options.truth, notes);
  if (labels.size() != truth.size()) {
    throw InputError(fmt::format("{} has {} and {} has {}; each item needs one of both.", options.labels,
                                 counted(static_cast<Index>(labels.size()), "label"), options.truth,
                                 counted(static_cast<Index>(truth.size()), "label")));
  }
  if (labels.empty()) throw InputError(options.labels + " has no labels.");
  std::vector<std::string> clusters;
  std::vector<std::string> classes;
  for (std::size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] == "-1" || truth[j] == "-1") continue;
    clusters.push_back(labels[j]);
    classes.push_back(truth[j]);
  }
  const auto left_out = static_cast<Index>(labels.size() - clusters.size());
  if (left_out > 0) notes.push_back(counted(left_out, "item") + " without a cluster left out.");
  for (const std::string& note : notes) terminal.say("note: " + note);
  const ClusteringMeasures measures = compare_clusterings(label_numbers(clusters), label_numbers(classes));
  if (options.output.json) {
    print_json(to_json(measures));
  } else {
    print_data(
        fmt::format("accuracy  {:.4f}\nnmi       {:.4f}\nari       {:.4f}\npurity    {:.4f}\nentropy   {:.4f}\n"
                    "items     {}\nclusters  {}\nclasses   {}\n",
                    measures.accuracy, measures.nmi, measures.ari, measures.purity, measures.entropy, measures.items,
                    measures.clusters, measures.classes));
  }
  return 0;
}

}  // namespace

void add_evaluate(Program& program) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App& command = program.add("evaluate", description, examples, [options] { return run(*options); });
  command.add_option("LABELS", options->labels, "The clusters that were found; - is stdin")
      ->type_name("FILE")
      ->required();
  command.add_option("TRUTH", options->truth, "The true classes")->type_name("FILE")->required();
  add_json_and_quiet(command, options->output);
}

}  // namespace copse
