// copse edit: changes to a tree.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "apps/copse/edit_run.h"
#include "apps/copse/options.h"
#include "apps/copse/program.h"

namespace copse {
namespace {

constexpr const char* description =
    "changes to a tree: split, cut, merge, rename, drop, undo\n"
    "Takes the folder that `copse tree -o` wrote, makes one change and writes the folder anew; tree.json says what was "
    "done. Ids are those of tree.json, 1.2.1 for example. Only --split reads the matrix or the documents again.";

constexpr const char* examples =
    "Open one node further, the rest untouched:\n"
    "  copse edit out --split 1.2 --into 4\n"
    "The same tree with twelve leaves:\n"
    "  copse edit out --cut 12\n"
    "Take the last change back:\n"
    "  copse edit out --undo";

constexpr const char* changes = "Changes, one at a time";

}  // namespace

void add_edit(Program& program) {
  auto options = std::make_shared<EditOptions>();
  CLI::App& command = program.add("edit", description, examples, [options] { return run_edit(*options); });
  add_folder(command, "RESULT", options->output.folder, "The folder of a tree")->required();
  const auto change = [&](CLI::Option* option, const char* type) { option->type_name(type)->group(changes); };
  change(command.add_option("--split", options->split, "Split this leaf further; see --into"), "ID");
  change(add_number(command, "--cut", options->cut, Index(1), std::numeric_limits<Index>::max(),
                    "Take the last splits back until so many leaves are left"),
         "LEAVES");
  change(command.add_option("--merge", options->merge, "Make this node a leaf again"), "ID");
  change(command.add_option("--rename", options->rename, "Give this node the name that --to says"), "ID");
  change(command.add_option("--drop", options->drop, "Set all items of this node aside as outliers"), "ID");
  command.add_flag("--undo", options->undo, "Take the last change back")->group(changes);
  command.parse_complete_callback([options] {
    const int asked = options->split.has_value() + (options->cut > 0) + options->merge.has_value() +
                      options->rename.has_value() + options->drop.has_value() + options->undo;
    if (asked != 1)
      throw CLI::ValidationError("one change is needed: --split, --cut, --merge, --rename, --drop or --undo");
  });
  add_number(command, "--into", options->into, Index(2), std::numeric_limits<Index>::max(),
             "Leaves that --split makes of the node")
      ->needs("--split");
  command.add_option("--to", options->name, "The new name; empty: none")->type_name("NAME")->needs("--rename");
  add_json_and_quiet(command, options->output);
  add_threads(command, options->threads);
}

}  // namespace copse
