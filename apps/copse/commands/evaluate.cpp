// copse evaluate: clusters against classes that are known.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/copse/commands/evaluate_pictures.h"
#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"
#include "copse/base/error.h"
#include "copse/describe/read_result.h"
#include "copse/measure/measure.h"
#include "copse/model/result_json.h"
#include "copse/run/references.h"

namespace copse {
namespace {

constexpr const char* evaluate_description =
    "quality of clusters where the true classes are known\n"
    "Prints the accuracy under the best one-to-one matching of clusters and classes, normalized mutual information, "
    "the adjusted Rand index, purity and entropy (which is better when lower). Only equality of labels counts, so they "
    "can be any words.\n\n"
    "Both files have one label per line, or are the assignments.tsv of a result. Documents without a topic "
    "(\"none\") count as a cluster of their own. Items whose cluster is -1 belong to none; they are left out, and said "
    "so.\n\n"
    "Pictures of labels (grey PNG, or .npy with two axes) are compared pixel by pixel, with one person's segments or "
    "several people's: precision, recall and F of the boundaries as the Berkeley benchmark defines them, region "
    "covering, and variation of information (which is better when lower). With --map the first picture has strengths "
    "of boundaries, and the threshold with the best F is found.\n\n"
    "With --components the first is the folder of a result, and the second a matrix of components that are known, such "
    "as mutational signatures: features in rows, a column for each. Every component of the result is paired with a "
    "reference of its own, so that the cosines add up to the most, and the nearest of all is named beside it.";

constexpr const char* evaluate_examples =
    "How good are these clusters?\n"
    "  copse evaluate out/assignments.tsv labels.txt\n"
    "How alike are two results?\n"
    "  copse evaluate first/assignments.tsv second/assignments.tsv\n"
    "How near are these segments, and this map of boundaries, to what people drew?\n"
    "  copse evaluate out/labels.png person1.png person2.png\n"
    "  copse evaluate out/boundaries.png person1.png person2.png --map\n"
    "Which known signatures are these?\n"
    "  copse evaluate out COSMIC_v3.4_SBS_GRCh37.tsv --components";

struct EvaluateOptions {
  std::string labels;
  std::vector<std::string> truths;
  bool map = false;
  bool components = false;
  OutputOptions output;
};

OptionRows evaluate_rows() {
  using Of = EvaluateOptions;
  RowsOf<Of> rows;
  make_argument(rows.row("labels", &Of::labels, "The clusters that were found; - is stdin").as(OptionKind::file),
                "LABELS");
  make_argument(rows.computed(
                    "truths", OptionKind::files, [](const Of&) { return std::string(); },
                    [](Of& options, const Setting& value) {
                      options.truths.push_back(std::get<std::string>(value));
                      return true;
                    },
                    "The true classes; of pictures, one file per person"),
                "TRUTH");
  rows.row("map", &Of::map, "LABELS is a picture of boundaries: the brighter, the stronger");
  rows.row("components", &Of::components,
           "LABELS is the folder of a result and TRUTH a matrix of known components: their cosines");
  return rows.done();
}

// One label per line, or the column `cluster` of a table that starts with "item<tab>cluster".
std::vector<std::string> read_label_lines(const std::string& path, std::vector<std::string>& notes) {
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

ReferenceMatches matches_of(const std::string& folder, const std::string& references) {
  const StoredResult stored(folder);
  if (stored.is_tree() || stored.is_graph() || stored.is_segmentation())
    throw InputError(folder + " has no components to compare: it is not a result of factor, topics or choose.");
  ReferenceMatches found;
  const FlatModel model = read_flat_model(stored.model);
  with_precision(model.w.precision(), [&]<class T> {
    ReadResult<T> read = read_matrix<T>(references);
    found = match_references(model, std::move(read.dataset));
    found.notes.insert(found.notes.begin(), read.notes.begin(), read.notes.end());
  });
  return found;
}

int evaluate_components(const EvaluateOptions& options) {
  Terminal terminal(options.output.quiet);
  const ReferenceMatches found = matches_of(options.labels, options.truths.front());
  for (const std::string& note : found.notes) terminal.say("note: " + note);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::string table = "component\treference\tcosine\tnearest\tnearest_cosine\n";
  for (const ReferenceMatch& match : found.matches) {
    json.push_back({{"component", match.topic},
                    {"reference", match.reference},
                    {"cosine", match.cosine},
                    {"nearest", match.nearest},
                    {"nearest_cosine", match.nearest_cosine}});
    table += fmt::format("{}\t{}\t{:.4f}\t{}\t{:.4f}\n", match.topic, match.reference, match.cosine, match.nearest,
                         match.nearest_cosine);
  }
  options.output.json ? print_json(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n")
                      : print_data(table);
  return 0;
}

int run(const EvaluateOptions& options) {
  if (options.components) {
    if (options.truths.size() != 1) throw InputError("components are compared with one file of references.");
    return evaluate_components(options);
  }
  if (options.map || is_label_picture(options.labels))
    return evaluate_pictures(options.labels, options.truths, options.map, options.output);
  if (options.truths.size() != 1)
    throw InputError("clusters are compared with one file of classes; pictures with more.");
  const std::string& truth_path = options.truths.front();
  Terminal terminal(options.output.quiet);
  std::vector<std::string> notes;
  const std::vector<std::string> labels = read_label_lines(options.labels, notes);
  const std::vector<std::string> truth = read_label_lines(truth_path, notes);
  if (labels.size() != truth.size()) {
    throw InputError(fmt::format("{} has {} and {} has {}; each item needs one of both.", options.labels,
                                 counted(static_cast<Index>(labels.size()), "label"), truth_path,
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
    std::string text;
    for (const Measure& measure : agreement_measures())
      text += fmt::format("{:<8}  {:.4f}\n", measure.name, measures.*measure.agreement);
    print_data(text + fmt::format("items     {}\nclusters  {}\nclasses   {}\n", measures.items, measures.clusters,
                                  measures.classes));
  }
  return 0;
}

}  // namespace

void add_evaluate(Program& program) {
  auto options = std::make_shared<EvaluateOptions>();
  program.add("evaluate", evaluate_description, evaluate_examples, [options] { return run(*options); })
      .add(*options, evaluate_rows())
      .add(options->output, only(copse::rows<OutputOptions>(), {"json", "quiet"}));
}

}  // namespace copse
