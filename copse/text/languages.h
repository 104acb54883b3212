// Which languages the documents are in, as far as stop words tell.
#pragma once

#include <string>
#include <vector>

#include "copse/text/token_store.h"
#include "copse/text/vocabulary.h"

namespace copse {

// The languages whose stop words the text contains, the main one first. Each step takes the list that covers most of
// the words that no earlier list covers, as long as that is at least 5 % of them.
std::vector<std::string> find_languages(const TokenStore& store, const TokenOptions& options);

// Puts what was found in place of "auto".
void resolve_languages(const TokenStore& store, TextOptions& options);

}  // namespace copse
