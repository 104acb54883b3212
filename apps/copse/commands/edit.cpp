// copse edit: changes to a tree, and names of topics.
#include "copse/edit/edit.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>
#include <memory>

#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/show_run.h"
#include "copse/base/error.h"
#include "copse/report/write_result.h"

namespace copse {
namespace {

constexpr const char* edit_description =
    "changes to a tree: split, cut, merge, rename, drop, names, undo; names of flat topics\n"
    "Takes the folder that `copse tree -o` wrote, makes one change and writes the folder anew; tree.json says what was "
    "done. Ids are those of tree.json, 1.2.1 for example, or short: 1x4.2 for 1.1.1.1.2. Only --split reads the matrix "
    "or the documents again. Flat topics (`copse topics`, `copse factor`) take --rename, --names and --undo; their ids "
    "are the numbers of the clusters.";

constexpr const char* edit_examples =
    "Open one node further, the rest untouched:\n"
    "  copse edit out --split 1.2 --into 4\n"
    "Two topics that are one, anywhere in the tree:\n"
    "  copse edit out --merge 1.2 --with 2.1\n"
    "The same tree with twelve leaves:\n"
    "  copse edit out --cut 12\n"
    "Better names for nodes or topics, from a person or a language model:\n"
    "  copse show out --prompt > prompt.txt\n"
    "  copse edit out --names answer.tsv\n"
    "Take the last change back:\n"
    "  copse edit out --undo";

constexpr const char* changes = "Changes, one at a time";

struct EditOptions {
  Edit change;
  std::string names;     // a file, or empty
  OutputOptions output;  // the folder is that of the result; there is a page if it had one
  int threads = 0;
};

int run(EditOptions options) {
  StoredResult(options.output.folder);  // a folder without a result is refused before it is touched
  // The lock comes before the model is read, so that of two edits at once none is lost.
  OutputFolder folder(options.output.folder, true);
  folder.keep(own_documents_file);
  const StoredResult stored(options.output.folder);
  const bool survey = stored.report.command == "choose";
  if (survey || stored.is_graph() || stored.is_segmentation())
    throw InputError(options.output.folder + " holds neither a tree nor flat topics.");
  if (!options.names.empty()) {
    options.change.names_source = options.names;
    options.change.names = given_names(read_names(options.names, nullptr), options.names);
  }
  // A result without a page may be one that is to hold no text.
  options.output.page = std::filesystem::exists(options.output.folder + "/report.html");
  Terminal terminal(options.output.quiet);
  const auto change = [&](const auto& edited) {
    decltype(edited()) result;
    with_threads(options.threads, &interruption(), [&] { result = edited(); });
    with_threads(options.threads, nullptr, [&] {
      write_result(folder, result, options.output.page);
      if (!options.change.undo) terminal.say(result.model.history.back());
      show(result, options.output, terminal);
    });
  };
  if (stored.is_tree()) {
    change([&] { return edit_stored(stored, options.change, options.output.page, events_of(terminal)); });
  } else {
    change([&] { return edit_stored_flat(stored, options.change); });
  }
  return interrupted_exit_code();
}

}  // namespace

void add_edit(Program& program) {
  auto options = std::make_shared<EditOptions>();
  CLI::App& command = program.add("edit", edit_description, edit_examples, [options] { return run(*options); });
  add_folder(command, "RESULT", options->output.folder, "The folder of a tree, or of flat topics")->required();
  const auto change = [&](CLI::Option* option, const char* type) { option->type_name(type)->group(changes); };
  change(command.add_option("--split", options->change.split, "Split this leaf further; see --into"), "ID");
  change(add_number(command, "--cut", options->change.cut, Index(1), std::numeric_limits<Index>::max(),
                    "Take the last splits back until so many leaves are left"),
         "LEAVES");
  change(command.add_option("--merge", options->change.merge, "Make this node a leaf again; see --with"), "ID");
  change(command.add_option("--rename", options->change.rename, "Give this node or topic the name that --to says"),
         "ID");
  change(command.add_option("--names", options->names,
                            "Give many nodes or topics names: lines of an id, a tab and a name"),
         "FILE");
  change(command.add_option("--drop", options->change.drop, "Set all items of this node aside as outliers"), "ID");
  command.add_flag("--undo", options->change.undo, "Take the last change back")->group(changes);
  command.parse_complete_callback([options] {
    const Edit& change = options->change;
    const int asked = change.split.has_value() + (change.cut > 0) + change.merge.has_value() +
                      change.rename.has_value() + change.drop.has_value() + !options->names.empty() + change.undo;
    if (asked != 1)
      throw CLI::ValidationError("one change is needed: --split, --cut, --merge, --rename, --names, --drop or --undo");
  });
  add_number(command, "--into", options->change.into, Index(2), std::numeric_limits<Index>::max(),
             "Leaves that --split makes of the node")
      ->needs("--split");
  command.add_option("--to", options->change.name, "The new name; empty: none")->type_name("NAME")->needs("--rename");
  command.add_option("--with", options->change.with, "The node whose items --merge gives to the first")
      ->type_name("ID")
      ->needs("--merge");
  add_all(command, options->output.all);
  add_json_and_quiet(command, options->output);
  add_threads(command, options->threads);
}

}  // namespace copse
