// From the words of the documents to the terms that are counted: stop words, stems, bigrams, limits.
#pragma once

#include "copse/text/term_map.h"
#include "copse/text/token_store.h"
#include "copse/text/vocabulary.h"

namespace copse {

struct ChosenTerms {
  Vocabulary vocabulary;
  TermMap map;
};

// Chooses the terms of these documents.
ChosenTerms choose_terms(const TokenStore& store, const TextOptions& options);

// Finds the terms of a vocabulary among the words of these documents.
TermMap match_terms(const TokenStore& store, const Vocabulary& vocabulary);

}  // namespace copse
