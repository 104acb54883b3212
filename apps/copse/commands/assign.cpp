// copse assign: new items into the topics of an earlier result.
#include "copse/run/assign.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/terminal.h"
#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/version.h"
#include "copse/io/output_file.h"
#include "copse/io/result_folder.h"
#include "copse/options/wording.h"
#include "copse/run/graph_assign.h"
#include "copse/run/graph_tree_run.h"
#include "copse/run/options.h"

namespace copse {
namespace {

constexpr const char* assign_description =
    "new items into the topics of an earlier result\n"
    "Takes the folder that `topics`, `tree`, `factor` or `graph` wrote with -o. New documents are cut into the same "
    "words, "
    "weighed "
    "with the same weights and compared with the same topics; items of a matrix likewise. In a tree an item walks down "
    "from the root and goes, at each split, where its coefficient is larger. The documents that a result was made from "
    "come back to their own topics.\n\n"
    "A new node of a graph comes as a list of its edges, and joins the community that most of their weight leads to; a "
    "new item of a graph of items joins that of its nearest neighbours.\n\n"
    "Writes a table: item, cluster (\"none\" for documents without any known word, -1 in a matrix), weight, and for a "
    "tree the leaf where its splits lead.";

constexpr const char* assign_examples =
    "New documents into the topics of out:\n"
    "  copse assign out new.jsonl\n"
    "The same as JSON, from the standard input:\n"
    "  copse assign out - --json < new.jsonl";

struct AssignOptions {
  std::string folder;
  NewItemsOptions items;
  std::string file;  // of the answer; empty: stdout
  OutputOptions output;
  MachineOptions machine;
};

OptionRows assign_rows() {
  using Of = AssignOptions;
  RowsOf<Of> rows;
  make_argument(rows.row("result", &Of::folder, "The folder of a result").as(OptionKind::folder), "RESULT");
  rows.nest(&Of::items);
  make_argument(rows["items"], "DOCS|MATRIX|EDGES");
  rows.row("output", &Of::file, "Write the answer into this file")
      .as(OptionKind::file)
      .spell("--output,-o")
      .otherwise("stdout")
      .in("Output");
  return rows.done();
}

std::string cell(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string table(const std::vector<std::string>& names, const std::vector<PlacedItem>& placed, bool tree) {
  std::string text = tree ? "item\tcluster\tweight\tleaf\n" : "item\tcluster\tweight\n";
  for (std::size_t j = 0; j < placed.size(); ++j) {
    text += fmt::format("{}\t{}\t{:.6g}", cell(names[j]), placed[j].cluster, placed[j].weight);
    text += tree ? "\t" + placed[j].leaf + "\n" : "\n";
  }
  return text;
}

std::string as_json(const AssignOptions& options, const std::vector<std::string>& names,
                    const std::vector<PlacedItem>& placed, const std::vector<std::string>& notes, bool tree) {
  using Json = nlohmann::ordered_json;
  Json items = Json::array();
  for (std::size_t j = 0; j < placed.size(); ++j) {
    Json item = {{"item", names[j]}, {"cluster", placed[j].cluster}, {"weight", placed[j].weight}};
    if (tree) item["leaf"] = placed[j].leaf;
    items.push_back(std::move(item));
  }
  const Json json = {{"command", "assign"},
                     {"version", version()},
                     {"result", options.folder},
                     {"notes", notes},
                     {"items", std::move(items)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write(const AssignOptions& options, const std::vector<std::string>& names, const std::vector<PlacedItem>& placed,
           const std::vector<std::string>& notes, bool tree, Terminal& terminal) {
  for (const std::string& note : notes) terminal.say("note: " + note);
  const std::string text =
      options.output.json ? as_json(options, names, placed, notes, tree) : table(names, placed, tree);
  if (options.file.empty()) {
    terminal.clear();
    options.output.json ? print_json(text) : print_data(text);
    return;
  }
  OutputFile file(options.file);
  file.write(text);
  file.commit();
  terminal.say(fmt::format("{} placed, written: {}", counted(static_cast<Index>(placed.size()), "item"), options.file));
}

int run(const AssignOptions& options) {
  Terminal terminal(options.output.quiet);
  const StoredResult stored(options.folder);
  if (stored.is_segmentation())
    throw InputError(options.folder + " has the segments of a picture; new items have no place in it.");
  if (stored.is_graph_tree())
    throw InputError(options.folder + " is a tree of communities; new nodes go into those of `copse graph -k`.");
  if (!options.file.empty()) {
    refuse_parts_of_result(options.file, options.folder);
    const std::string inputs[] = {options.items.path, options.items.feature_names, options.items.item_names};
    refuse_inputs(options.file, inputs);
  }
  with_threads(options.machine.threads, &interruption(), [&] {
    const auto place = [&](const auto& model) {
      const PlacedItems placed = place_new_items(options.items, stored.report.settings, model, events_of(terminal));
      write(options, placed.names, placed.items, placed.notes, stored.is_tree(), terminal);
    };
    if (stored.is_graph()) {
      place(read_graph_model(stored.model));
    } else if (stored.is_tree()) {
      place(read_tree_model(stored.model));
    } else {
      place(read_flat_model(stored.model));
    }
  });
  return interrupted_exit_code();
}

}  // namespace

void add_assign(Program& program) {
  auto options = std::make_shared<AssignOptions>();
  OptionRows output = only(copse::rows<OutputOptions>(), {"json", "quiet"});
  output.front().means("Write one JSON object instead of a table");
  program.add("assign", assign_description, assign_examples, [options] { return run(*options); })
      .add(*options, assign_rows())
      .add(options->output, output)
      .add(options->machine, only(copse::rows<MachineOptions>(), {"threads"}));
}

}  // namespace copse
