#include "copse/text/token_store.h"

#include <utility>

#include "copse/base/parallel.h"
#include "copse/text/mail.h"

namespace copse {
namespace {

// Sizes of the work, which never depend on the number of threads.
constexpr std::size_t batch_bytes = std::size_t{1} << 19;
constexpr std::size_t batch_documents = 2048;
constexpr std::size_t group_batches = 16;

// Some documents, and their words with numbers of their own.
struct Batch {
  std::vector<Document> documents = std::vector<Document>(1);  // the first `count` are in use
  std::size_t count = 0;
  std::size_t bytes = 0;
  WordTable words;
  std::vector<std::uint32_t> totals, document_counts, last_document;
  std::vector<StoredToken> tokens;
  std::vector<std::size_t> lengths;    // tokens of each document
  std::vector<std::uint32_t> numbers;  // of the words, in the store
};

using Group = std::vector<Batch>;

// Fills the batches one after the other; those after the last document stay empty.
void read_group(DocumentReader& reader, Group& group) {
  bool more = true;
  for (Batch& batch : group) {
    batch.count = 0;
    batch.bytes = 0;
    check_cancelled();
    while (more && batch.count < batch_documents && batch.bytes < batch_bytes) {
      if (batch.count == batch.documents.size()) batch.documents.emplace_back();
      more = reader.next(batch.documents[batch.count]);
      if (more) batch.bytes += batch.documents[batch.count++].text.size();
    }
  }
}

void tokenize(Batch& batch, Tokenizer& tokenizer, const MailOptions& mail) {
  const bool strips = mail.drop_headers || mail.drop_quotes || mail.drop_signature;
  batch.words.clear();
  batch.totals.clear();
  batch.document_counts.clear();
  batch.last_document.clear();
  batch.tokens.clear();
  batch.lengths.clear();
  std::string kept;
  for (std::size_t d = 0; d < batch.count; ++d) {
    std::string_view text = batch.documents[d].text;
    if (strips) {
      strip_mail(text, mail, kept);
      text = kept;
    }
    const std::size_t before = batch.tokens.size();
    for (const Token& token : tokenizer.tokenize(text)) {
      const std::uint32_t word = batch.words.add(token.word);
      if (word == batch.totals.size()) {
        batch.totals.push_back(0);
        batch.document_counts.push_back(0);
        batch.last_document.push_back(WordTable::missing);
      }
      ++batch.totals[word];
      if (batch.last_document[word] != d) ++batch.document_counts[word];
      batch.last_document[word] = static_cast<std::uint32_t>(d);
      batch.tokens.push_back({word, token.adjacent});
    }
    batch.lengths.push_back(batch.tokens.size() - before);
  }
}

void number_words(Batch& batch, TokenStore& store) {
  batch.numbers.clear();
  for (std::uint32_t word = 0; word < batch.words.size(); ++word) {
    const std::uint32_t number = store.words.add(batch.words.word(word), batch.words.hash_of(word));
    if (number == store.totals.size()) {
      store.totals.push_back(0);
      store.document_counts.push_back(0);
    }
    store.totals[number] += batch.totals[word];
    store.document_counts[number] += batch.document_counts[word];
    batch.numbers.push_back(number);
  }
}

void append(std::vector<std::uint8_t>& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

Buffer<std::uint8_t> encode(const Batch& batch) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(3 * batch.tokens.size() + 4 * batch.count);
  std::size_t place = 0;
  for (const std::size_t length : batch.lengths) {
    append(bytes, length);
    for (const std::size_t end = place + length; place < end; ++place) {
      const StoredToken token = batch.tokens[place];
      append(bytes, 2 * static_cast<std::uint64_t>(batch.numbers[token.word]) + (token.adjacent ? 1 : 0));
    }
  }
  return {bytes.begin(), bytes.end()};
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
  store.tokens += static_cast<Index>(batch.tokens.size());
  store.text_bytes += static_cast<Index>(batch.bytes);
}

}  // namespace

TokenStore read_tokens(DocumentReader& reader, const TextOptions& options) {
  TokenStore store;
  std::vector<Tokenizer> tokenizers;
  for (std::size_t b = 0; b < group_batches; ++b) tokenizers.emplace_back(options.tokens);
  Group current(group_batches), next(group_batches);

  const auto process = [&](Group& group) {
    parallel_for(static_cast<Index>(group_batches), [&](Index b) {
      tokenize(group[static_cast<std::size_t>(b)], tokenizers[static_cast<std::size_t>(b)], options.mail);
    });
    // In order, so that the numbers of words do not depend on who was first.
    const std::size_t before = store.batches.size();
    for (Batch& batch : group) {
      if (batch.count == 0) break;
      number_words(batch, store);
      store.batches.push_back({store.documents, static_cast<Index>(batch.count)});
      keep_documents(batch, store);
    }
    parallel_for(static_cast<Index>(store.batches.size() - before), [&](Index b) {
      store.batches[before + static_cast<std::size_t>(b)].bytes = encode(group[static_cast<std::size_t>(b)]);
    });
  };

  read_group(reader, current);
  while (current.front().count > 0) {
    parallel_for(2, [&](Index task) {
      if (task == 0) {
        read_group(reader, next);
      } else {
        process(current);
      }
    });
    current.swap(next);
  }
  return store;
}

}  // namespace copse
