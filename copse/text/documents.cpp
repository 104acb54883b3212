#include "copse/text/documents.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "copse/base/error.h"
#include "copse/io/compression.h"
#include "copse/io/descriptor.h"
#include "copse/io/input.h"
#include "copse/text/document_readers.h"
#include "copse/text/repair.h"

namespace copse {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_notes = 5;

// A file without a name, gone when the program ends.
Descriptor temporary_file() {
  std::string name = (fs::temp_directory_path() / "copse-XXXXXX").string();
  Descriptor file(::mkstemp(name.data()));
  if (file.number() < 0)
    throw OutputError(name + ": the copy of the standard input cannot be made: " + std::strerror(errno) + ".");
  ::unlink(name.c_str());
  return file;
}

struct CopyOfInput {
  Descriptor file = temporary_file();
  bool is_complete = false;
};

// The standard input, copied on its way.
class CopiedSource final : public ByteSource {
 public:
  CopiedSource(std::unique_ptr<ByteSource> source, std::shared_ptr<CopyOfInput> copy)
      : ByteSource(source->name()), source_(std::move(source)), copy_(std::move(copy)) {}

  std::span<const char> more() override {
    const auto piece = source_->more();
    copy_->is_complete = piece.empty();
    for (auto rest = piece; !rest.empty();) {
      const ssize_t count = ::write(copy_->file.number(), rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0)
        throw OutputError(std::string("the copy of the standard input cannot be written: ") + std::strerror(errno) +
                          ".");
      rest = rest.subspan(static_cast<std::size_t>(count));
    }
    return piece;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::shared_ptr<CopyOfInput> copy_;
};

class ReadAgain final : public ByteSource {
 public:
  explicit ReadAgain(std::shared_ptr<CopyOfInput> copy) : ByteSource("-"), copy_(std::move(copy)) {
    bytes_.resize(std::size_t{1} << 18);
  }

  std::span<const char> more() override {
    for (;;) {
      const ssize_t count = ::pread(copy_->file.number(), bytes_.data(), bytes_.size(), place_);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(name(), std::string("the copy cannot be read: ") + std::strerror(errno) + ".");
      place_ += count;
      return {bytes_.data(), static_cast<std::size_t>(count)};
    }
  }

 private:
  std::shared_ptr<CopyOfInput> copy_;
  Buffer<char> bytes_;
  ::off_t place_ = 0;  // its own, as several readers may be at different places
};

class Lines final : public CheckedReader {
 public:
  Lines(std::unique_ptr<LineReader> lines, const DocumentOptions& options)
      : CheckedReader(options), lines_(std::move(lines)) {}

 private:
  Outcome read_one(Document& document) override {
    std::string_view line;
    if (!lines_->next(line)) return Outcome::end;
    if (lines_->is_too_long()) return reject_long(lines_->name(), lines_->number());
    document.text.assign(line);
    return Outcome::read;
  }

  std::unique_ptr<LineReader> lines_;
};

class TextsInMemory final : public CheckedReader {
 public:
  explicit TextsInMemory(const std::vector<std::string_view>& texts) : CheckedReader({}), texts_(texts) {}

 private:
  Outcome read_one(Document& document) override {
    if (next_ == texts_.size()) return Outcome::end;
    document.id = std::to_string(next_);
    document.text.assign(texts_[next_++]);
    return Outcome::read;
  }

  const std::vector<std::string_view>& texts_;
  std::size_t next_ = 0;
};

DocumentFormat format_of(const fs::path& path, const DocumentOptions& options) {
  if (options.format != DocumentFormat::automatic) return options.format;
  if (fs::is_directory(path)) return DocumentFormat::folder;
  const std::string name(name_without_compression(path.string()));
  for (const char* ending : {".jsonl", ".ndjson", ".json"}) {
    if (name.ends_with(ending)) return DocumentFormat::json_lines;
  }
  for (const char* ending : {".csv", ".tsv"}) {
    if (name.ends_with(ending)) return DocumentFormat::table;
  }
  return DocumentFormat::automatic;
}

std::unique_ptr<DocumentReader> read_source(std::unique_ptr<ByteSource> source, DocumentFormat format,
                                            const DocumentOptions& options) {
  auto stream = std::make_unique<TextStream>(std::move(source), options.max_expansion);
  auto lines = std::make_unique<LineReader>(std::move(stream), options.max_document_bytes);
  if (format == DocumentFormat::automatic)
    format = lines->first_visible() == '{' ? DocumentFormat::json_lines : DocumentFormat::lines;
  switch (format) {
    case DocumentFormat::json_lines:
      return read_json_lines(std::move(lines), options);
    case DocumentFormat::table:
      return read_table(std::move(lines), options);
    default:
      return read_lines(std::move(lines), options);
  }
}

void check(const DocumentOptions& options) {
  if (options.max_document_bytes < 1 || options.max_document_bytes > (std::size_t{1} << 30))
    throw InvalidArgument("the limit for one document must be between 1 byte and 1 GB");
  if (!(options.max_expansion >= 0))
    throw InvalidArgument("the limit for the expansion of a file must not be negative");
}

}  // namespace

bool CheckedReader::next(Document& document) {
  for (;;) {
    document.id.clear();
    document.text.clear();
    document.label.clear();
    document.time.clear();
    document.title.clear();
    repaired_ = false;
    const Outcome outcome = read_one(document);
    if (outcome == Outcome::end) return false;
    if (outcome == Outcome::bad) continue;
    for (std::string* part : {&document.text, &document.id, &document.label, &document.time, &document.title})
      repaired_ |= repair_text(*part);
    if (repaired_) ++report_.repaired;
    ++report_.documents;
    if (document.id.empty()) document.id = std::to_string(report_.documents + report_.skipped);
    return true;
  }
}

CheckedReader::Outcome CheckedReader::reject(const std::string& sentence) {
  if (!options_.skip_bad) throw InputError(sentence);
  ++report_.skipped;
  note(sentence);
  return Outcome::bad;
}

CheckedReader::Outcome CheckedReader::reject(const std::string& name, Index line, const std::string& sentence) {
  return reject(name + (line > 0 ? ", line " + std::to_string(line) : "") + ": " + sentence);
}

CheckedReader::Outcome CheckedReader::reject_long(const std::string& name, Index line) {
  return reject(
      name, line,
      "the document is longer than " + std::to_string(options_.max_document_bytes) + " bytes, which is the limit.");
}

void CheckedReader::note(std::string sentence) {
  if (report_.notes.size() < most_notes) report_.notes.push_back(std::move(sentence));
}

FieldNames::FieldNames(const DocumentOptions& options) {
  const auto add = [&](std::string Document::*part, const std::string& name, std::vector<std::string> usual) {
    fields.push_back({part, name.empty() ? std::move(usual) : std::vector<std::string>{name}, !name.empty()});
  };
  add(&Document::text, options.text_field, {"text"});
  fields.back().required = true;
  add(&Document::id, options.id_field, {"id"});
  add(&Document::label, options.label_field, {"label"});
  add(&Document::time, options.time_field, {"time", "date"});
  add(&Document::title, options.title_field, {"title"});
}

std::unique_ptr<DocumentReader> read_lines(std::unique_ptr<LineReader> lines, const DocumentOptions& options) {
  return std::make_unique<Lines>(std::move(lines), options);
}

struct DocumentSource::State {
  fs::path path;
  DocumentOptions options;
  std::shared_ptr<CopyOfInput> copy = {};                   // of the standard input, once it has been opened
  std::optional<std::vector<std::string_view>> texts = {};  // in memory: there is no path
};

DocumentSource::DocumentSource(fs::path path, DocumentOptions options)
    : state_(new State{std::move(path), std::move(options)}) {
  check(state_->options);
  std::error_code error;
  if (state_->path != "-" && !fs::exists(state_->path, error))
    fail(state_->path.string(), "there is no such file or folder.");
}
DocumentSource::DocumentSource(std::vector<std::string_view> texts)
    : state_(new State{.path = {}, .options = {}, .texts = std::move(texts)}) {}
DocumentSource::~DocumentSource() = default;
DocumentSource::DocumentSource(DocumentSource&&) noexcept = default;
DocumentSource& DocumentSource::operator=(DocumentSource&&) noexcept = default;

std::unique_ptr<DocumentReader> DocumentSource::open() const {
  if (state_->texts) return std::make_unique<TextsInMemory>(*state_->texts);
  const DocumentFormat format = format_of(state_->path, state_->options);
  if (format == DocumentFormat::folder) return read_folder(state_->path, state_->options);
  std::unique_ptr<ByteSource> source;
  if (state_->path != "-") {
    source = open_source(state_->path);
  } else if (state_->copy == nullptr) {
    state_->copy = std::make_shared<CopyOfInput>();
    source = std::make_unique<CopiedSource>(open_source("-"), state_->copy);
  } else if (state_->copy->is_complete) {
    source = std::make_unique<ReadAgain>(state_->copy);
  } else {
    throw InvalidArgument("the standard input must be read to its end before it is read again");
  }
  return read_source(std::move(source), format, state_->options);
}

std::vector<Document> DocumentSource::read(std::span<const Index> positions, std::size_t most_bytes) const {
  std::vector<Document> documents;
  if (positions.empty()) return documents;
  const auto reader = open();
  Document document;
  for (Index place = 0; documents.size() < positions.size() && reader->next(document); ++place) {
    if (positions[documents.size()] != place) continue;
    if (document.text.size() > most_bytes) {
      std::size_t end = most_bytes;
      while (end > 0 && (static_cast<unsigned char>(document.text[end]) & 0xC0) == 0x80) --end;
      document.text.resize(end);
    }
    documents.push_back(document);
  }
  if (documents.size() < positions.size())
    throw InvalidArgument("there is no document at position " + std::to_string(positions[documents.size()]));
  return documents;
}

std::unique_ptr<DocumentReader> read_documents(std::span<const char> bytes, const std::string& name,
                                               const DocumentOptions& options) {
  check(options);
  if (options.format == DocumentFormat::folder) throw InvalidArgument("bytes in memory are not a folder");
  return read_source(bytes_in_memory(bytes, name), options.format, options);
}

}  // namespace copse
