// Any bytes give documents in UTF-8, or an InputError. The first byte chooses the format and whether to skip bad ones.
#include <algorithm>

#include "copse/text/documents.h"
#include "copse/text/repair.h"
#include "tests/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  if (size == 0) return 0;
  constexpr DocumentFormat formats[] = {DocumentFormat::automatic, DocumentFormat::json_lines, DocumentFormat::table,
                                        DocumentFormat::lines};
  DocumentOptions options;
  options.format = formats[data[0] % 4];
  options.skip_bad = (data[0] & 4) != 0;
  options.max_document_bytes = (data[0] & 8) != 0 ? 100 : 100000;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const auto reader = read_documents(bytes, "fuzz", options);
    Document document;
    Index documents = 0;
    for (; reader->next(document); ++documents) {
      fuzz::require(!document.id.empty());
      for (const std::string* part : {&document.id, &document.text, &document.label, &document.time, &document.title})
        fuzz::require(is_utf8(*part) && part->find('\0') == std::string::npos);
    }
    fuzz::require(reader->report().documents == documents);
    fuzz::require(options.skip_bad || reader->report().skipped == 0);
  } catch (const InputError&) {
  }
  return 0;
}
