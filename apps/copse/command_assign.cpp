// copse assign: new items into the topics of an earlier result.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/copse/assign_run.h"
#include "apps/copse/document_input.h"
#include "apps/copse/program.h"

namespace copse {
namespace {

constexpr const char* description =
    "new items into the topics of an earlier result\n"
    "Takes the folder that `topics`, `tree` or `factor` wrote with -o. New documents are cut into the same words, "
    "weighed "
    "with the same weights and compared with the same topics; items of a matrix likewise. In a tree an item walks down "
    "from the root and goes, at each split, where its coefficient is larger. The documents that a result was made from "
    "come back to their own topics.\n\n"
    "Writes a table: item, cluster (\"short\" for documents with too few known words, \"outlier\" for those that fit "
    "no "
    "topic), weight, and for a tree the leaf by the flat model.";

constexpr const char* examples =
    "New documents into the topics of out:\n"
    "  copse assign out new.jsonl\n"
    "The same as JSON, from the standard input:\n"
    "  copse assign out - --json < new.jsonl";

}  // namespace

void add_assign(Program& program) {
  auto options = std::make_shared<AssignOptions>();
  CLI::App& command = program.add("assign", description, examples, [options] { return run_assign(*options); });
  add_folder(command, "RESULT", options->folder, "The folder of a result")->required();
  command
      .add_option("DOCS|MATRIX", options->path,
                  "Documents for a result on documents, a matrix for one on a matrix; - is stdin")
      ->type_name("FILE")
      ->required();
  const auto option = [&](const char* name, std::string& target, const char* type, const char* text) {
    command.add_option(name, target, text)->type_name(type)->group("Input");
  };
  std::vector<std::string> formats;
  for (const auto& [name, format] : format_choices()) formats.push_back(name);
  add_words(
      command, "--format", formats, formats.front(),
      [&options = *options, formats](std::size_t i) { options.format = formats[i]; }, "What DOCS is [by its name]")
      ->group("Input");
  option("--text", options->text_column, "COLUMN", "Where the text is [as in the run that made the result]");
  option("--id", options->id_column, "COLUMN", "Where the name of a document is [likewise]");
  command.add_flag("--skip-bad", options->skip_bad, "Count documents that cannot be read instead of stopping at them")
      ->group("Input");
  option("--features", options->feature_names, "FILE", "A matrix: names of its features, one per line");
  option("--item-names", options->item_names, "FILE", "A matrix: names of its items, one per line");
  command.add_option("-o,--output", options->output, "Write the answer into this file [stdout]")
      ->type_name("FILE")
      ->group("Output");
  command.add_flag("--json", options->json, "Write one JSON object instead of a table")->group("Output");
  command.add_flag("--quiet", options->quiet, "Say nothing but errors")->group("Output");
  add_threads(command, options->threads);
}

}  // namespace copse
