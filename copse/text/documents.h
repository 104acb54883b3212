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
#include "copse/text/document.h"

namespace copse {

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
