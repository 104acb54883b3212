// UTF-8 stays UTF-8, and an entity is never shorter than what it stands for.
#include "copse/text/html.h"
#include "copse/text/repair.h"
#include "tests/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  std::string html(reinterpret_cast<const char*>(data), size);
  repair_text(html);
  const HtmlText page = text_of_html(html);
  fuzz::require(is_utf8(page.text) && is_utf8(page.title));
  fuzz::require(page.text.size() + page.title.size() <= html.size());
  return 0;
}
