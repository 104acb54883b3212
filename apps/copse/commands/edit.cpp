// copse edit: changes to a tree, and names of topics.
#include "copse/edit/edit.h"

#include <filesystem>
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

struct EditOptions {
  Edit change;
  std::string names;     // a file, or empty
  OutputOptions output;  // the folder is that of the result; there is a page if it had one
  MachineOptions machine;
};

OptionRows edit_rows() {
  using Of = EditOptions;
  RowsOf<Of> rows;
  const auto change = [](auto field) {
    return [field](Of & options) -> auto& { return options.change.*field; };
  };
  make_argument(rows.row(
                        "result", [](Of & options) -> auto& { return options.output.folder; },
                        "The folder of a tree, or of flat topics")
                    .as(OptionKind::folder),
                "RESULT");
  rows.row("split", change(&Edit::split), "Split this leaf further; see `into`").shown_as("ID");
  rows.row("cut", change(&Edit::cut), "Take the last splits back until so many leaves are left")
      .at_least(1)
      .otherwise("")
      .shown_as("LEAVES");
  rows.row("merge", change(&Edit::merge), "Make this node a leaf again; see `with`").shown_as("ID");
  rows.row("rename", change(&Edit::rename), "Give this node or topic the name that `to` says").shown_as("ID");
  rows.row("names", &Of::names, "Give many nodes or topics names: lines of an id, a tab and a name")
      .as(OptionKind::file);
  rows.row("drop", change(&Edit::drop), "Set all items of this node aside as outliers").shown_as("ID");
  rows.row("undo", change(&Edit::undo), "Take the last change back");
  rows.headed(1, "Changes, one at a time");
  rows.row("into", change(&Edit::into), "Leaves that `split` makes of the node").at_least(2).only_with("split");
  rows.row("to", change(&Edit::name), "The new name; empty: none").shown_as("NAME").only_with("rename");
  rows.row("with", change(&Edit::with), "The node whose items `merge` gives to the first")
      .shown_as("ID")
      .only_with("merge");
  return rows.done();
}

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
    with_threads(options.machine.threads, &interruption(), [&] { result = edited(); });
    with_threads(options.machine.threads, nullptr, [&] {
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
  program.add("edit", edit_description, edit_examples, [options] { return run(*options); })
      .add(*options, edit_rows())
      .add(options->output, only(copse::rows<OutputOptions>(), {"all", "json", "quiet"}))
      .add(options->machine, only(copse::rows<MachineOptions>(), {"threads"}))
      .then([options] {
        const Edit& change = options->change;
        const int asked = change.split.has_value() + (change.cut > 0) + change.merge.has_value() +
                          change.rename.has_value() + change.drop.has_value() + !options->names.empty() + change.undo;
        if (asked != 1)
          throw WrongOption("split",
                            "one change is needed, of `split`, `cut`, `merge`, `rename`, `names`, `drop` and `undo`");
      });
}

}  // namespace copse
