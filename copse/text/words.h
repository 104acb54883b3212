// Where the words of a text are: ICU's word boundaries, by a table where the text is ASCII.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "copse/base/index.h"

namespace copse {

struct Word {
  std::size_t begin = 0;  // in WordFinder::characters
  std::size_t end = 0;
  std::size_t length = 0;    // in characters
  bool has_letter = false;   // false for a number
  bool ideographic = false;  // Chinese or Japanese, where one character may be a word
  bool adjacent = false;     // only spaces or a hyphen since the word before
  bool plain = false;        // ASCII, without _ . ' and the like
};

// Appends the words of one text after another to one list.
class WordFinder {
 public:
  WordFinder();
  ~WordFinder();
  WordFinder(WordFinder&&) noexcept;
  WordFinder& operator=(WordFinder&&) noexcept;

  void clear();  // the list
  // The words of NFKC_Casefold(text) by ICU's word break iterator of the root locale.
  void add_unicode_words(std::string_view text);
  // The runs of letters, digits and _ of the text in lower case.
  void add_character_runs(std::string_view text);
  // The whole text in lower case as one word.
  void add_whole(std::string_view text);
  // The next word is not adjacent to the last one.
  void interrupt();

  std::string& characters();  // of all words
  std::vector<Word>& words();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse
