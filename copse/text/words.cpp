#include "copse/text/words.h"

#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "copse/base/error.h"

namespace copse {
namespace {

using icu::BreakIterator;
using icu::UnicodeString;

// What a byte can be. `other` and `hyphen` end a word; `mid` joins two letters or two digits.
enum Class : std::uint16_t {
  letter = 1,  // as far as boundaries go
  digit = 2,
  extend = 4,  // _: joins all
  mid_letter = 8,
  mid_number = 16,
  space = 32,
  hyphen = 64,
  beyond_ascii = 128,
  alphabetic = 256,
};
constexpr std::uint16_t inside = letter | digit | extend;
constexpr std::uint16_t not_plain = extend | mid_letter | mid_number;

char to_lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool is_ascii_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

void require(UErrorCode status) {
  if (U_FAILURE(status)) throw Error(std::string("ICU does not work here: ") + u_errorName(status) + ".");
}

std::unique_ptr<BreakIterator> word_iterator() {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<BreakIterator> iterator(BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  require(status);
  return iterator;
}

bool is_one(BreakIterator& iterator, const std::string& text) {
  const UnicodeString units = UnicodeString::fromUTF8(text);
  iterator.setText(units);
  iterator.first();
  return iterator.next() == units.length();
}

// Asked of ICU itself, as the classes differ between its versions: release 72 made @ a letter.
std::array<std::uint16_t, 256> ascii_classes() {
  const auto iterator = word_iterator();
  std::array<std::uint16_t, 256> classes{};
  for (int c = 0; c < 128; ++c) {
    const std::string text(1, static_cast<char>(c));
    const auto set = [&](std::uint16_t bit) { classes[static_cast<std::size_t>(c)] |= bit; };
    if (is_ascii_letter(text[0])) set(alphabetic);
    if (std::string_view(" \t\n\v\f\r").find(text) != std::string_view::npos) {
      set(space);
    } else if (is_one(*iterator, "a" + text)) {
      const UnicodeString units = UnicodeString::fromUTF8(text);
      iterator->setText(units);
      iterator->first();
      iterator->next();
      const int status = iterator->getRuleStatus();
      set(status >= UBRK_WORD_LETTER ? letter : status >= UBRK_WORD_NUMBER ? digit : extend);
    } else {
      if (is_one(*iterator, "a" + text + "a")) set(mid_letter);
      if (is_one(*iterator, "1" + text + "1")) set(mid_number);
      if (c == '-') set(hyphen);
    }
  }
  for (std::size_t c = 128; c < 256; ++c) classes[c] = beyond_ascii;
  return classes;
}

// ASCII letters, digits and _ in lower case; 0 for all else.
constexpr std::array<char, 256> lower_word_character = [] {
  std::array<char, 256> table{};
  for (char c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = c;
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = table[static_cast<std::size_t>(c - 32)] = c;
  table['_'] = '_';
  return table;
}();

bool separates_neighbours(UChar32 c) { return u_isUWhiteSpace(c) || c == '-' || c == 0x2010 || c == 0x2011; }

// What Python's re calls \w: letters, digits and other characters with a numeric value, and _.
bool is_word_character(UChar32 c) {
  return (u_getIntPropertyValue(c, UCHAR_GENERAL_CATEGORY_MASK) & U_GC_L_MASK) != 0 || c == '_' ||
         u_getNumericValue(c) != U_NO_NUMERIC_VALUE;
}

}  // namespace

struct WordFinder::State {
  static const std::array<std::uint16_t, 256>& table() {
    static const std::array<std::uint16_t, 256> classes = ascii_classes();
    return classes;
  }

  std::unique_ptr<BreakIterator> iterator;  // made when it is first needed
  const icu::Normalizer2* folding = nullptr;
  std::string characters;
  std::vector<Word> words;
  bool adjacent = false;
  UnicodeString units, folded;

  State() {
    UErrorCode status = U_ZERO_ERROR;
    folding = icu::Normalizer2::getNFKCCasefoldInstance(status);
    require(status);
  }

  void add_ascii(const char* p, const char* end);
  void add_by_icu(std::string_view text);
  void add_runs_by_icu(std::string_view text);

  // Cuts the text into runs without and with bytes beyond ASCII. Cuts are at ASCII white space, which is in no word and
  // joins with nothing, so that the words are those of the whole.
  template <class Ascii, class Other>
  void cut(std::string_view text, const Ascii& ascii, const Other& other) const;
};

template <class Ascii, class Other>
void WordFinder::State::cut(std::string_view text, const Ascii& ascii, const Other& other) const {
  const auto& classes = table();
  const char *p = text.data(), *const end = p + text.size();
  const char* plain = p;  // beginning of the run without
  while (p < end) {
    // Eight bytes at a time while all are ASCII.
    while (end - p >= 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, p, 8);
      if ((bytes & 0x8080808080808080ULL) != 0) break;
      p += 8;
    }
    while (p < end && classes[static_cast<unsigned char>(*p)] != beyond_ascii) ++p;
    if (p == end) break;
    const char* from = p;
    while (from > plain && classes[static_cast<unsigned char>(from[-1])] != space) --from;
    if (from > plain) ascii(plain, from);
    // On to the white space after which a piece without bytes beyond ASCII comes.
    for (;;) {
      while (p < end && classes[static_cast<unsigned char>(*p)] != space) ++p;
      const char* next = p;
      std::uint16_t seen = 0;
      while (next < end && classes[static_cast<unsigned char>(*next)] == space) ++next;
      while (next < end && classes[static_cast<unsigned char>(*next)] != space)
        seen |= classes[static_cast<unsigned char>(*next++)];
      if ((seen & beyond_ascii) == 0) break;
      p = next;
    }
    other(std::string_view(from, static_cast<std::size_t>(p - from)));
    plain = p;
  }
  if (plain < end) ascii(plain, end);
}

void WordFinder::State::add_ascii(const char* p, const char* end) {
  const auto& classes = table();
  const auto class_of = [&](const char* q) { return classes[static_cast<unsigned char>(*q)]; };
  while (p < end) {
    const std::uint16_t first = class_of(p);
    if ((first & inside) == 0) {
      if ((first & (space | hyphen)) == 0) adjacent = false;
      ++p;
      continue;
    }
    const char* const from = p;
    std::uint16_t seen = 0;
    for (;;) {
      std::uint16_t last = 0;
      while (p < end && ((last = class_of(p)) & inside) != 0) {
        seen |= last;
        ++p;
      }
      // WB6, 7, 11, 12: one character between two letters, or between two digits.
      if (end - p < 2) break;
      const std::uint16_t before = class_of(p - 1), after = class_of(p + 1);
      if (!(((last & mid_letter) != 0 && (before & after & letter) != 0) ||
            ((last & mid_number) != 0 && (before & after & digit) != 0)))
        break;
      seen |= last;
      ++p;
    }
    const auto length = static_cast<std::size_t>(p - from);
    if (length == 1 && first == extend) {  // one _ alone is no word, two are
      adjacent = false;
      continue;
    }
    const std::size_t place = characters.size();
    characters.append(from, length);
    std::transform(from, p, characters.begin() + static_cast<std::ptrdiff_t>(place), to_lower);
    words.push_back(
        {place, place + length, length, (seen & alphabetic) != 0, false, adjacent, (seen & not_plain) == 0});
    adjacent = true;
  }
}

void WordFinder::State::add_by_icu(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  units = UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
  folding->normalize(units, folded, status);
  require(status);
  if (iterator == nullptr) iterator = word_iterator();
  iterator->setText(folded);
  int from = iterator->first();
  for (int to = iterator->next(); to != BreakIterator::DONE; from = to, to = iterator->next()) {
    const int kind = iterator->getRuleStatus();
    Word word{.begin = characters.size(), .ideographic = kind >= UBRK_WORD_KANA, .adjacent = adjacent};
    bool separates = true;
    for (int i = from; i < to;) {
      const UChar32 c = folded.char32At(i);
      i += U16_LENGTH(c);
      ++word.length;
      word.has_letter |= u_isalpha(c) != 0;
      separates &= separates_neighbours(c);
    }
    if (kind < UBRK_WORD_NONE_LIMIT) {
      adjacent &= separates;
      continue;
    }
    folded.tempSubStringBetween(from, to).toUTF8String(characters);
    word.end = characters.size();
    words.push_back(word);
    adjacent = true;
  }
}

void WordFinder::State::add_runs_by_icu(std::string_view text) {
  units = UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
  units.toLower(icu::Locale::getRoot());
  for (int i = 0; i < units.length();) {
    const int from = i;
    Word word{.begin = characters.size(), .adjacent = adjacent};
    UChar32 c = 0;
    while (i < units.length() && is_word_character(c = units.char32At(i))) {
      i += U16_LENGTH(c);
      ++word.length;
      word.has_letter |= u_isalpha(c) != 0;
    }
    if (i == from) {
      adjacent &= separates_neighbours(c);
      i += U16_LENGTH(c);
      continue;
    }
    units.tempSubStringBetween(from, i).toUTF8String(characters);
    word.end = characters.size();
    words.push_back(word);
    adjacent = true;
  }
}

WordFinder::WordFinder() : state_(std::make_unique<State>()) {}
WordFinder::~WordFinder() = default;
WordFinder::WordFinder(WordFinder&&) noexcept = default;
WordFinder& WordFinder::operator=(WordFinder&&) noexcept = default;

void WordFinder::clear() {
  state_->characters.clear();
  state_->words.clear();
}

void WordFinder::interrupt() { state_->adjacent = false; }
std::string& WordFinder::characters() { return state_->characters; }
std::vector<Word>& WordFinder::words() { return state_->words; }

void WordFinder::add_unicode_words(std::string_view text) {
  state_->cut(
      text, [&](const char* begin, const char* end) { state_->add_ascii(begin, end); },
      [&](std::string_view piece) { state_->add_by_icu(piece); });
}

void WordFinder::add_character_runs(std::string_view text) {
  const auto& classes = State::table();
  const auto ascii = [&](const char* p, const char* end) {
    while (p < end) {
      const char* const from = p;
      bool has_letter = false;
      for (; p < end && lower_word_character[static_cast<unsigned char>(*p)] != 0; ++p)
        has_letter |= *p > '9' && *p != '_';
      if (p == from) {
        state_->adjacent &= (classes[static_cast<unsigned char>(*p++)] & (space | hyphen)) != 0;
        continue;
      }
      const auto length = static_cast<std::size_t>(p - from);
      const std::size_t place = state_->characters.size();
      state_->characters.append(from, length);
      for (char *c = state_->characters.data() + place, *last = c + length; c < last; ++c)
        *c = lower_word_character[static_cast<unsigned char>(*c)];
      state_->words.push_back({place, place + length, length, has_letter, false, state_->adjacent});
      state_->adjacent = true;
    }
  };
  state_->cut(text, ascii, [&](std::string_view piece) { state_->add_runs_by_icu(piece); });
}

void WordFinder::add_whole(std::string_view text) {
  Word word{.begin = state_->characters.size(), .has_letter = true, .adjacent = state_->adjacent};
  UErrorCode status = U_ZERO_ERROR;
  state_->units = UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
  state_->folding->normalize(state_->units, state_->folded, status);
  require(status);
  state_->folded.toUTF8String(state_->characters);
  word.end = state_->characters.size();
  word.length = static_cast<std::size_t>(state_->folded.countChar32());
  state_->words.push_back(word);
  state_->adjacent = true;
}

}  // namespace copse
