#include "copse/describe/word_forms.h"

#include <set>
#include <unordered_map>

#include "copse/text/stem.h"
#include "copse/text/tokens.h"
#include "copse/text/vocabulary.h"

namespace copse {

std::vector<std::vector<std::string>> word_forms(const ModelItems& items) {
  if (!items.is_text() || items.excerpts.empty()) return {};
  const Vocabulary vocabulary = parse_vocabulary(items.vocabulary, "the vocabulary of the model");
  if (vocabulary.options.stemmer == "none") return {};
  std::unordered_map<std::string, std::size_t> features;
  for (std::size_t i = 0; i < items.feature_names.size(); ++i) {
    const std::size_t key = items.kept_features.empty() ? i : static_cast<std::size_t>(items.kept_features[i]);
    if (key < vocabulary.keys.size()) features.emplace(vocabulary.keys[key], i);
  }
  std::vector<std::set<std::string>> found(items.feature_names.size());
  const auto note = [&](const std::string& key, const std::string& form) {
    const auto feature = features.find(key);
    if (feature != features.end() && form != items.feature_names[feature->second]) found[feature->second].insert(form);
  };
  Tokenizer tokenizer(vocabulary.options.tokens);
  Stemmer stemmer(vocabulary.options.stemmer);
  for (const std::string& excerpt : items.excerpts) {
    std::string stem_before, word_before;
    for (const Token& token : tokenizer.tokenize(excerpt)) {
      const std::string word(token.word), stem(stemmer.stem(word));
      note(stem, word);
      if (token.adjacent) note(stem_before.append(" ").append(stem), word_before.append(" ").append(word));
      stem_before = stem;
      word_before = word;
    }
  }
  std::vector<std::vector<std::string>> forms;
  forms.reserve(found.size());
  for (const auto& set : found) forms.emplace_back(set.begin(), set.end());
  return forms;
}

}  // namespace copse
