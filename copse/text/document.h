// A document, how it is read, and whoever reads them one after the other.
#pragma once

#include <cstddef>
#include <string>
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

}  // namespace copse
