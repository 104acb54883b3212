#include "apps/copse/commands/input_options.h"

#include <filesystem>
#include <memory>

#include "copse/base/error.h"
#include "copse/input/options.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

// What the line says about the input, until all of it is known.
struct InputChoice {
  DocumentInputOptions documents;
  std::string text_column;  // empty: not named
  bool matrix = false;      // --format matrix
};

}  // namespace

template <>
const OptionRows& rows<InputChoice>() {
  static const OptionRows table = [] {
    using Of = InputChoice;
    RowsOf<Of> rows;
    rows.nest(&Of::documents);
    std::vector<std::string> formats = names_of<DocumentFormat>();
    formats.push_back("matrix");
    rows.computed(
            "format", OptionKind::choice,
            [](const Of& choice) {
              return choice.matrix ? std::string("matrix") : name_of(choice.documents.reading.format);
            },
            [](Of& choice, const Setting& value) {
              const std::string& word = std::get<std::string>(value);
              choice.matrix = word == "matrix";
              if (!choice.matrix) choice.documents.reading.format = choice_of<DocumentFormat>("format", word);
              return true;
            },
            "What the input is", formats)
        .otherwise("by its name");
    rows.replace();
    rows.row(
            "text", &Of::text_column,
            "Documents: where the text is in a table or in JSON objects [text]. A matrix: counts of words, prepared as "
            "`min_count` 3 `min_words` 1 `drop_empty` `weights` text `unit_columns`")
        .shown_as("[COLUMN]");
    rows.replace();
    return rows.done();
  }();
  return table;
}

namespace {

// The options that were given, on top of `base`.
PrepareOptions given_over(const Command& command, const PrepareOptions& given, PrepareOptions base) {
  for (const Option& row : rows<PrepareOptions>()) {
    if (command.has(row.name)) row.set(&base, *row.value(&given));
  }
  return base;
}

template <class Options>
void refuse(const Command& command, const std::string& reason) {
  for (const Option& row : rows<Options>()) {
    if (!row.group.empty() && row.name != "matrix" && row.name != "format" && row.name != "text" &&
        command.has(row.name))
      throw WrongOption(row.name, reason);
  }
}

// Documents or a matrix, now that the line is complete.
void decide(const Command& command, const InputChoice& choice, InputOptions& input) {
  const bool column_named = !choice.text_column.empty() || command.has("id") || command.has("label") ||
                            command.has("time") || command.has("title");
  if (!choice.matrix && names_documents(input.path, choice.documents.reading, column_named)) {
    const std::string reason = "is for a matrix, but " + input.path + " is read as documents";
    for (const char* name : {"features", "item_names", "truth"}) {
      if (command.has(name)) throw WrongOption(name, reason);
    }
    refuse<ReadOptions>(command, reason);
    // Every document is placed; equal ones stand for a topic once.
    if (command.has("drop_duplicates")) throw WrongOption("drop_duplicates", reason);
    input.prepare = given_over(command, input.prepare, text_preparation());
    input.documents = choice.documents;
    if (!choice.text_column.empty()) input.documents->reading.text_field = choice.text_column;
  } else {
    refuse<DocumentInputOptions>(command, "is for documents, but " + input.path + " is read as a matrix");
    if (!choice.matrix && std::filesystem::exists(input.path) &&
        names_documents(input.path, choice.documents.reading, true))
      input.hint = "If it holds documents, name the column of their text: --text COLUMN.";
    if (command.has("text")) input.prepare = given_over(command, input.prepare, text_preparation());
  }
}

}  // namespace

const OptionRows& text_flag() {
  static const OptionRows table = [] {
    RowsOf<PrepareOptions> rows;
    rows.computed(
            "text", OptionKind::flag, [](const PrepareOptions&) { return false; },
            [](PrepareOptions& options, const Setting&) {
              options = text_preparation();
              return true;
            },
            "Counts of words: `min_count` 3 `min_words` 1 `drop_empty` `weights` text `unit_columns`")
        .in(copse::rows<PrepareOptions>().front().group);
    return rows.done();
  }();
  return table;
}

void add_documents_or_matrix(Command& command, InputOptions& input, OptionRows rows, void* options) {
  const auto choice = std::make_shared<InputChoice>();
  make_argument(row_of(rows, "matrix"), "DOCS|MATRIX")
      .means(
          "Documents: a folder, .jsonl, .txt, .csv or .tsv with --text COLUMN, or - for stdin. A matrix: .copse, "
          "MatrixMarket (.mtx), .npy, SciPy .npz, .csv, .tsv, .h5ad or 10x data (.h5, folders). Both also compressed "
          "(.gz, .zst)");
  command.add(rows, options).add(*choice);
  command.then([choice, command, &input] { decide(command, *choice, input); });
}

}  // namespace copse
