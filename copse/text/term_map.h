// From the words of documents to the terms that are counted.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "copse/text/token_store.h"

namespace copse {

// Which term each word counts for.
struct TermMap {
  static constexpr std::uint32_t none = WordTable::missing;

  std::vector<std::uint32_t> keys;  // of each word: a key, or none for a stop word
  std::uint32_t key_count = 0;
  std::vector<std::uint32_t> terms;                        // of each key: a term, or none
  std::unordered_map<std::uint64_t, std::uint32_t> pairs;  // of two keys, first << 32 | second

  std::uint32_t term_of_word(std::uint32_t word) const { return keys[word] == none ? none : terms[keys[word]]; }
  // Appends the terms of a document: from left to right, a pair that is in `pairs` counts as one.
  void append_terms(std::span<const StoredToken> tokens, std::vector<std::uint32_t>& out) const;
};

// Calls visit(document, terms) for the documents of one batch; the terms stand in the order of the text.
template <class Visit>
void visit_terms(const TokenBatch& batch, const TermMap& map, const Visit& visit) {
  if (batch.file != nullptr) return with_batch(batch, [&](const TokenBatch& here) { visit_terms(here, map, visit); });
  std::vector<std::uint32_t> found;
  if (!map.pairs.empty()) {
    visit_documents(batch, [&](Index document, std::span<const StoredToken> tokens) {
      found.clear();
      map.append_terms(tokens, found);
      visit(document, std::span<const std::uint32_t>(found));
    });
    return;
  }
  // Straight from the batch's own numbers to terms: that table stays in the cache.
  std::vector<std::uint32_t> numbers(batch.words.size());
  for (std::size_t word = 0; word < numbers.size(); ++word) numbers[word] = map.term_of_word(batch.words[word]);
  visit_documents(batch, numbers, [&](Index document, std::span<const StoredToken> tokens) {
    found.resize(tokens.size());
    std::size_t count = 0;
    for (const StoredToken& token : tokens) {
      found[count] = token.word;
      count += token.word != TermMap::none ? 1 : 0;
    }
    visit(document, std::span<const std::uint32_t>(found).first(count));
  });
}

}  // namespace copse
