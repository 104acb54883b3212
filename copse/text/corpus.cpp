#include "copse/text/corpus.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/scratch_file.h"
#include "copse/text/spilled_corpus.h"
#include "copse/text/terms.h"

namespace copse {
namespace {

// The column of a document: its different terms, ascending, and how often it has each. `counts` is zero for all terms
// before and after.
template <class T>
void count_terms(std::span<const std::uint32_t> terms, std::vector<std::uint32_t>& counts, RowIndex* column,
                 T* values) {
  RowIndex* end = column;
  for (const std::uint32_t term : terms) {
    if (counts[term]++ == 0) *end++ = static_cast<RowIndex>(term);
  }
  std::sort(column, end);
  for (const RowIndex* term = column; term < end; ++term)
    *values++ = static_cast<T>(std::exchange(counts[static_cast<std::size_t>(*term)], 0));
}

// The counts, whose offsets are known, into a file: some batches at a time.
template <class T>
void write_counts(const TokenStore& store, const TermMap& map, SpilledCorpus<T>& spilled) {
  constexpr std::size_t batches_at_once = 16;
  SparseMatrix<T>& x = spilled.corpus.counts;
  const std::filesystem::path place = scratch_path("counts");
  CopseWriter writer(place, {.features = x.rows});
  for (std::size_t first = 0; first < store.batches.size(); first += batches_at_once) {
    check_cancelled();
    std::vector<SparseMatrix<T>> parts(std::min(batches_at_once, store.batches.size() - first));
    parallel_for(static_cast<Index>(parts.size()), [&](Index p) {
      const TokenBatch& batch = store.batches[first + static_cast<std::size_t>(p)];
      SparseMatrix<T>& part = parts[static_cast<std::size_t>(p)];
      const Index before = x.offsets[batch.first_document];
      part.rows = x.rows;
      part.cols = batch.documents;
      part.offsets.clear();
      for (Index d = 0; d <= batch.documents; ++d) part.offsets.push_back(x.offsets[batch.first_document + d] - before);
      part.indices.resize(static_cast<std::size_t>(part.offsets.back()));
      part.values.resize(static_cast<std::size_t>(part.offsets.back()));
      std::vector<std::uint32_t> counts(static_cast<std::size_t>(x.rows), 0);
      visit_terms(batch, map, [&](Index j, std::span<const std::uint32_t> terms) {
        const Index to = part.offsets[j - batch.first_document];
        count_terms(terms, counts, part.indices.data() + to, part.values.data() + to);
      });
    });
    for (const SparseMatrix<T>& part : parts) writer.add<T>(part);
  }
  writer.commit();
  spilled.file = std::make_shared<const CopseFile>(place);
  std::filesystem::remove(place);  // it stays open; nothing is left behind
  x.offsets = {0};
}

template <class T>
void fill_counts(const TokenStore& store, const TermMap& map, const NeedMemory& need, const TextSpill& spill,
                 SpilledCorpus<T>& spilled) {
  SparseMatrix<T>& x = spilled.corpus.counts;
  x.rows = static_cast<Index>(spilled.corpus.vocabulary.keys.size());
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
  if (spill.counts && spill.counts(x.rows, x.cols, x.offsets.back(), token_bytes(store)))
    return write_counts(store, map, spilled);
  if (need) need(static_cast<double>(x.offsets.back()) * (sizeof(RowIndex) + sizeof(T)));
  x.indices.resize(static_cast<std::size_t>(x.offsets.back()));
  x.values.resize(static_cast<std::size_t>(x.offsets.back()));
  parallel_for(batches, [&](Index b) {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(x.rows), 0);
    visit_terms(store.batches[static_cast<std::size_t>(b)], map, [&](Index j, std::span<const std::uint32_t> terms) {
      count_terms(terms, counts, x.indices.data() + x.offsets[j], x.values.data() + x.offsets[j]);
    });
  });
}

template <class T>
SpilledCorpus<T> make_corpus(TokenStore&& store, Vocabulary&& vocabulary, const TermMap& map, const ReadReport& report,
                             const NeedMemory& need, const TextSpill& spill) {
  SpilledCorpus<T> spilled;
  Corpus<T>& corpus = spilled.corpus;
  corpus.vocabulary = std::move(vocabulary);
  fill_counts(store, map, need, spill, spilled);
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
  return spilled;
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
  if (!options.more_stop_words.empty()) add("`stop_words`");
  const std::string list = "on the stop list (" + lists + ")";
  if (stopped == store.tokens)
    return start + std::to_string(store.tokens) + " words, all of them " + list +
           "; `language` none would leave no language's words out.";
  const std::string others =
      stopped > 0 ? std::to_string(stopped) + " of them " + list + ", and the others are" : "which are";
  return start + std::to_string(store.tokens) + " words, " + others + " rarer than the least count of " +
         std::to_string(options.min_count) + ", or in too large a share of the documents.";
}

TokenStore read_some_tokens(DocumentReader& reader, const TextOptions& options, const TextSpill& spill) {
  check(options);
  TokenStore store = read_tokens(reader, options, spill.token_bytes);
  if (store.documents == 0) throw InputError(no_documents(reader.report()));
  if (store.documents > std::numeric_limits<RowIndex>::max())
    throw InputError("there are more than 2147483647 documents, which is the most.");
  return store;
}

}  // namespace

template <class T>
SpilledCorpus<T> read_large_corpus(DocumentReader& reader, const TextOptions& options, const NeedMemory& need,
                                   const TextSpill& spill) {
  TokenStore store = read_some_tokens(reader, options, spill);
  ChosenTerms chosen = choose_terms(store, options);
  if (chosen.vocabulary.keys.empty()) throw InputError(no_terms(store, chosen));
  return make_corpus<T>(std::move(store), std::move(chosen.vocabulary), chosen.map, reader.report(), need, spill);
}

template <class T>
SpilledCorpus<T> read_large_corpus(DocumentReader& reader, const Vocabulary& vocabulary, const NeedMemory& need,
                                   const TextSpill& spill) {
  TokenStore store = read_some_tokens(reader, vocabulary.options, spill);
  const TermMap map = match_terms(store, vocabulary);
  return make_corpus<T>(std::move(store), Vocabulary(vocabulary), map, reader.report(), need, spill);
}

template <class T>
Corpus<T> read_corpus(DocumentReader& reader, const TextOptions& options, const NeedMemory& need) {
  return read_large_corpus<T>(reader, options, need, {}).corpus;
}

template <class T>
Corpus<T> read_corpus(DocumentReader& reader, const Vocabulary& vocabulary, const NeedMemory& need) {
  return read_large_corpus<T>(reader, vocabulary, need, {}).corpus;
}

#define COPSE_INSTANTIATE(T)                                                                          \
  template SpilledCorpus<T> read_large_corpus(DocumentReader&, const TextOptions&, const NeedMemory&, \
                                              const TextSpill&);                                      \
  template SpilledCorpus<T> read_large_corpus(DocumentReader&, const Vocabulary&, const NeedMemory&,  \
                                              const TextSpill&);                                      \
  template Corpus<T> read_corpus(DocumentReader&, const TextOptions&, const NeedMemory&);             \
  template Corpus<T> read_corpus(DocumentReader&, const Vocabulary&, const NeedMemory&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
