#include "copse/text/terms.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/text/collocations.h"
#include "copse/text/languages.h"
#include "copse/text/stem.h"
#include "copse/text/stop_words.h"

namespace copse {
namespace {

constexpr std::uint32_t no_term = TermMap::none;
constexpr Index stem_block = 4096;

// What words are counted under: themselves or their stems, stop words not at all.
struct Keys {
  std::vector<std::uint32_t> of_word;
  WordTable table;
};

Keys make_keys(const TokenStore& store, const TextOptions& options) {
  const auto words = static_cast<Index>(store.words.size());
  Keys keys{std::vector<std::uint32_t>(static_cast<std::size_t>(words), 0), {}};
  const auto leave_out = [&](const std::vector<std::string>& list) {
    for (const std::string& word : list) {
      if (const std::uint32_t number = store.words.find(word); number != WordTable::missing)
        keys.of_word[number] = no_term;
    }
  };
  for (const std::string& language : options.stop_words) {
    if (language != "none") leave_out(stop_words(language, options.tokens));
  }
  for (const std::string& word : options.more_stop_words) leave_out(as_tokens(word, options.tokens));

  std::vector<std::string> stems;
  if (options.stemmer != "none") {
    stems.resize(static_cast<std::size_t>(words));
    parallel_blocks(words, stem_block, [&](Index begin, Index end) {
      Stemmer stemmer(options.stemmer);
      for (auto word = static_cast<std::uint32_t>(begin); word < static_cast<std::uint32_t>(end); ++word)
        stems[word] = stemmer.stem(store.words.word(word));
    });
  }
  for (std::uint32_t word = 0; word < store.words.size(); ++word) {
    if (keys.of_word[word] == no_term) continue;
    keys.of_word[word] = keys.table.add(stems.empty() ? store.words.word(word) : std::string_view(stems[word]));
  }
  return keys;
}

// The commonest full form of each key; of equals the first in code point order.
std::vector<std::uint32_t> commonest_words(const TokenStore& store, const Keys& keys) {
  std::vector<std::uint32_t> best(keys.table.size(), no_term);
  for (std::uint32_t word = 0; word < store.words.size(); ++word) {
    if (keys.of_word[word] == no_term) continue;
    std::uint32_t& leader = best[keys.of_word[word]];
    if (leader == no_term || store.totals[word] > store.totals[leader] ||
        (store.totals[word] == store.totals[leader] && store.words.word(word) < store.words.word(leader)))
      leader = word;
  }
  return best;
}

struct Counts {
  std::vector<Index> totals, documents;
};

// Integers, so that the order of adding does not matter; a few blocks, so that their arrays stay small.
Counts count_terms(const TokenStore& store, const TermMap& map, std::size_t terms) {
  constexpr std::size_t blocks = 8;
  struct Part {
    std::vector<std::uint32_t> totals, documents;
  };
  std::vector<Part> parts(blocks);
  parallel_for(blocks, [&](Index block) {
    Part& part = parts[static_cast<std::size_t>(block)];
    part.totals.resize(terms);
    part.documents.resize(terms);
    std::vector<Index> last(terms, -1);
    for (auto b = static_cast<std::size_t>(block); b < store.batches.size(); b += blocks) {
      visit_terms(store.batches[b], map, [&](Index document, std::span<const std::uint32_t> found) {
        for (const std::uint32_t term : found) {
          ++part.totals[term];
          if (std::exchange(last[term], document) != document) ++part.documents[term];
        }
      });
    }
  });
  Counts counts{std::vector<Index>(terms), std::vector<Index>(terms)};
  for (const Part& part : parts) {
    for (std::size_t term = 0; term < terms; ++term) {
      counts.totals[term] += part.totals[term];
      counts.documents[term] += part.documents[term];
    }
  }
  return counts;
}

Counts counts_of_words(const TokenStore& store, const TermMap& map) {
  Counts counts{std::vector<Index>(map.key_count), std::vector<Index>(map.key_count)};
  for (std::uint32_t word = 0; word < store.words.size(); ++word) {
    if (map.keys[word] == no_term) continue;
    counts.totals[map.keys[word]] = store.totals[word];
    counts.documents[map.keys[word]] = store.document_counts[word];
  }
  return counts;
}

// Keeps the `most` most frequent (0: all); of equals the first in code point order. Only those at the limit need names.
template <class KeyOf>
void keep_most_frequent(const std::vector<Index>& totals, Index most, const KeyOf& key_of,
                        std::vector<std::uint32_t>& terms) {
  if (most == 0 || static_cast<Index>(terms.size()) <= most) return;
  std::vector<std::uint32_t> order = terms;
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::nth_element(order.begin(), last, order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return totals[a] > totals[b]; });
  const Index limit = totals[*last];
  std::vector<std::pair<std::string, std::uint32_t>> equals;
  Index above = 0;
  for (const std::uint32_t term : terms) {
    if (totals[term] > limit) ++above;
    if (totals[term] == limit) equals.emplace_back(key_of(term), term);
  }
  std::sort(equals.begin(), equals.end());
  std::erase_if(terms, [&](std::uint32_t term) { return totals[term] <= limit; });
  for (Index e = 0; e < most - above; ++e) terms.push_back(equals[static_cast<std::size_t>(e)].second);
}

}  // namespace

ChosenTerms choose_terms(const TokenStore& store, const TextOptions& given) {
  ChosenTerms result;
  TextOptions& options = result.vocabulary.options;
  options = given;
  resolve_languages(store, options);

  Keys keys = make_keys(store, options);
  TermMap& map = result.map;
  map.keys = std::move(keys.of_word);
  keys.of_word = map.keys;
  map.key_count = keys.table.size();
  map.terms.resize(map.key_count);
  std::iota(map.terms.begin(), map.terms.end(), 0);
  std::vector<std::uint64_t> pairs;
  if (options.bigrams) pairs = find_collocations(store, map, options);
  std::uint32_t terms = map.key_count;
  for (const std::uint64_t pair : pairs) map.pairs.emplace(pair, terms++);

  // Without stems and bigrams every word is a term, and all has been counted already.
  const bool known = options.stemmer == "none" && pairs.empty();
  const Counts counts = known ? counts_of_words(store, map) : count_terms(store, map, terms);
  const auto most_documents = options.max_share * static_cast<double>(store.documents);
  std::vector<std::uint32_t> kept;
  for (std::uint32_t term = 0; term < terms; ++term) {
    if (counts.totals[term] >= options.min_count && counts.totals[term] > 0 &&
        static_cast<double>(counts.documents[term]) <= most_documents)
      kept.push_back(term);
  }
  const auto key_of = [&](std::uint32_t term) {
    if (term < map.key_count) return std::string(keys.table.word(term));
    const std::uint64_t pair = pairs[term - map.key_count];
    return std::string(keys.table.word(static_cast<std::uint32_t>(pair >> 32))) + ' ' +
           std::string(keys.table.word(static_cast<std::uint32_t>(pair)));
  };
  keep_most_frequent(counts.totals, options.max_terms, key_of, kept);
  std::vector<std::pair<std::string, std::uint32_t>> named;
  named.reserve(kept.size());
  for (const std::uint32_t term : kept) named.emplace_back(key_of(term), term);
  std::sort(named.begin(), named.end());

  const std::vector<std::uint32_t> leaders = commonest_words(store, keys);
  const auto name_of = [&](std::uint32_t key) { return std::string(store.words.word(leaders[key])); };
  std::vector<std::uint32_t> final_number(terms, no_term);
  for (auto& [key, term] : named) {
    final_number[term] = static_cast<std::uint32_t>(result.vocabulary.keys.size());
    result.vocabulary.keys.push_back(std::move(key));
    if (term < map.key_count) {
      result.vocabulary.names.push_back(name_of(term));
    } else {
      const std::uint64_t pair = pairs[term - map.key_count];
      result.vocabulary.names.push_back(name_of(static_cast<std::uint32_t>(pair >> 32)) + ' ' +
                                        name_of(static_cast<std::uint32_t>(pair)));
    }
  }
  for (std::uint32_t& term : map.terms) term = final_number[term];
  // A pair that is not kept counts as its two words, as it will when the vocabulary is matched.
  for (auto& [pair, term] : map.pairs) term = final_number[term];
  std::erase_if(map.pairs, [](const auto& entry) { return entry.second == no_term; });
  return result;
}

TermMap match_terms(const TokenStore& store, const Vocabulary& vocabulary) {
  Keys keys = make_keys(store, vocabulary.options);
  TermMap map;
  map.keys = std::move(keys.of_word);
  map.key_count = keys.table.size();
  map.terms.assign(map.key_count, no_term);
  for (std::uint32_t term = 0; term < vocabulary.keys.size(); ++term) {
    const std::string& key = vocabulary.keys[term];
    const std::size_t space = key.find(' ');
    if (space == std::string::npos) {
      if (const std::uint32_t number = keys.table.find(key); number != no_term) map.terms[number] = term;
    } else {
      const std::uint32_t first = keys.table.find(std::string_view(key).substr(0, space));
      const std::uint32_t second = keys.table.find(std::string_view(key).substr(space + 1));
      if (first != no_term && second != no_term)
        map.pairs.emplace(static_cast<std::uint64_t>(first) << 32 | second, term);
    }
  }
  return map;
}

}  // namespace copse
