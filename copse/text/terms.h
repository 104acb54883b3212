// From the words of the documents to the terms that are counted: stop words, stems, bigrams, limits.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "copse/text/token_store.h"
#include "copse/text/vocabulary.h"

namespace copse {

// Which term each word counts for.
struct TermMap {
  static constexpr std::uint32_t none = WordTable::missing;

  std::vector<std::uint32_t> keys;  // of each word: a key, or none for a stop word
  std::uint32_t key_count = 0;
  std::vector<std::uint32_t> terms;                        // of each key: a term, or none
  std::unordered_map<std::uint64_t, std::uint32_t> pairs;  // of two keys, first << 32 | second

  // Appends the terms of a document: from left to right, a pair that is in `pairs` counts as one.
  void append_terms(std::span<const StoredToken> tokens, std::vector<std::uint32_t>& out) const;
};

struct ChosenTerms {
  Vocabulary vocabulary;
  TermMap map;
};

// Chooses the terms of these documents.
ChosenTerms choose_terms(const TokenStore& store, const TextOptions& options);

// Finds the terms of a vocabulary among the words of these documents.
TermMap match_terms(const TokenStore& store, const Vocabulary& vocabulary);

}  // namespace copse
