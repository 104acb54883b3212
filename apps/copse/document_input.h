// Documents from files, and the options that say how they are read and which of their words count.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/copse/options.h"
#include "apps/copse/terminal.h"
#include "copse/report/run_report.h"
#include "copse/text/corpus.h"

namespace copse {

// Documents that lie nowhere but in the folder of the result.
struct OwnDocuments {
  std::string name;    // what they are called in sentences and on the page
  std::string origin;  // where they come from, in words
};
// The file of the result that holds them.
inline constexpr const char* own_documents_file = "demo-documents.jsonl";

struct DocumentInputOptions {
  DocumentOptions reading;
  TextOptions text;
  std::string stop_word_file;            // more words to leave out, one per line; or empty
  std::optional<Vocabulary> vocabulary;  // count these terms instead of choosing some by the options
  std::optional<OwnDocuments> own;

  // What documents at this path are called in a sentence.
  const std::string& called(const std::string& path) const { return own ? own->name : path; }
};

inline constexpr const char* documents_description =
    "A folder of text, Markdown or HTML files, .jsonl, .csv or .tsv with named columns, or one document per line; also "
    "compressed (.gz, .zst); - is stdin";

// --id, --label, --time, --title, --skip-bad.
void add_reading_options(CLI::App& command, DocumentOptions& options);
// --language, --stop-words, --stem, --bigrams, --max-share, --max-features, --numbers, --links, --words, --drop-...
void add_word_options(CLI::App& command, DocumentInputOptions& options);

const Choices<DocumentFormat>& format_choices();

// Whether the path looks like documents and not like a matrix; a table does if one of its columns was named as text.
bool names_documents(const std::string& path, const DocumentOptions& options, bool column_named);

// What is known of documents beside their counts.
struct DocumentFacts {
  std::string vocabulary;  // as JSON; empty: there are no documents, but a matrix
  std::vector<std::string> titles;
  std::vector<std::string> times;
  std::shared_ptr<const DocumentSource> source;  // to read some of them again
};

// Reads and counts, says what memory that may take where the size of the text is known, and shows how far it is. Throws
// InputError, also when reading comes to take more than `memory_limit` bytes (0: than the machine can spare).
template <class T>
Corpus<T> read_documents(const std::string& path, const DocumentInputOptions& options, double memory_limit,
                         Terminal& terminal, std::shared_ptr<const DocumentSource>& source);

// What was met on the way, as sentences.
std::vector<std::string> notes_of(const ReadReport& report);

Settings settings_of(const std::string& path, const DocumentInputOptions& options);

}  // namespace copse
