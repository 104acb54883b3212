// copse cluster: the methods that the papers compare with.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "apps/copse/commands/by_hand.h"
#include "apps/copse/commands/run_cluster.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/words.h"
#include "copse/base/error.h"
#include "copse/methods/method.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

constexpr const char* cluster_opening =
    "clusters of documents, a matrix or a graph by other methods than NMF\n"
    "K-means and its kin, spectral clustering, and what else the papers compare with (--method). The result is one "
    "like any other: show, assign, report and evaluate take it.\n\n";
constexpr const char* cluster_ending =
    "\nMethods that read a graph have that of the items' nearest neighbours, or with --graph the graph that is given. "
    "An item's weight tells where it lies between the two nearest centres: 1 at its own, a half midway. Prints the "
    "clusters with their best features. With -o it also writes result.json, assignments.tsv, topics.tsv, "
    "model.safetensors and report.html. Ctrl-C keeps the best result so far (exit code 130).";

constexpr const char* cluster_examples =
    "Twenty clusters of a matrix of word counts by direction:\n"
    "  copse cluster X.npz --text -k 20 --method spherical-kmeans -o out\n"
    "Documents through the graph of their neighbours:\n"
    "  copse cluster mails/ -k 20 --method spectral -o out\n"
    "Communities of a graph by its normalized cut, the best of ten starts:\n"
    "  copse cluster edges.tsv --graph -k 12 --method kernel-kmeans --runs 10\n"
    "New documents into the same clusters:\n"
    "  copse assign out new.jsonl";

constexpr const char* method_group = "Method";

// An option that one or several methods have besides what all have.
struct OwnRow {
  Option row;
  std::vector<const Method*> of;
};

std::vector<OwnRow> own_rows() {
  std::vector<OwnRow> found;
  for (const Method* method : methods_of("cluster")) {
    for (const Option& row : method->rows) {
      if (find_row(common_rows(), row.name) != nullptr) continue;
      const auto same = std::ranges::find_if(found, [&](const OwnRow& other) { return other.row.name == row.name; });
      if (same == found.end()) {
        found.push_back({row, {method}});
      } else {
        same->of.push_back(method);
      }
    }
  }
  return found;
}

std::string spelled(const Option& row) {
  if (!row.spelled.empty()) return row.spelled.substr(row.spelled.find('-'));
  std::string name = "--" + row.name;
  std::ranges::replace(name, '_', '-');
  return name;
}

// What was given of them, as text where a number is meant.
using Given = std::map<std::string, std::string>;

void add_own_row(CLI::App& command, const OwnRow& own, Given& given) {
  const Option& row = own.row;
  const std::string option = spelled(row), meaning = joined(names_of(own.of), ", ") + ": ";
  const auto keep = [&given, name = row.name](const std::string& text) { given[name] = text; };
  CLI::Option* added = nullptr;
  MethodOptions defaults = options_for(*own.of.front());
  const std::optional<Setting> value = row.get(&defaults);
  if (row.kind == OptionKind::flag) {
    const bool turns_off = value == Setting(true);
    added = command.add_flag_function(
        option, [keep, turns_off](std::int64_t) { keep(turns_off ? "" : "yes"); },
        meaning + (turns_off ? "turns off: " : "") + row.meaning);
  } else if (row.kind == OptionKind::choice) {
    added = add_words(
        command, option, row.words, std::get<std::string>(*value),
        [keep, words = row.words](std::size_t i) { keep(words[i]); }, meaning + row.meaning);
  } else if (row.kind == OptionKind::bytes) {
    added = command.add_option_function<std::string>(
        option, [keep](const std::string& size) { keep(fmt::format("{}", parse_bytes(size))); }, meaning + row.meaning);
    added->type_name("SIZE")->default_str(in_bytes(std::get<double>(*value)));
  } else {
    added = command.add_option_function<double>(
        option, [keep](double number) { keep(fmt::format("{}", number)); },
        meaning + row.meaning + (row.unset.empty() ? "" : " [" + row.unset + "]"));
    added->type_name(row.kind == OptionKind::whole ? "N" : "X");
    if (row.unset.empty())
      added->default_str(std::visit([](const auto& one) { return fmt::format("{}", one); }, *value));
  }
  added->group(method_group);
}

Setting setting_of(const Option& row, const std::string& text) {
  if (row.kind == OptionKind::flag) return !text.empty();
  if (row.kind == OptionKind::choice) return text;
  const double number = std::stod(text);
  if (row.kind == OptionKind::whole && number == std::floor(number)) return static_cast<std::int64_t>(number);
  return number;
}

// The options of the chosen method; those that were given must be among them.
void take_own(const std::vector<OwnRow>& all, const Given& given, MethodOptions& options) {
  options.own = options.method->own;
  for (const OwnRow& own : all) {
    const auto found = given.find(own.row.name);
    if (found == given.end()) continue;
    const Option* row = find_row(options.method->rows, own.row.name);
    if (row == nullptr)
      throw CLI::ValidationError(spelled(own.row), "it is for --method " + joined(names_of(own.of), ", "));
    try {
      row->set(&options, setting_of(*row, found->second));
    } catch (const WrongOption& error) {
      throw CLI::ValidationError(spelled(own.row), error.reason());
    }
  }
}

// What does not go together.
void check(const CLI::App& command, ClusterRunOptions& options) {
  const auto given = [&](const char* name) { return command.count(name) > 0; };
  const Method& method = *options.method.method;
  if (options.is_graph && method.traits.reads != Reads::graph)
    throw CLI::ValidationError("--graph", method.name + " reads items, not a graph");
  for (const char* name : {"--similarity", "--neighbours", "--sigma"}) {
    if (given(name) && (options.is_graph || !method.traits.reads_graph()))
      throw CLI::ValidationError(name, "it is for methods that read the neighbour graph of items");
  }
  if (options.input.similarity == ItemSimilarity::gaussian && !(options.input.sigma > 0))
    throw CLI::ValidationError("--similarity", "gaussian needs a --sigma above zero");
  if (options.is_graph) options.input.items.documents.reset();
}

std::string described_methods() {
  std::string lines;
  for (const Method* method : methods_of("cluster")) lines += fmt::format("{}: {}\n", method->name, method->meaning);
  return lines;
}

}  // namespace

void add_cluster(Program& program) {
  auto options = std::make_shared<ClusterRunOptions>();
  auto output = std::make_shared<OutputOptions>();
  auto machine = std::make_shared<MachineOptions>();
  const std::string description = cluster_opening + described_methods() + cluster_ending;
  CLI::App& command = program
                          .add("cluster", description, cluster_examples,
                               [=] { return run_cluster_command(*options, *output, *machine); })
                          .app();
  CLI::App* parsed = &command;
  auto given = std::make_shared<Given>();
  const auto all = std::make_shared<const std::vector<OwnRow>>(own_rows());
  add_documents_or_matrix(command, options->input.items, [options, parsed, all, given] {
    take_own(*all, *given, options->method);
    check(*parsed, *options);
  });
  MethodOptions& method = options->method;
  const auto grouped = [](CLI::Option* option) { return option->group(method_group); };
  grouped(
      add_number(command, "-k,--clusters", method.k, Index(1), std::numeric_limits<Index>::max(), "Number of clusters"))
      ->required();
  const std::vector<const Method*> chosen = methods_of("cluster");
  grouped(add_words(
      command, "--method", names_of(chosen), method.method->name,
      [&method, chosen](std::size_t i) { method.method = chosen[i]; }, "How clusters are found"));
  grouped(add_number(command, "--runs", method.runs, 1, 1000000,
                     "Starts to try; the one with the best objective is kept, never by --truth"));
  add_seed(command, method.seed);
  command.get_option("--seed")->group(method_group);
  grouped(add_number(command, "--max-iterations", method.max_iterations, 0, std::numeric_limits<int>::max(),
                     "At most so many iterations of a run; 0: as the method has it"));
  grouped(add_number(command, "--tolerance", method.tolerance, -1.0, 1.0,
                     "K-means: a batch that lowers the objective by a smaller share is the last; spectral: of the "
                     "eigenvectors; -1: as the method has it"));
  grouped(add_amount(command, "--time-limit", method.time_limit, parse_seconds, "TIME",
                     "Stop after this time with the best result so far, such as 90s or 5m [none]"));
  for (const OwnRow& own : *all) add_own_row(command, own, *given);
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
