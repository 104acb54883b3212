#include "apps/copse/commands/input_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>

#include "copse/input/options.h"
#include "copse/methods/options.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

constexpr const char* source_group = "Input";
constexpr const char* documents_group = "Documents";
constexpr const char* words_group = "Words";

}  // namespace

void add_matrix_input(CLI::App& command, InputOptions& options, const char* argument, const char* description) {
  command.add_option(argument, options.path, description)->type_name("FILE")->required();
  add_choice(
      command, "--items", options.reading.items,
      "Where the items (documents, patients) are in the file; automatic: in columns, and the cells of single-cell data")
      ->group(source_group);
  const auto file = [&](const char* name, std::string& target, const char* description) {
    command.add_option(name, target, description)->type_name("FILE")->group(source_group);
  };
  file("--features", options.feature_names, "Names of the features (words, genes), one per line");
  file("--item-names", options.item_names, "Names of the items, one per line");
  file("--truth", options.truth, "The true class of each item, one per line: adds quality measures to the result");
  add_table_options(command, options.reading);
  add_cell_options(command, options.reading);
  add_preparation_options(command, options.prepare);
}

void add_reading_options(CLI::App& command, DocumentOptions& options) {
  const auto field = [&](const char* name, std::string& target, const char* description) {
    command.add_option(name, target, description)->type_name("COLUMN")->group(documents_group);
  };
  field("--id", options.id_field, "Where the name of a document is [id]");
  field("--label", options.label_field, "Where its true class is [label]: adds quality measures and tables of classes");
  field("--time", options.time_field, "Where its time is [time or date]: adds topics over time");
  field("--title", options.title_field, "Where its title is [title]");
  command.add_flag("--skip-bad", options.skip_bad, "Count documents that cannot be read instead of stopping at them")
      ->group(documents_group);
}

void add_word_options(CLI::App& command, DocumentInputOptions& options) {
  TextOptions& text = options.text;
  const auto grouped = [](CLI::Option* option) { option->group(words_group); };
  grouped(command
              .add_option_function<std::string>(
                  "--language",
                  [&text](const std::string& languages) { text.stop_words = copse::split(languages, ','); },
                  "Languages, with commas between, whose commonest words are left out; auto: those that are found; "
                  "none: leave nothing out")
              ->type_name("LANGUAGES")
              ->default_str("auto"));
  grouped(command.add_option("--stop-words", options.stop_word_file, "More words to leave out, one per line")
              ->type_name("FILE"));
  grouped(command
              .add_option("--stem", text.stemmer,
                          "Count the forms of a word together, by the rules of this language; auto: of the main one")
              ->type_name("none|auto|LANGUAGE")
              ->default_str(text.stemmer));
  grouped(command.add_flag("--bigrams", text.bigrams, "Count pairs of words that belong together as terms, too"));
  grouped(add_number(command, "--max-share", text.max_share, 0.0, 1.0,
                     "Drop words that are in a larger share of the documents"));
  grouped(add_number(command, "--max-features", text.max_terms, Index(0), std::numeric_limits<Index>::max(),
                     "Keep the most frequent words only; 0: all"));
  grouped(command.add_flag("--numbers", text.tokens.numbers, "Keep words that have no letter"));
  grouped(add_choice(command, "--addresses", text.tokens.links, "What becomes of web and mail addresses"));
  grouped(
      add_choice(command, "--words", text.tokens.rule, "Word boundaries of Unicode, or runs of letters, digits and _"));
  grouped(command.add_flag("--drop-headers", text.mail.drop_headers, "Mail and news: leave the header lines out"));
  grouped(command.add_flag("--drop-quotes", text.mail.drop_quotes, "Mail and news: leave quoted lines out"));
  grouped(command.add_flag("--drop-signatures", text.mail.drop_signature,
                           "Mail and news: leave out what follows the line \"-- \""));
}

namespace {

// What the line says about the input, until all of it is known.
struct InputChoice {
  DocumentInputOptions documents;
  std::string text_column;  // empty: not named
  bool matrix = false;      // --format matrix
};

// The options that were given, on top of `base`.
PrepareOptions given_over(const CLI::App& command, const PrepareOptions& given, PrepareOptions base) {
  Settings asked;
  add_settings(given, asked);
  for (const Option& row : rows<PrepareOptions>()) {
    std::string name = row.name;
    std::ranges::replace(name, '_', '-');
    if (command.count("--" + name) > 0) row.set(&base, *find_setting(asked, row.name));
  }
  return base;
}

void refuse(const CLI::App& command, std::initializer_list<const char*> groups, const std::string& reason) {
  for (const CLI::Option* option : command.get_options()) {
    const bool theirs = std::ranges::any_of(groups, [&](const char* group) { return option->get_group() == group; });
    if (theirs && option->count() > 0) throw CLI::ValidationError("--" + option->get_lnames().front(), reason);
  }
}

// Documents or a matrix, now that the line is complete.
void decide(const CLI::App& command, const InputChoice& choice, InputOptions& input) {
  const bool column_named =
      !choice.text_column.empty() ||
      command.count("--id") + command.count("--label") + command.count("--time") + command.count("--title") > 0;
  if (!choice.matrix && names_documents(input.path, choice.documents.reading, column_named)) {
    const std::string reason = "is for a matrix, but " + input.path + " is read as documents";
    refuse(command, {"Input"}, reason);
    // Every document is placed; equal ones stand for a topic once.
    if (command.count("--drop-duplicates") > 0) throw CLI::ValidationError("--drop-duplicates", reason);
    input.prepare = given_over(command, input.prepare, text_preparation());
    input.documents = choice.documents;
    if (!choice.text_column.empty()) input.documents->reading.text_field = choice.text_column;
  } else {
    refuse(command, {"Documents", "Words"}, "is for documents, but " + input.path + " is read as a matrix");
    if (!choice.matrix && std::filesystem::exists(input.path) &&
        names_documents(input.path, choice.documents.reading, true))
      input.hint = "If it holds documents, name the column of their text: --text COLUMN.";
    if (command.count("--text") > 0) input.prepare = given_over(command, input.prepare, text_preparation());
  }
}

}  // namespace

void add_documents_or_matrix(CLI::App& command, InputOptions& input, std::function<void()> checked) {
  const auto choice = std::make_shared<InputChoice>();
  add_matrix_input(command, input, "DOCS|MATRIX",
                   "Documents: a folder, .jsonl, .txt, .csv or .tsv with --text COLUMN, or - for stdin. A matrix: "
                   ".copse, MatrixMarket (.mtx), .npy, SciPy .npz, .csv, .tsv, .h5ad or 10x data (.h5, folders). Both "
                   "also compressed (.gz, .zst)");
  std::vector<std::string> formats = names_of<DocumentFormat>();
  formats.push_back("matrix");
  add_words(
      command, "--format", formats, formats.front(),
      [choice](std::size_t i) {
        choice->matrix = i == choices<DocumentFormat>().size();
        if (!choice->matrix) choice->documents.reading.format = choices<DocumentFormat>()[i].second;
      },
      "What the input is [by its name]");
  command
      .add_option(
          "--text", choice->text_column,
          "Documents: where the text is in a table or in JSON objects [text]. A matrix: counts of words, prepared "
          "as --min-count 3 --min-words 1 --drop-empty --weights text --unit-columns")
      ->type_name("[COLUMN]")
      ->expected(0, 1);
  add_reading_options(command, choice->documents.reading);
  add_word_options(command, choice->documents);
  CLI::App* parsed = &command;
  command.parse_complete_callback([choice, parsed, &input, checked = std::move(checked)] {
    decide(*parsed, *choice, input);
    if (checked) checked();
  });
}

void add_joint_options(CLI::App& command, JointInput& options) {
  const auto grouped = [](CLI::Option* option) { return option->group("Graph"); };
  grouped(command.add_option("--links", options.links,
                             "Links between documents, by their ids: a line for each, \"from to [weight]\"; also "
                             "METIS, GraphML or a matrix"))
      ->type_name("FILE");
  grouped(command.add_option("--vectors", options.vectors,
                             "A vector for every document: a .npy file whose rows are in the order of the documents"))
      ->type_name("FILE");
  grouped(add_choice(
      command, "--neighbour-graph", options.neighbours,
      "Join each document to those that are most similar to it by their words; automatic: where there are no links "
      "or vectors and it does not take long"));
  grouped(add_number(command, "--graph-weight", options.weight, 0.0, 1e6,
                     "How much links and neighbours count: at 1 as much as words")
              ->default_str("1; 0.3 for neighbours by words"));
}

}  // namespace copse
