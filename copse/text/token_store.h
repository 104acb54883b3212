// The words of all documents as numbers, in order: about two bytes per word, as each batch of documents has numbers of
// its own, frequent words come early, and a number takes one byte per seven bits.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/base/index.h"
#include "copse/io/scratch_file.h"
#include "copse/text/documents.h"
#include "copse/text/vocabulary.h"
#include "copse/text/word_table.h"

namespace copse {

struct StoredToken {
  std::uint32_t word = 0;
  bool adjacent = false;  // to the token before
};

struct TokenBatch {
  Index first_document = 0;
  Index documents = 0;
  // Where the rest is, if it is not here: the numbers of the words, then the bytes.
  std::shared_ptr<const ScratchFile> file = {};
  std::uint64_t place = 0;
  std::size_t word_count = 0, byte_count = 0;
  std::vector<std::uint32_t> words = {};  // the number in the store of each word of the batch
  // Per document: how many tokens, then 2 word of the batch + adjacent of each; three bytes follow that are not used.
  Buffer<std::uint8_t> bytes = {};
};

struct TokenStore {
  WordTable words = {};
  std::vector<Index> totals = {};           // occurrences of each word
  std::vector<Index> document_counts = {};  // documents with each word
  std::vector<TokenBatch> batches = {};
  std::vector<std::string> ids = {}, labels = {}, times = {}, titles = {};  // as in Corpus
  Index documents = 0;
  Index tokens = 0;
  Index text_bytes = 0;
};

// Calls use(batch) with its words and bytes, wherever they are.
template <class Use>
void with_batch(const TokenBatch& batch, const Use& use) {
  if (batch.file == nullptr) return use(batch);
  TokenBatch here{.first_document = batch.first_document, .documents = batch.documents};
  here.words.resize(batch.word_count);
  here.bytes.resize(batch.byte_count);
  const std::span<std::uint32_t> words(here.words);
  batch.file->read(batch.place, {reinterpret_cast<char*>(words.data()), words.size_bytes()});
  batch.file->read(batch.place + words.size_bytes(), {reinterpret_cast<char*>(here.bytes.data()), here.bytes.size()});
  use(here);
}

// Reads all documents. While some are cut into words, the next are read.
// Batches that take more than `most_bytes` go to a scratch file.
TokenStore read_tokens(DocumentReader& reader, const TextOptions& options,
                       double most_bytes = std::numeric_limits<double>::infinity());
// What the batches take in memory.
double token_bytes(const TokenStore& store);

// Calls visit(document, tokens) for the documents of one batch, their words named by the numbers given for them.
template <class Visit>
void visit_documents(const TokenBatch& batch, std::span<const std::uint32_t> numbers, const Visit& visit) {
  std::vector<StoredToken> tokens;
  const std::uint8_t* p = batch.bytes.data();
  const auto take = [&p] {
    if constexpr (std::endian::native == std::endian::little) {
      // One to three bytes, without a branch on how many.
      std::uint32_t next;
      std::memcpy(&next, p, sizeof next);
      if (const std::uint32_t ends = ~next & 0x808080u; ends != 0) {
        const int bits = std::countr_zero(ends) + 1;
        p += bits / 8;
        next &= (1u << bits) - 1;
        return static_cast<std::uint64_t>((next & 0x7Fu) | (next >> 1 & 0x3F80u) | (next >> 2 & 0x1FC000u));
      }
    }
    std::uint64_t value = *p & 0x7F;
    for (int shift = 7; (*p++ & 0x80) != 0; shift += 7) value |= static_cast<std::uint64_t>(*p & 0x7F) << shift;
    return value;
  };
  for (Index d = 0; d < batch.documents; ++d) {
    tokens.resize(take());
    for (StoredToken& token : tokens) {
      const std::uint64_t code = take();
      token = {numbers[code >> 1], (code & 1) != 0};
    }
    visit(batch.first_document + d, std::span<const StoredToken>(tokens));
  }
}

// The same with their numbers in the store.
template <class Visit>
void visit_documents(const TokenBatch& batch, const Visit& visit) {
  with_batch(batch, [&](const TokenBatch& here) { visit_documents(here, here.words, visit); });
}

}  // namespace copse
