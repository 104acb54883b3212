// Words are those of ICU over the whole text, and tokens keep to their limits. The first byte chooses the options.
#include "copse/text/repair.h"
#include "copse/text/tokens.h"
#include "copse/text/words.h"
#include "tests/fuzz/fuzz_reader.h"
#include "tests/support/icu_words.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  repair_text(text);
  static WordFinder finder;
  finder.clear();
  finder.add_unicode_words(text);
  std::vector<std::string> words;
  for (const Word& word : finder.words())
    words.push_back(finder.characters().substr(word.begin, word.end - word.begin));
  fuzz::require(words == naive::unicode_words(text));

  constexpr Links links[] = {Links::drop, Links::whole, Links::words, Links::drop};
  const TokenOptions options{.rule = (data[0] & 4) != 0 ? WordRule::unicode : WordRule::word_characters,
                             .links = links[data[0] % 4],
                             .numbers = (data[0] & 8) != 0,
                             .apostrophes = (data[0] & 16) != 0};
  Tokenizer tokenizer(options);
  for (const Token& token : tokenizer.tokenize(text)) {
    fuzz::require(!token.word.empty() && is_utf8(token.word));
    fuzz::require(token.word.find(' ') == std::string_view::npos || options.links == Links::whole);
  }
  return 0;
}
