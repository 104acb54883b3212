// Words that say nothing about a topic: the Snowball lists as Debian packages them (liblingua-stopwords-perl).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/text/tokens.h"

namespace copse {

// The languages that have a list: "danish", "dutch", "english" ...
std::vector<std::string> stop_word_languages();

// The list cut into words by the same rules as the text. Throws InvalidArgument for a language without a list.
std::vector<std::string> stop_words(std::string_view language, const TokenOptions& options);

// Any words, cut likewise; ascending, each once.
std::vector<std::string> as_tokens(std::string_view words, TokenOptions options);

}  // namespace copse
