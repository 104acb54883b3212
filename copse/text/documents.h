// Documents from a folder, JSON lines, a table or lines of text, one after the other: never all in memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/base/index.h"
#include "copse/io/expansion.h"

namespace copse {

struct Document {
  std::string id;  // never empty: the number of the document, counted from 1, where nothing else is known
  std::string text;
  std::string label;  // empty if there is none; the same for those below
  std::string time;
  std::string title;
};

enum class DocumentFormat {
  automatic,   // by the path: a folder, .jsonl .ndjson .json, .csv .tsv; otherwise by the first character
  folder,      // every file below it is one document: text, Markdown, HTML
  json_lines,  // one JSON object per line
  table,       // comma, tab or semicolon between cells, names of the columns in the first line, quotes as in RFC 4180
  lines,       // one document per line
};

struct DocumentOptions {
  DocumentFormat format = DocumentFormat::automatic;
  std::string text_field = "text";                         // column of a table or field of an object; it must be there
  std::string id_field = {};                               // empty: "id" where there is one; the same for those below
  std::string label_field = {};                            // empty: "label"
  std::string time_field = {};                             // empty: "time" or "date"
  std::string title_field = {};                            // empty: "title"
  bool skip_bad = false;                                   // count a bad document instead of throwing InputError
  std::size_t max_document_bytes = std::size_t{64} << 20;  // a longer one is bad; at most 1 GB
  double max_expansion = largest_expansion;  // refuse content of over 16 MB that is so many times larger; 0: no limit
};

// What was met on the way. Each document counts once, however often it was repaired.
struct ReadReport {
  Index documents = 0;
  Index skipped = 0;                    // bad ones, with options.skip_bad
  Index repaired = 0;                   // not UTF-8, or with NUL bytes
  Index passed_over = 0;                // files of a folder that are not text
  Index closed_folders = 0;             // folders in it that may not be read
  std::vector<std::string> notes = {};  // sentences on the first few of them
};

class DocumentReader {
 public:
  virtual ~DocumentReader() = default;
  // The next document, in UTF-8; false at the end. Called by one thread at a time, not always the same.
  // Throws InputError for a bad one, unless it was asked to skip those.
  virtual bool next(Document& document) = 0;
  virtual const ReadReport& report() const = 0;
};

// Documents that can be read more than once: the standard input is copied to a temporary file as it is read.
class DocumentSource {
 public:
  // "-" is the standard input. Throws InputError for a path where there is nothing.
  explicit DocumentSource(std::filesystem::path path, DocumentOptions options = {});
  // Texts in memory, which must outlive it. Their ids are numbers from 0.
  explicit DocumentSource(std::vector<std::string_view> texts);
  ~DocumentSource();
  DocumentSource(DocumentSource&&) noexcept;
  DocumentSource& operator=(DocumentSource&&) noexcept;

  // From the first document on. Throws InvalidArgument for the standard input if its first reader has not come to the
  // end.
  std::unique_ptr<DocumentReader> open() const;

  // The documents at these positions (ascending, counted from 0), each text cut to at most `most_bytes` at the end of a
  // character. Reads everything up to the last of them once more.
  std::vector<Document> read(std::span<const Index> positions, std::size_t most_bytes) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Bytes of one file that lie in memory, named for its errors. options.format must say what it is, folder excluded.
std::unique_ptr<DocumentReader> read_documents(std::span<const char> bytes, const std::string& name,
                                               const DocumentOptions& options);

}  // namespace copse
