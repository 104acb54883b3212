// How sentences of the library name options here: `min_words` is --min-words.
#pragma once

#include <string>
#include <string_view>

#include "copse/options/option.h"

namespace copse {

// "--min-words", "-k", "--no-page", or the name of an argument.
std::string spelling_of(const Option& row);

// From now on sentences have the row so, unless they know its name already.
void remember_spelling(const Option& row);
std::string spelled(std::string_view sentence);

}  // namespace copse
