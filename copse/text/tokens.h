// The words of a text as they are counted: folded, cleaned and filtered.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/base/index.h"

namespace copse {

enum class WordRule {
  unicode,          // word boundaries of Unicode (UAX 29, dictionaries for Chinese, Japanese, Thai ...), NFKC_Casefold
  word_characters,  // runs of letters, digits and _, in lower case: scikit-learn's (?u)\b\w\w+\b with min_length 2
};

enum class Links {
  drop,   // URLs and e-mail addresses are no words
  whole,  // each is one word
  words,  // they are text like any other
};

struct TokenOptions {
  WordRule rule = WordRule::unicode;
  Links links = Links::drop;
  bool numbers = false;     // keep words that have no letter
  bool apostrophes = true;  // cut off 's and the elided l' d' qu' ... of French and Italian; unicode only
  int min_length = 2;       // in characters; a Chinese or Japanese word may have one
  int max_length = 40;      // longer ones are codes, not words
};

struct Token {
  std::string_view word;  // valid until the next call
  bool adjacent = false;  // only spaces or a hyphen since the token before
};

class Tokenizer {
 public:
  explicit Tokenizer(const TokenOptions& options = {});
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // The text is UTF-8; what is not counts as a character that is in no word.
  const std::vector<Token>& tokenize(std::string_view text);

  // The same tokens of a text that may be long, so many at a time that they take a few megabytes.
  void tokenize(std::string_view text, const std::function<void(std::span<const Token>)>& visit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse
