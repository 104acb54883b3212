#include "copse/text/languages.h"

#include <algorithm>

#include "copse/text/stem.h"
#include "copse/text/stop_words.h"

namespace copse {

std::vector<std::string> find_languages(const TokenStore& store, const TokenOptions& options) {
  constexpr double least_share = 0.05;
  const std::vector<std::string> languages = stop_word_languages();
  std::vector<std::vector<std::uint32_t>> lists;
  for (const std::string& language : languages) {
    auto& list = lists.emplace_back();
    for (const std::string& word : stop_words(language, options)) {
      if (const std::uint32_t number = store.words.find(word); number != WordTable::missing) list.push_back(number);
    }
  }
  std::vector<std::string> found;
  std::vector<Index> rest = store.totals;
  Index left = store.tokens;
  for (;;) {
    std::size_t best = 0;
    Index most = 0;
    for (std::size_t l = 0; l < lists.size(); ++l) {
      Index covered = 0;
      for (const std::uint32_t word : lists[l]) covered += rest[word];
      if (covered > most) {
        most = covered;
        best = l;
      }
    }
    if (most == 0 || static_cast<double>(most) < least_share * static_cast<double>(left)) return found;
    found.push_back(languages[best]);
    for (const std::uint32_t word : lists[best]) rest[word] = 0;
    left -= most;
  }
}

void resolve_languages(const TokenStore& store, TextOptions& options) {
  const bool finds_stop_words = options.stop_words == std::vector<std::string>{"auto"};
  if (!finds_stop_words && options.stemmer != "auto") return;
  const std::vector<std::string> languages = find_languages(store, options.tokens);
  if (finds_stop_words) options.stop_words = languages;
  if (options.stemmer == "auto") {
    const std::vector<std::string> known = stemmer_languages();
    const bool has_stemmer =
        !languages.empty() && std::find(known.begin(), known.end(), languages.front()) != known.end();
    options.stemmer = has_stemmer ? languages.front() : "none";
  }
}

}  // namespace copse
