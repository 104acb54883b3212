#include "apps/copse/matrix_input.h"

#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "apps/copse/interrupt.h"
#include "apps/copse/memory.h"
#include "apps/copse/stopwatch.h"
#include "apps/copse/words.h"
#include "copse/base/error.h"

namespace copse {
namespace {

constexpr const char* input_group = "Input";

void check_count(const std::string& file, std::size_t found, Index expected, const char* what) {
  if (static_cast<Index>(found) == expected) return;
  throw InputError(fmt::format("{} has {}, but the matrix has {}.", file, counted(static_cast<Index>(found), "line"),
                               counted(expected, what)));
}

void check_rank(const MatrixSummary& summary, Index k, const std::string& path) {
  const Index most = std::min(summary.features, summary.items);
  if (k <= most) return;
  throw InputError(fmt::format("-k {} is too large for {}, which has {} and {}: at most {} is possible.", k, path,
                               counted(summary.features, "feature"), counted(summary.items, "item"), most));
}

template <class T>
MatrixSummary summary_of(const Dataset<T>& data) {
  return {.features = data.features(), .items = data.items(), .nonzeros = data.nonzeros(), .sparse = data.is_sparse()};
}

std::string sizes(const MatrixSummary& summary) {
  const std::string shape =
      fmt::format("{} x {}", counted(summary.features, "feature"), counted(summary.items, "item"));
  return summary.nonzeros < 0 ? shape : fmt::format("{}, {} entries", shape, counted(summary.nonzeros));
}

// What preparation dropped or found, for the user.
void add_notes(const PrepareReport& report, const PrepareOptions& options, bool documents,
               std::vector<std::string>& notes) {
  const auto note = [&](Index count, const char* what, const char* verdict) {
    if (count > 0) notes.push_back(counted(count, what) + " " + verdict + ".");
  };
  if (documents) {
    note(report.short_items + report.empty_items, "document",
         "too short for a topic (--min-words): the group \"short\"");
    note(report.duplicate_items, "document", "with the same words as an earlier one");
    return;
  }
  note(report.rare_features, "feature", "dropped: total below --min-count");
  note(report.short_items, "item", "dropped: total below --min-words");
  note(report.empty_features, "feature", options.drop_empty ? "dropped: empty" : "without any entry");
  note(report.empty_items, "item", options.drop_empty ? "dropped: empty" : "without any entry, put in no cluster (-1)");
  note(report.duplicate_items, "item",
       options.drop_duplicates ? "dropped: equal to an earlier one" : "equal to an earlier one");
}

template <class T>
ReadResult<T> read_or_refuse(const MatrixInputOptions& options, const MachineOptions& machine, Index k,
                             Terminal& terminal) {
  ReadOptions reading = options.reading;
  if (options.path == "-") {
    reading.memory_limit = static_cast<std::size_t>(machine.memory_limit);
    const std::string bytes = read_standard_input();
    return read_matrix<T>(std::span<const char>(bytes.data(), bytes.size()), "standard input", reading);
  }
  const MatrixSummary summary = peek_matrix(options.path, reading);
  check_rank(summary, k, options.path);
  terminal.say(
      fmt::format("{}: {}; about {} of memory will do", options.path, sizes(summary),
                  in_bytes(estimate_factorization(summary, source_of(options.path), k, machine.precision).total())));
  check_fits(summary, source_of(options.path), k, machine);
  reading.memory_limit = static_cast<std::size_t>(machine.memory_limit);
  terminal.show("reading " + options.path + " ...");
  return read_matrix<T>(options.path, reading);
}

template <class T>
ReadResult<T> read(const MatrixInputOptions& options, const MachineOptions& machine, Index k, Terminal& terminal) {
  try {
    return read_or_refuse<T>(options, machine, k, terminal);
  } catch (const InputError& error) {
    if (options.hint.empty()) throw;
    throw InputError(error.what() + (" " + options.hint));
  }
}

template <class T>
void read_counts(const MatrixInputOptions& options, const MachineOptions& machine, Index k, Terminal& terminal,
                 MatrixInput<T>& input) {
  Corpus<T> corpus =
      read_documents<T>(options.path, *options.documents, machine.memory_limit, terminal, input.documents.source);
  input.notes = notes_of(corpus.report);
  input.data.values = std::move(corpus.counts);
  input.data.feature_names = corpus.vocabulary.names;
  input.data.item_names = std::move(corpus.ids);
  input.classes = std::move(corpus.labels);
  input.documents.vocabulary = to_json(corpus.vocabulary);
  input.documents.titles = std::move(corpus.titles);
  input.documents.times = std::move(corpus.times);
  // Reading leaves many small free blocks behind, which the factorization would come on top of.
  ::malloc_trim(0);
  const MatrixSummary summary = summary_of(input.data);
  terminal.say(fmt::format("{}: {}, {} ({} different, {} counted); their topics take about {} of memory",
                           options.called(), counted(summary.items, "document"), counted(corpus.words, "word"),
                           counted(corpus.distinct_words), counted(summary.features),
                           in_bytes(estimate_factorization(summary, Source::memory, k, machine.precision).total())));
  check_fits(summary, Source::memory, k, machine);
}

// Why no document has anything to be told apart by.
std::string nothing_left(const MatrixInputOptions& options, const std::vector<std::string>& names,
                         const PrepareReport& report) {
  const auto documents = static_cast<Index>(names.size());
  if (report.short_items == documents) {
    return fmt::format("{}: all of {} have fewer than {} words that count (--min-words), too few for a topic.",
                       options.called(), counted(documents, "document"), options.prepare.min_item_total);
  }
  return fmt::format(
      "{}: every word that counts is in all of {}, and --weights {} gives such words no weight; smooth-tf-idf would.",
      options.called(), counted(documents - report.short_items, "document"),
      name_of(weighting_choices(), options.prepare.weighting));
}

// Fills all_item_names, preparation and notes. Throws InputError when nothing is left.
template <class T>
void prepare_input(const MatrixInputOptions& options, MatrixInput<T>& input, Terminal& terminal) {
  terminal.show("preparing ...");
  std::vector<std::string>& names = input.all_item_names;
  if (options.documents) {
    names = std::exchange(input.data.item_names, {});  // a million of them are worth moving
  } else {
    names = input.data.item_names;
  }
  if (names.empty()) {
    for (Index j = 0; j < input.data.items(); ++j) names.push_back(std::to_string(j));
  }
  if (input.data.nonzeros() == 0) {
    throw InputError(options.called() + " has no entry but zeros; there is nothing to factor.");
  }
  input.preparation = prepare(input.data, options.prepare);
  add_notes(input.preparation, options.prepare, options.documents.has_value(), input.notes);
  if (input.data.nonzeros() == 0 && options.documents)
    throw InputError(nothing_left(options, names, input.preparation));
  if (input.data.nonzeros() == 0) {
    throw InputError("preparation leaves nothing of " + options.called() + " but zeros; ask for less of it.");
  }
}

}  // namespace

void add_matrix_input(CLI::App& command, MatrixInputOptions& options, const char* argument, const char* description) {
  command.add_option(argument, options.path, description)->type_name("FILE")->required();
  static const Choices<Items> sides = {{"columns", Items::columns}, {"rows", Items::rows}};
  add_choice(command, "--items", options.reading.items, sides, "Where the items (documents, patients) are in the file")
      ->group(input_group);
  const auto file = [&](const char* name, std::string& target, const char* description) {
    command.add_option(name, target, description)->type_name("FILE")->group(input_group);
  };
  file("--features", options.feature_names, "Names of the features (words, genes), one per line");
  file("--item-names", options.item_names, "Names of the items, one per line");
  file("--truth", options.truth, "The true class of each item, one per line: adds quality measures to the result");
  add_table_options(command, options.reading);
  add_preparation_options(command, options.prepare);
}

template <class T>
MatrixInput<T> load(const MatrixInputOptions& options, const MachineOptions& machine, Index k, Terminal& terminal,
                    Seconds& seconds) {
  MatrixInput<T> input;
  const Stopwatch reading;
  if (options.documents) {
    read_counts(options, machine, k, terminal, input);
  } else {
    ReadResult<T> result = read<T>(options, machine, k, terminal);
    input.data = std::move(result.dataset);
    input.notes = std::move(result.notes);
    const auto read_column = [&](const std::string& file, std::vector<std::string>& target, Index count,
                                 const char* what) {
      if (file.empty()) return;
      target = read_names(file, &input.notes);
      check_count(file, target.size(), count, what);
    };
    read_column(options.feature_names, input.data.feature_names, input.data.features(), "feature");
    read_column(options.item_names, input.data.item_names, input.data.items(), "item");
    read_column(options.truth, input.classes, input.data.items(), "item");
  }
  seconds.read += reading.seconds();
  const Stopwatch preparing;
  prepare_input(options, input, terminal);
  seconds.prepare += preparing.seconds();
  check_rank(summary_of(input.data), k, options.called());
  return input;
}

Settings settings_of(const MatrixInputOptions& options) {
  const PrepareOptions& prepare = options.prepare;
  Settings settings;
  if (options.documents) {
    settings = settings_of(options.path, *options.documents);
  } else {
    settings = {{"matrix", options.path},
                {"items", std::string(options.reading.items == Items::columns ? "columns" : "rows")},
                {"features", options.feature_names},
                {"item_names", options.item_names},
                {"truth", options.truth}};
  }
  const double min_count =
      options.documents ? static_cast<double>(options.documents->text.min_count) : prepare.min_feature_total;
  const Settings own = {{"min_count", min_count},
                        {"min_words", prepare.min_item_total},
                        {"drop_empty", prepare.drop_empty},
                        {"drop_duplicates", prepare.drop_duplicates},
                        {"weights", name_of(weighting_choices(), prepare.weighting)},
                        {"scale", name_of(scaling_choices(), prepare.feature_scaling)},
                        {"unit_columns", prepare.unit_items},
                        {"normalized_cut", prepare.normalized_cut}};
  settings.insert(settings.end(), own.begin(), own.end());
  return settings;
}

std::string read_standard_input() {
  std::string bytes;
  std::string chunk(1 << 20, '\0');
  while (true) {
    pollfd standard_input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::poll(&standard_input, 1, -1) < 0 && errno == EINTR) {
      if (interruption().requested()) throw Cancelled();
      continue;
    }
    const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (count == 0) return bytes;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw InputError(fmt::format("cannot read the standard input: {}.", std::strerror(errno)));
    bytes.append(chunk, 0, static_cast<std::size_t>(count));
  }
}

template MatrixInput<float> load(const MatrixInputOptions&, const MachineOptions&, Index, Terminal&, Seconds&);
template MatrixInput<double> load(const MatrixInputOptions&, const MachineOptions&, Index, Terminal&, Seconds&);

}  // namespace copse
