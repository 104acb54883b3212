#include "copse/text/token_store.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "copse/base/parallel.h"
#include "copse/base/pipeline.h"
#include "copse/text/mail.h"

namespace copse {
namespace {

// Sizes of the work, which never depend on the number of threads.
constexpr std::size_t batch_bytes = std::size_t{1} << 19;
constexpr std::size_t batch_documents = 2048;

// Some documents, and their words with numbers of their own.
struct Batch {
  std::vector<Document> documents = std::vector<Document>(1);  // the first `count` are in use
  std::size_t count = 0;
  std::size_t text_bytes = 0;
  WordTable words = {};
  std::vector<std::uint32_t> totals = {}, document_counts = {}, last_document = {};
  std::vector<std::uint8_t> bytes = {};  // as in TokenBatch
  Index tokens = 0;
};

// False if there are no more documents.
bool read_batch(DocumentReader& reader, Batch& batch) {
  batch.count = 0;
  batch.text_bytes = 0;
  while (batch.count < batch_documents && batch.text_bytes < batch_bytes) {
    if (batch.count == batch.documents.size()) batch.documents.emplace_back();
    if (!reader.next(batch.documents[batch.count])) break;
    batch.text_bytes += batch.documents[batch.count++].text.size();
  }
  return batch.count > 0;
}

void append(std::vector<std::uint8_t>& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

void add(const Token& token, std::uint32_t document, Batch& batch) {
  const std::uint32_t word = batch.words.add(token.word);
  if (word == batch.totals.size()) {
    batch.totals.push_back(0);
    batch.document_counts.push_back(0);
    batch.last_document.push_back(WordTable::missing);
  }
  ++batch.totals[word];
  if (batch.last_document[word] != document) ++batch.document_counts[word];
  batch.last_document[word] = document;
  append(batch.bytes, 2 * static_cast<std::uint64_t>(word) + (token.adjacent ? 1 : 0));
}

void tokenize(Batch& batch, Tokenizer& tokenizer, const MailOptions& mail) {
  const bool strips = mail.drop_headers || mail.drop_quotes || mail.drop_signature;
  batch.words.clear();
  batch.totals.clear();
  batch.document_counts.clear();
  batch.last_document.clear();
  batch.bytes.clear();
  batch.tokens = 0;
  std::string kept;
  for (std::size_t d = 0; d < batch.count; ++d) {
    std::string_view text = batch.documents[d].text;
    if (strips) {
      strip_mail(text, mail, kept);
      text = kept;
    }
    const auto begin = static_cast<std::ptrdiff_t>(batch.bytes.size());
    std::size_t count = 0;
    tokenizer.tokenize(text, [&](std::span<const Token> tokens) {
      count += tokens.size();
      for (const Token& token : tokens) add(token, static_cast<std::uint32_t>(d), batch);
    });
    const auto end = static_cast<std::ptrdiff_t>(batch.bytes.size());
    append(batch.bytes, count);
    std::rotate(batch.bytes.begin() + begin, batch.bytes.begin() + end, batch.bytes.end());  // it comes first
    batch.tokens += static_cast<Index>(count);
  }
  batch.bytes.insert(batch.bytes.end(), 3, 0);
}

// The numbers of the batch's words in the store.
std::vector<std::uint32_t> number_words(const Batch& batch, TokenStore& store) {
  std::vector<std::uint32_t> numbers(batch.words.size());
  constexpr std::uint32_t ahead = 8;  // the store is too large for the caches
  for (std::uint32_t word = 0; word < batch.words.size(); ++word) {
    if (word + ahead < batch.words.size()) store.words.prefetch(batch.words.hash_of(word + ahead));
    const std::uint32_t number = store.words.add(batch.words.word(word), batch.words.hash_of(word));
    if (number == store.totals.size()) {
      store.totals.push_back(0);
      store.document_counts.push_back(0);
    }
    store.totals[number] += batch.totals[word];
    store.document_counts[number] += batch.document_counts[word];
    numbers[word] = number;
  }
  return numbers;
}

// Keeps a part that documents may have or not; the list stays empty until the first that has it.
void keep(std::string& part, std::vector<std::string>& all, Index documents) {
  if (part.empty() && all.empty()) return;
  all.resize(static_cast<std::size_t>(documents));
  all.push_back(std::exchange(part, {}));
}

void keep_documents(Batch& batch, TokenStore& store) {
  for (std::size_t d = 0; d < batch.count; ++d) {
    Document& document = batch.documents[d];
    store.ids.push_back(std::exchange(document.id, {}));
    keep(document.label, store.labels, store.documents);
    keep(document.time, store.times, store.documents);
    keep(document.title, store.titles, store.documents);
    ++store.documents;
  }
  store.tokens += batch.tokens;
  store.text_bytes += static_cast<Index>(batch.text_bytes);
}

double bytes_of(const TokenBatch& batch) {
  return static_cast<double>(batch.words.size() * sizeof(std::uint32_t) + batch.bytes.size());
}

void move_to(const std::shared_ptr<ScratchFile>& file, TokenBatch& batch) {
  const std::span<const std::uint32_t> words(batch.words);
  batch.word_count = batch.words.size();
  batch.byte_count = batch.bytes.size();
  batch.place = file->append({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
  file->append({reinterpret_cast<const char*>(batch.bytes.data()), batch.bytes.size()});
  batch.file = file;
  batch.words = {};
  batch.bytes = {};
}

}  // namespace

double token_bytes(const TokenStore& store) {
  double bytes = 0;
  for (const TokenBatch& batch : store.batches) bytes += bytes_of(batch);
  return bytes;
}

TokenStore read_tokens(DocumentReader& reader, const TextOptions& options, double most_bytes) {
  TokenStore store;
  std::shared_ptr<ScratchFile> file;  // from the batch on that makes them too many
  double bytes = 0;
  // One batch for each thread to work on, one that is read and one that waits; reading keeps no more busy than a few.
  const Index slots = std::min<Index>(thread_count() + 2, 16);
  std::vector<Batch> batches(static_cast<std::size_t>(slots));
  std::vector<Tokenizer> tokenizers;
  for (Index slot = 0; slot < slots; ++slot) tokenizers.emplace_back(options.tokens);
  pipeline(
      slots, [&](Index slot) { return read_batch(reader, batches[static_cast<std::size_t>(slot)]); },
      [&](Index slot) {
        tokenize(batches[static_cast<std::size_t>(slot)], tokenizers[static_cast<std::size_t>(slot)], options.mail);
      },
      // In order, so that the numbers of words do not depend on who was first.
      [&](Index slot) {
        Batch& batch = batches[static_cast<std::size_t>(slot)];
        store.batches.push_back({.first_document = store.documents,
                                 .documents = static_cast<Index>(batch.count),
                                 .words = number_words(batch, store),
                                 .bytes = Buffer<std::uint8_t>(batch.bytes.begin(), batch.bytes.end())});
        bytes += bytes_of(store.batches.back());
        if (file == nullptr && bytes > most_bytes) {
          file = std::make_shared<ScratchFile>();
          for (TokenBatch& before : store.batches) move_to(file, before);
        } else if (file != nullptr) {
          move_to(file, store.batches.back());
        }
        keep_documents(batch, store);
      });
  return store;
}

}  // namespace copse
