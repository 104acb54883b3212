#include "apps/copse/document_input.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "apps/copse/memory.h"
#include "apps/copse/words.h"
#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/compression.h"
#include "copse/io/matrix_file.h"

namespace copse {
namespace {

constexpr const char* documents_group = "Documents";
constexpr const char* words_group = "Words";

const Choices<Links>& link_choices() {
  static const Choices<Links> choices = {{"drop", Links::drop}, {"whole", Links::whole}, {"words", Links::words}};
  return choices;
}

const Choices<WordRule>& rule_choices() {
  static const Choices<WordRule> choices = {{"unicode", WordRule::unicode}, {"characters", WordRule::word_characters}};
  return choices;
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Text of less takes no memory to speak of.
constexpr double little_text = 16e6;
// Measured: 1.7 to 2.9 bytes of memory for a byte of text, the more the shorter its words.
constexpr double memory_of_text = 3;

// Nothing for the standard input and for compressed files, which do not say how much they hold.
std::optional<double> text_size(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (path == "-" || name_without_compression(path) != path) return std::nullopt;
  if (!fs::is_directory(path, ignored)) {
    const auto size = fs::file_size(path, ignored);
    return ignored ? std::nullopt : std::optional(static_cast<double>(size));
  }
  double sum = 0;
  for (fs::recursive_directory_iterator entry(path, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    std::error_code no_size;
    const auto size = entry->is_regular_file(no_size) ? entry->file_size(no_size) : 0;
    if (!no_size) sum += static_cast<double>(size);
  }
  return sum;
}

// Ten times a second: shows the number of documents that were read, and sees that they do not take too much memory.
class CountingReader : public DocumentReader {
 public:
  CountingReader(std::unique_ptr<DocumentReader> reader, double memory_limit, Terminal& terminal)
      : reader_(std::move(reader)),
        is_given_(memory_limit > 0),
        memory_limit_(is_given_ ? memory_limit : available_memory()),
        terminal_(terminal) {}

  bool next(Document& document) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ > std::chrono::milliseconds(100)) {
      shown_ = now;
      check_cancelled();
      const std::string documents = counted(reader_->report().documents, "document");
      terminal_.show(fmt::format("reading: {} ...", documents));
      if (static_cast<double>(peak_memory()) > memory_limit_)
        throw InputError(fmt::format("reading takes more memory than the {} that {}: {} were read, and there are more.",
                                     in_bytes(memory_limit_),
                                     is_given_ ? "--memory-limit allows" : "the machine can spare", documents));
    }
    return reader_->next(document);
  }
  const ReadReport& report() const override { return reader_->report(); }

 private:
  std::unique_ptr<DocumentReader> reader_;
  bool is_given_;
  double memory_limit_;
  Terminal& terminal_;
  std::chrono::steady_clock::time_point shown_{};
};

}  // namespace

const Choices<DocumentFormat>& format_choices() {
  static const Choices<DocumentFormat> choices = {{"automatic", DocumentFormat::automatic},
                                                  {"folder", DocumentFormat::folder},
                                                  {"json-lines", DocumentFormat::json_lines},
                                                  {"table", DocumentFormat::table},
                                                  {"lines", DocumentFormat::lines}};
  return choices;
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
                  "--language", [&text](const std::string& languages) { text.stop_words = parts_of(languages); },
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
  grouped(add_choice(command, "--links", text.tokens.links, link_choices(), "What becomes of web and mail addresses"));
  grouped(add_choice(command, "--words", text.tokens.rule, rule_choices(),
                     "Word boundaries of Unicode, or runs of letters, digits and _"));
  grouped(command.add_flag("--drop-headers", text.mail.drop_headers, "Mail and news: leave the header lines out"));
  grouped(command.add_flag("--drop-quotes", text.mail.drop_quotes, "Mail and news: leave quoted lines out"));
  grouped(command.add_flag("--drop-signatures", text.mail.drop_signature,
                           "Mail and news: leave out what follows the line \"-- \""));
}

bool names_documents(const std::string& path, const DocumentOptions& options, bool column_named) {
  if (options.format != DocumentFormat::automatic || path == "-") return true;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return true;
  std::string name = path;
  for (const char* packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - std::string_view(packed).size());
  }
  const auto ends_in = [&](std::initializer_list<const char*> endings) {
    return std::ranges::any_of(endings, [&](const char* ending) { return name.ends_with(ending); });
  };
  return ends_in({".jsonl", ".ndjson", ".json", ".txt"}) || (column_named && ends_in({".csv", ".tsv"}));
}

template <class T>
Corpus<T> read_documents(const std::string& path, const DocumentInputOptions& options, double memory_limit,
                         Terminal& terminal, std::shared_ptr<const DocumentSource>& source) {
  source = std::make_shared<const DocumentSource>(path, options.reading);
  if (const auto bytes = text_size(path); bytes && *bytes > little_text) {
    terminal.say(fmt::format("{}: {} to read, which may take up to about {} of memory", options.called(path),
                             in_bytes(*bytes), in_bytes(memory_of_text * *bytes)));
  }
  CountingReader reader(source->open(), memory_limit, terminal);
  if (options.vocabulary) return read_corpus<T>(reader, *options.vocabulary);
  TextOptions text = options.text;
  if (!options.stop_word_file.empty()) text.more_stop_words = read_names(options.stop_word_file, nullptr);
  return read_corpus<T>(reader, text);
}

std::vector<std::string> notes_of(const ReadReport& report) {
  std::vector<std::string> notes;
  const auto note = [&](Index count, const char* what, const char* verdict) {
    if (count > 0) notes.push_back(counted(count, what) + " " + verdict + ".");
  };
  note(report.skipped, "document", "skipped: could not be read");
  note(report.repaired, "document", "repaired: not UTF-8, or with NUL bytes");
  note(report.passed_over, "file", "passed over: not text");
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  return notes;
}

Settings settings_of(const std::string& path, const DocumentInputOptions& options) {
  const DocumentOptions& reading = options.reading;
  const TextOptions& text = options.text;
  Settings settings;
  if (options.own) {
    settings = {{"documents", own_documents_file}, {"name", options.own->name}, {"origin", options.own->origin}};
  } else {
    settings = {{"documents", path}};
  }
  const Settings rest = {{"format", name_of(format_choices(), reading.format)},
                         {"text", reading.text_field},
                         {"id", reading.id_field},
                         {"label", reading.label_field},
                         {"time", reading.time_field},
                         {"title", reading.title_field},
                         {"skip_bad", reading.skip_bad},
                         {"language", joined(text.stop_words, ",")},
                         {"stop_words", options.stop_word_file},
                         {"stem", text.stemmer},
                         {"bigrams", text.bigrams},
                         {"max_share", text.max_share},
                         {"max_features", static_cast<std::int64_t>(text.max_terms)},
                         {"numbers", text.tokens.numbers},
                         {"links", name_of(link_choices(), text.tokens.links)},
                         {"words", name_of(rule_choices(), text.tokens.rule)},
                         {"drop_headers", text.mail.drop_headers},
                         {"drop_quotes", text.mail.drop_quotes},
                         {"drop_signatures", text.mail.drop_signature}};
  settings.insert(settings.end(), rest.begin(), rest.end());
  return settings;
}

template Corpus<float> read_documents(const std::string&, const DocumentInputOptions&, double, Terminal&,
                                      std::shared_ptr<const DocumentSource>&);
template Corpus<double> read_documents(const std::string&, const DocumentInputOptions&, double, Terminal&,
                                       std::shared_ptr<const DocumentSource>&);

}  // namespace copse
