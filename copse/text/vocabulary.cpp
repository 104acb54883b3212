#include "copse/text/vocabulary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "copse/base/error.h"
#include "copse/io/input.h"
#include "copse/io/json_value.h"
#include "copse/text/stem.h"
#include "copse/text/stop_words.h"

namespace copse {
namespace {

using nlohmann::json;

NLOHMANN_JSON_SERIALIZE_ENUM(WordRule, {{WordRule::unicode, "unicode"}, {WordRule::word_characters, "word-characters"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Links, {{Links::drop, "drop"}, {Links::whole, "whole"}, {Links::words, "words"}})

// Calls visit(name, field) for every option, so that writing and reading cannot differ.
template <class Options, class Visit>
void visit_options(Options& options, const Visit& visit) {
  visit("rule", options.tokens.rule);
  visit("links", options.tokens.links);
  visit("numbers", options.tokens.numbers);
  visit("apostrophes", options.tokens.apostrophes);
  visit("min_length", options.tokens.min_length);
  visit("max_length", options.tokens.max_length);
  visit("drop_headers", options.mail.drop_headers);
  visit("drop_quotes", options.mail.drop_quotes);
  visit("drop_signature", options.mail.drop_signature);
  visit("stop_words", options.stop_words);
  visit("more_stop_words", options.more_stop_words);
  visit("stemmer", options.stemmer);
  visit("bigrams", options.bigrams);
  visit("bigram_count", options.bigram_count);
  visit("bigram_strength", options.bigram_strength);
  visit("min_count", options.min_count);
  visit("max_share", options.max_share);
  visit("max_terms", options.max_terms);
}

}  // namespace

void check(const TextOptions& options) {
  const auto require = [](bool condition, const char* sentence) {
    if (!condition) throw InvalidArgument(sentence);
  };
  require(options.tokens.min_length >= 1, "the least length of a word must be at least 1");
  require(options.tokens.max_length >= options.tokens.min_length,
          "the greatest length of a word must not be below the least");
  require(options.min_count >= 1, "the least count of a term must be at least 1");
  require(options.max_share > 0 && options.max_share <= 1,
          "the greatest share of documents must be above 0 and at most 1");
  require(options.max_terms >= 0, "the greatest number of terms must not be negative");
  require(options.bigram_count >= 1, "the least count of a bigram must be at least 1");
  require(options.bigram_strength >= -1 && options.bigram_strength <= 1,
          "the least strength of a bigram must be between -1 and 1");
  const bool chooses =
      options.stop_words == std::vector<std::string>{"auto"} || options.stop_words == std::vector<std::string>{"none"};
  for (const std::string& language : options.stop_words) {
    if (!chooses) stop_words(language, options.tokens);
  }
  if (options.stemmer != "none" && options.stemmer != "auto") Stemmer(options.stemmer);
}

std::string to_json(const Vocabulary& vocabulary) {
  json result;
  visit_options(vocabulary.options, [&](const char* name, const auto& value) { result["options"][name] = value; });
  result["keys"] = vocabulary.keys;
  result["names"] = vocabulary.names;
  return result.dump();
}

Vocabulary parse_vocabulary(std::string_view text, const std::string& name) {
  Vocabulary vocabulary;
  try {
    const json parsed = json::parse(text);
    visit_options(vocabulary.options, [&](const char* option, auto& value) {
      value = checked_value<std::remove_cvref_t<decltype(value)>>(parsed.at("options").at(option));
    });
    parsed.at("keys").get_to(vocabulary.keys);
    parsed.at("names").get_to(vocabulary.names);
    check(vocabulary.options);
  } catch (const json::exception& error) {
    fail(name, std::string("this is not a vocabulary: ") + error.what() + ".");
  } catch (const InvalidArgument& error) {
    fail(name, std::string("the options of the vocabulary are not valid: ") + error.what() + ".");
  }
  if (vocabulary.names.size() != vocabulary.keys.size())
    fail(name, "the vocabulary has more keys than names, or fewer.");
  if (std::adjacent_find(vocabulary.keys.begin(), vocabulary.keys.end(), std::greater_equal<>()) !=
      vocabulary.keys.end())
    fail(name, "the keys of the vocabulary are not ascending.");
  return vocabulary;
}

}  // namespace copse
