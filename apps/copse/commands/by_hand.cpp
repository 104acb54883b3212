#include "apps/copse/commands/by_hand.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

#include "apps/copse/terminal/words.h"
#include "copse/base/error.h"
#include "copse/input/options.h"
#include "copse/methods/options.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

constexpr const char* input_group = "Input";
constexpr const char* output_group = "Output";
constexpr const char* machine_group = "Machine";
constexpr const char* stopping_group = "Stopping";
constexpr const char* preparation_group = "Preparation (drop, weigh, scale, in this order)";

// "-o,--output" is called --output in a sentence.
std::string long_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

template <class Number>
Number parse_number(const std::string& name, const std::string& text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = std::numeric_limits<Number>::is_integer;
  // A number too large for its type is out of range, not unreadable.
  if (error == std::errc::invalid_argument || end != text.data() + text.size() || value != value) {
    throw CLI::ValidationError(name, fmt::format("'{}' is not a {}number", text, whole ? "whole " : ""));
  }
  if (error != std::errc() || value < least || value > most) {
    // Where there is no upper limit but that of the machine, it matters to those who passed it only.
    const bool too_small = error == std::errc() ? value < least : text.starts_with('-');
    const std::string range = most == std::numeric_limits<Number>::max() && too_small
                                  ? fmt::format("at least {}", least)
                                  : fmt::format("{} to {}", least, most);
    throw CLI::ValidationError(name, fmt::format("{} is out of range: it must be {}", text, range));
  }
  return value;
}

// Other files are called after a folder, so slashes at its end go, and "." and ".." give way to a name.
std::string folder_name(const std::string& given) {
  namespace fs = std::filesystem;
  const auto without_slashes = [](const fs::path& path) { return path.has_filename() ? path : path.parent_path(); };
  const fs::path path = without_slashes(given);
  if (path.filename() != "." && path.filename() != "..") return path.string();
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  return error ? path.string() : without_slashes(whole).string();
}

}  // namespace

template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& names, Number& target, Number least, Number most,
                        const std::string& description) {
  CLI::Option* option = command.add_option(
      names,
      [&target, names, least, most](const CLI::results_t& given) {
        target = parse_number(long_name(names), given.front(), least, most);
        return true;
      },
      description);
  if (least <= target && target <= most) option->default_str(fmt::format("{}", target));
  return option->type_name(std::numeric_limits<Number>::is_integer ? "N" : "X");
}

CLI::Option* add_number_or_auto(CLI::App& command, const std::string& names, Index& target,
                                const std::function<void()>& choose, const std::string& description) {
  CLI::Option* option = command.add_option(
      names,
      [&target, names, choose](const CLI::results_t& given) {
        if (given.front() == "auto") {
          choose();
        } else {
          target = parse_number(long_name(names), given.front(), Index(1), std::numeric_limits<Index>::max());
        }
        return true;
      },
      description);
  if (target >= 1) option->default_str(std::to_string(target));
  return option->type_name("N|auto");
}

template CLI::Option* add_number(CLI::App&, const std::string&, int&, int, int, const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, Index&, Index, Index, const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, std::uint64_t&, std::uint64_t, std::uint64_t,
                                 const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, double&, double, double, const std::string&);

CLI::Option* add_amount(CLI::App& command, const std::string& names, double& target,
                        double (*parse)(const std::string&), const std::string& type, const std::string& description) {
  CLI::Option* option = command.add_option(
      names,
      [&target, names, parse](const CLI::results_t& given) {
        try {
          target = parse(given.front());
        } catch (const InvalidArgument& error) {
          throw CLI::ValidationError(long_name(names), error.what());
        }
        return true;
      },
      description);
  return option->type_name(type);
}

CLI::Option* add_words(CLI::App& command, const std::string& names, const std::vector<std::string>& words,
                       const std::string& default_word, const std::function<void(std::size_t)>& take,
                       const std::string& description) {
  CLI::Option* option = command.add_option(
      names,
      [words, names, take](const CLI::results_t& given) {
        const auto found = std::find(words.begin(), words.end(), given.front());
        if (found == words.end()) {
          throw CLI::ValidationError(long_name(names),
                                     fmt::format("'{}' is not one of {}{}", given.front(), joined(words, ", "),
                                                 suggestion(given.front(), words)));
        }
        take(static_cast<std::size_t>(found - words.begin()));
        return true;
      },
      description);
  return option->type_name(joined(words, "|"))->default_str(default_word);
}

CLI::Option* add_folder(CLI::App& command, const std::string& names, std::string& target,
                        const std::string& description) {
  CLI::Option* option = command.add_option(
      names,
      [&target, names](const CLI::results_t& given) {
        if (given.front().empty()) throw CLI::ValidationError(long_name(names), "the name of the folder is empty");
        target = folder_name(given.front());
        return true;
      },
      description);
  return option->type_name("DIR");
}

void add_json_and_quiet(CLI::App& command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print the result as one JSON object on stdout")->group(output_group);
  command.add_flag("--quiet", options.quiet, "Say nothing but errors")->group(output_group);
}

void add_all(CLI::App& command, bool& all) {
  command.add_flag("--all", all, "Print all topics, where a terminal gets a screen of the largest")
      ->group(output_group);
}

void add_output_options(CLI::App& command, OutputOptions& options) {
  add_folder(command, "-o,--output", options.folder,
             "Write the result into this folder. It is created, or must be empty; its files appear together when all "
             "are complete")
      ->group(output_group);
  command.add_flag("--force", options.force, "Replace an earlier result in the output folder")->group(output_group);
  command.add_flag("!--no-page", options.page, "Write no report.html, and keep no text of documents in the model")
      ->group(output_group);
  add_json_and_quiet(command, options);
}

void add_threads(CLI::App& command, int& threads) {
  add_number(command, "--threads", threads, 1, 4096,
             "Threads to use; the result does not depend on it [all that the machine has]")
      ->group(machine_group);
}

void add_precision(CLI::App& command, Precision& precision) {
  add_choice(command, "--precision", precision, "Numbers of 4 or of 8 bytes")->group(machine_group);
}

void add_memory_limit(CLI::App& command, double& bytes) {
  add_amount(command, "--memory-limit", bytes, parse_bytes, "SIZE",
             "Memory to use at most, such as 8G; what cannot do with it does not start [what the machine has to spare]")
      ->group(machine_group);
}

void add_engine(CLI::App& command, MachineOptions& options) {
  add_choice(command, "--engine", options.engine,
             "Where the entries are: in memory, or in a file (.copse, .h5ad, .h5, .npz without compression; a scratch "
             "file for "
             "documents), which is read again and again; automatic: in memory if they fit")
      ->group(machine_group);
}

void add_machine_options(CLI::App& command, MachineOptions& options) {
  add_threads(command, options.threads);
  add_precision(command, options.precision);
  add_memory_limit(command, options.memory_limit);
}

void add_seed(CLI::App& command, std::uint64_t& seed) {
  add_number(command, "--seed", seed, std::uint64_t(0), std::numeric_limits<std::uint64_t>::max(),
             "Seed of the random numbers: the same seed gives the same bits");
}

void add_table_options(CLI::App& command, ReadOptions& options) {
  add_choice(command, "--header", options.header, "Names in the first line of a .csv or .tsv file")->group(input_group);
  add_choice(command, "--row-names", options.row_names, "Names in its first column")->group(input_group);
}

void add_cell_options(CLI::App& command, ReadOptions& options) {
  command.add_option("--layer", options.layer, "Layer of an .h5ad file to read in place of its X")
      ->type_name("NAME")
      ->group(input_group);
  command
      .add_option("--cell-labels", options.label,
                  "Column of obs in an .h5ad file with the true class of each cell, as --truth")
      ->type_name("COLUMN")
      ->group(input_group);
}

void add_loss(CLI::App& command, NmfOptions& options) {
  add_choice(
      command, "--loss", options.loss,
      "frobenius: |X - W H|^2; kl: the Kullback-Leibler divergence of counts, the sum of x log(x / (W H)) - x + (W H)");
}

void add_consensus(CLI::App& command, ConsensusOptions& options) {
  add_number(command, "--consensus", options.runs, 2, 1000000,
             "Make so many runs (100 is usual) and take the components that come back in them, in place of the best "
             "run [Kotliar et al. 2019]");
  add_number(command, "--consensus-distance", options.most_distance, 0.0, 2.0,
             "Leave out components with a larger mean distance, as vectors of length 1, to those nearest to them; 2: "
             "none")
      ->needs("--consensus");
}

void add_stopping_options(CLI::App& command, NmfOptions& options) {
  add_number(command, "--max-iterations", options.max_iterations, 1, std::numeric_limits<int>::max(),
             "At most so many iterations")
      ->group(stopping_group);
  add_number(
      command, "--tolerance", options.tolerance, 0.0, 1.0,
      "Stop when the norm of the projected gradient, for X / |X| and unit columns of W, is at most this times sqrt(k)")
      ->group(stopping_group);
  add_amount(command, "--time-limit", options.time_limit, parse_seconds, "TIME",
             "Stop after this time with the best result so far, such as 90s or 5m [none]")
      ->group(stopping_group);
}

void add_text_flag(CLI::App& command, PrepareOptions& options) {
  // A flag and not an option of prepare(): what the named options say comes after it, whatever their order.
  command
      .add_flag_callback(
          "--text", [&options] { options = text_preparation(); },
          "Counts of words: --min-count 3 --min-words 1 --drop-empty --weights text --unit-columns")
      ->group(preparation_group)
      ->trigger_on_parse();
}

void add_preparation_options(CLI::App& command, PrepareOptions& options) {
  const auto minimum = [&](const char* names, double& target, const char* description) {
    add_number(command, names, target, 0.0, std::numeric_limits<double>::max(), description)->group(preparation_group);
  };
  minimum("--min-count", options.min_feature_total, "Drop features whose entries add up to less");
  minimum("--min-words", options.min_item_total,
          "Keep items whose entries add up to less out of the fit; they are placed afterwards");
  command.add_flag("--drop-empty", options.drop_empty, "Drop features and items with no entry but zeros")
      ->group(preparation_group);
  command.add_flag("--drop-duplicates", options.drop_duplicates, "Drop items that equal an earlier one")
      ->group(preparation_group);
  add_number(command, "--library-size", options.library_size, 0.0, std::numeric_limits<double>::max(),
             "Counts of genes: multiply each item so that its entries add up to this, such as 10000; 0: do not")
      ->group(preparation_group);
  add_number(command, "--select", options.select_features, Index(0), std::numeric_limits<Index>::max(),
             "Keep so many features, those that vary most, such as 5000; 0: all")
      ->group(preparation_group);
  add_choice(
      command, "--select-by", options.select_by,
      "What varies most: standard deviation / mean [Kuang 2014, 4.7], or variance / mean, which prefers features "
      "with many counts")
      ->group(preparation_group);
  add_weighting_options(command, options);
}

void add_weighting_options(CLI::App& command, PrepareOptions& options) {
  const auto flag = [&](const char* names, bool& target, const char* description) {
    command.add_flag(names, target, description)->group(preparation_group);
  };
  add_choice(
      command, "--weights", options.weighting,
      "Of a count x of a feature that df of n items have. text, for words: log(1 + x) log(n / df)^1.5, and items that "
      "share little with others count a little more; tf-idf, as in the papers: x log(n / df); smooth-tf-idf: "
      "x (log((n + 1) / (df + 1)) + 1); log-tf-idf: log(1 + x) log(n / df); log: log(1 + x)")
      ->group(preparation_group);
  add_choice(command, "--scale", options.feature_scaling,
             "Divide each feature by its largest entry or its standard deviation")
      ->group(preparation_group);
  flag("--unit-columns,!--no-unit-columns", options.unit_items, "Scale each item to length one");
  flag("--normalized-cut", options.normalized_cut,
       "Weigh the items as a normalized cut does [Kuang 2014, eq. 7], not damped");
}

namespace {

constexpr const char* documents_group = "Documents";
constexpr const char* words_group = "Words";

}  // namespace

void add_matrix_input(CLI::App& command, InputOptions& options, const char* argument, const char* description) {
  command.add_option(argument, options.path, description)->type_name("FILE")->required();
  add_choice(
      command, "--items", options.reading.items,
      "Where the items (documents, patients) are in the file; automatic: in columns, and the cells of single-cell data")
      ->group(input_group);
  const auto file = [&](const char* name, std::string& target, const char* description) {
    command.add_option(name, target, description)->type_name("FILE")->group(input_group);
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
struct ChoiceByHand {
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
void decide(const CLI::App& command, const ChoiceByHand& choice, InputOptions& input) {
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
  const auto choice = std::make_shared<ChoiceByHand>();
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

}  // namespace copse
