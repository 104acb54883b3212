#include "copse/text/corpus.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/text/terms.h"

namespace copse {
namespace {

template <class T>
void fill_counts(const TokenStore& store, const TermMap& map, const NeedMemory& need, Corpus<T>& corpus) {
  SparseMatrix<T>& x = corpus.counts;
  x.rows = static_cast<Index>(corpus.vocabulary.keys.size());
  x.cols = store.documents;
  x.offsets.assign(static_cast<std::size_t>(x.cols) + 1, 0);
  const auto batches = static_cast<Index>(store.batches.size());
  parallel_for(batches, [&](Index b) {
    std::vector<Index> last(static_cast<std::size_t>(x.rows), -1);  // the last document that each term was seen in
    visit_terms(store.batches[static_cast<std::size_t>(b)], map, [&](Index j, std::span<const std::uint32_t> terms) {
      Index distinct = 0;
      for (const std::uint32_t term : terms) distinct += std::exchange(last[term], j) != j ? 1 : 0;
      x.offsets[j + 1] = distinct;
    });
  });
  for (Index j = 0; j < x.cols; ++j) x.offsets[j + 1] += x.offsets[j];
  if (need) need(static_cast<double>(x.offsets.back()) * (sizeof(RowIndex) + sizeof(T)));
  x.indices.resize(static_cast<std::size_t>(x.offsets.back()));
  x.values.resize(static_cast<std::size_t>(x.offsets.back()));
  parallel_for(batches, [&](Index b) {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(x.rows), 0);
    visit_terms(store.batches[static_cast<std::size_t>(b)], map, [&](Index j, std::span<const std::uint32_t> terms) {
      RowIndex* const column = x.indices.data() + x.offsets[j];
      RowIndex* end = column;
      for (const std::uint32_t term : terms) {
        if (counts[term]++ == 0) *end++ = static_cast<RowIndex>(term);
      }
      std::sort(column, end);
      T* value = x.values.data() + x.offsets[j];
      for (const RowIndex* term = column; term < end; ++term)
        *value++ = static_cast<T>(std::exchange(counts[static_cast<std::size_t>(*term)], 0));
    });
  });
}

template <class T>
Corpus<T> make_corpus(TokenStore&& store, Vocabulary&& vocabulary, const TermMap& map, const ReadReport& report,
                      const NeedMemory& need) {
  Corpus<T> corpus;
  corpus.vocabulary = std::move(vocabulary);
  fill_counts(store, map, need, corpus);
  corpus.ids = std::move(store.ids);
  corpus.labels = std::move(store.labels);
  corpus.times = std::move(store.times);
  corpus.titles = std::move(store.titles);
  for (auto* parts : {&corpus.labels, &corpus.times, &corpus.titles}) {
    if (!parts->empty()) parts->resize(corpus.ids.size());
  }
  corpus.words = store.tokens;
  corpus.distinct_words = store.words.size();
  corpus.text_bytes = store.text_bytes;
  corpus.report = report;
  return corpus;
}

std::string no_documents(const ReadReport& report) {
  std::string sentence = "there are no documents to read";
  if (report.passed_over > 0)
    sentence += ": by name or content none of the " + std::to_string(report.passed_over) + " files there is text";
  if (report.closed_folders > 0) sentence += ": " + report.notes.front();
  if (report.skipped > 0) sentence += ": all " + std::to_string(report.skipped) + " are bad; " + report.notes.front();
  return sentence + (sentence.ends_with('.') ? "" : ".");
}

// Why none of the words is kept: the stop list, or the counts.
std::string no_terms(const TokenStore& store, const ChosenTerms& chosen) {
  const TextOptions& options = chosen.vocabulary.options;
  const std::string documents =
      store.documents == 1 ? "the document has " : "the " + std::to_string(store.documents) + " documents have ";
  const std::string start = "no word is left to count: " + documents;
  if (store.tokens == 0) return start + "no words.";
  Index stopped = 0;
  for (std::uint32_t word = 0; word < store.words.size(); ++word) {
    if (chosen.map.keys[word] == TermMap::none) stopped += store.totals[word];
  }
  std::string lists;
  const auto add = [&](const std::string& list) { lists += (lists.empty() ? "" : ", ") + list; };
  for (const std::string& language : options.stop_words) {
    if (language != "none") add(language);
  }
  if (!options.more_stop_words.empty()) add("--stop-words");
  const std::string list = "on the stop list (" + lists + ")";
  if (stopped == store.tokens)
    return start + std::to_string(store.tokens) + " words, all of them " + list +
           "; --language none would leave no language's words out.";
  const std::string others =
      stopped > 0 ? std::to_string(stopped) + " of them " + list + ", and the others are" : "which are";
  return start + std::to_string(store.tokens) + " words, " + others + " rarer than the least count of " +
         std::to_string(options.min_count) + ", or in too large a share of the documents.";
}

TokenStore read_some_tokens(DocumentReader& reader, const TextOptions& options) {
  check(options);
  TokenStore store = read_tokens(reader, options);
  if (store.documents == 0) throw InputError(no_documents(reader.report()));
  if (store.documents > std::numeric_limits<RowIndex>::max())
    throw InputError("there are more than 2147483647 documents, which is the most.");
  return store;
}

}  // namespace

template <class T>
Corpus<T> read_corpus(DocumentReader& reader, const TextOptions& options, const NeedMemory& need) {
  TokenStore store = read_some_tokens(reader, options);
  ChosenTerms chosen = choose_terms(store, options);
  if (chosen.vocabulary.keys.empty()) throw InputError(no_terms(store, chosen));
  return make_corpus<T>(std::move(store), std::move(chosen.vocabulary), chosen.map, reader.report(), need);
}

template <class T>
Corpus<T> read_corpus(DocumentReader& reader, const Vocabulary& vocabulary, const NeedMemory& need) {
  TokenStore store = read_some_tokens(reader, vocabulary.options);
  const TermMap map = match_terms(store, vocabulary);
  return make_corpus<T>(std::move(store), Vocabulary(vocabulary), map, reader.report(), need);
}

template Corpus<float> read_corpus(DocumentReader&, const TextOptions&, const NeedMemory&);
template Corpus<double> read_corpus(DocumentReader&, const TextOptions&, const NeedMemory&);
template Corpus<float> read_corpus(DocumentReader&, const Vocabulary&, const NeedMemory&);
template Corpus<double> read_corpus(DocumentReader&, const Vocabulary&, const NeedMemory&);

}  // namespace copse
