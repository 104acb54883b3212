// One reader of documents per format, and what they share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "copse/text/document.h"
#include "copse/text/line_reader.h"

namespace copse {

// Keeps the report, and does to every document what all formats need.
class CheckedReader : public DocumentReader {
 public:
  explicit CheckedReader(DocumentOptions options) : options_(std::move(options)) {}
  bool next(Document& document) final;
  const ReadReport& report() const final { return report_; }

 protected:
  enum class Outcome { read, bad, end };
  // The next document; `bad` after a call of reject.
  virtual Outcome read_one(Document& document) = 0;

  // Throws InputError, or counts and notes it.
  Outcome reject(const std::string& sentence);
  Outcome reject(const std::string& name, Index line, const std::string& sentence);
  Outcome reject_long(const std::string& name, Index line);
  void note(std::string sentence);
  void mark_repaired() { repaired_ = true; }  // the document that is being read
  const DocumentOptions& options() const { return options_; }
  ReadReport& open_report() { return report_; }

 private:
  DocumentOptions options_;
  ReadReport report_;
  bool repaired_ = false;
};

// Which field each part of a document is in: as the options say, or under its usual name.
struct FieldNames {
  explicit FieldNames(const DocumentOptions& options);
  struct Field {
    std::string Document::*part;
    std::vector<std::string> names;  // the first that is there
    bool required;
  };
  std::vector<Field> fields;
};

std::unique_ptr<DocumentReader> read_json_lines(std::unique_ptr<LineReader> lines, const DocumentOptions& options);
std::unique_ptr<DocumentReader> read_table(std::unique_ptr<LineReader> lines, const DocumentOptions& options);
std::unique_ptr<DocumentReader> read_lines(std::unique_ptr<LineReader> lines, const DocumentOptions& options);
std::unique_ptr<DocumentReader> read_folder(const std::filesystem::path& path, const DocumentOptions& options);

}  // namespace copse
