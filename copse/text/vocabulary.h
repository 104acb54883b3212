// Which words are counted, and under which name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/base/index.h"
#include "copse/text/tokens.h"

namespace copse {

struct MailOptions {
  bool drop_headers = false;    // "Name: value" lines up to the first blank line
  bool drop_quotes = false;     // lines that start with > or |, and the line that announces them
  bool drop_signature = false;  // what follows the line "-- "
};

struct TextOptions {
  TokenOptions tokens = {};
  MailOptions mail = {};
  // Lists to leave out: "auto" (those of the languages that are found in the text), "none", or languages such as
  // "english" and "french"; see stop_word_languages().
  std::vector<std::string> stop_words = {"auto"};
  std::vector<std::string> more_stop_words = {};  // words to leave out besides
  std::string stemmer = "none";  // "none", "auto" (that of the main language), or see stemmer_languages()
  bool bigrams = false;          // count two words that belong together as one term
  Index bigram_count = 10;       // least number of occurrences of the two side by side
  double bigram_strength = 0.3;  // least normalized pointwise mutual information of the two
  Index min_count = 3;           // drop terms with fewer occurrences in all
  double max_share = 1;          // drop terms that are in a larger share of the documents
  Index max_terms = 0;           // keep the most frequent only; 0: no limit
};

// Throws InvalidArgument for what is out of range or not known.
void check(const TextOptions& options);

struct Vocabulary {
  TextOptions options = {};             // with the languages that were found in place of "auto"
  std::vector<std::string> keys = {};   // ascending: words, or stems; two with a space between for a bigram
  std::vector<std::string> names = {};  // what to show: the commonest full form of each key
};

// All of it as JSON, and back. Throws InputError for text that is not such a vocabulary.
std::string to_json(const Vocabulary& vocabulary);
Vocabulary parse_vocabulary(std::string_view json, const std::string& name);

}  // namespace copse
