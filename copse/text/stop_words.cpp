#include "copse/text/stop_words.h"

#include <algorithm>
#include <array>

#include "copse/base/error.h"

namespace copse {
namespace {

struct List {
  std::string_view language;
  std::string_view words;
};

// Written by cmake/stop_words.cmake.
constexpr List lists[] = {
#include "stop_word_lists.inc"
};

}  // namespace

std::vector<std::string> stop_word_languages() {
  std::vector<std::string> languages;
  for (const List& list : lists) languages.emplace_back(list.language);
  return languages;
}

std::vector<std::string> stop_words(std::string_view language, const TokenOptions& options) {
  for (const List& list : lists) {
    if (list.language == language) return as_tokens(list.words, options);
  }
  std::string known;
  for (const List& list : lists) known.append(known.empty() ? "" : ", ").append(list.language);
  throw InvalidArgument("there are no stop words for '" + std::string(language) + "'; there are some for " + known);
}

std::vector<std::string> as_tokens(std::string_view words, TokenOptions options) {
  options.min_length = 1;
  std::vector<std::string> result;
  Tokenizer tokenizer(options);
  for (const Token& token : tokenizer.tokenize(words)) result.emplace_back(token.word);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace copse
