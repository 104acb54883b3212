#include "copse/text/tokens.h"

#include <algorithm>
#include <array>

#include "copse/text/links.h"
#include "copse/text/words.h"

namespace copse {
namespace {

// White space is in no word and in no link: words are the same whether a text is cut there or not.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

std::string_view first_piece(std::string_view text) {
  return text.size() <= piece_bytes ? text : text.substr(0, text.find_first_of(" \t\n\v\f\r", piece_bytes));
}

constexpr std::string_view curly_apostrophe = "\xE2\x80\x99";

// What elision leaves of a function word in French and Italian; the noun follows the apostrophe.
constexpr std::array<std::string_view, 29> elided = {
    "c",      "d",      "j",      "l",    "m",      "n",    "s",    "t",    "qu",   "jusqu",
    "lorsqu", "puisqu", "quoiqu", "un",   "all",    "dall", "dell", "nell", "sull", "coll",
    "quell",  "quest",  "sant",   "bell", "dovell", "gl",   "com",  "dov",  "cos"};

// Cuts 's and what was elided from a word that holds an apostrophe, which becomes the straight one.
void cut_apostrophes(std::string& characters, Word& word) {
  std::string_view text(characters.data() + word.begin, word.end - word.begin);
  if (text.find('\'') == std::string_view::npos && text.find(curly_apostrophe) == std::string_view::npos) return;
  std::string straight;
  for (std::size_t i = 0; i < text.size();) {
    const bool curly = text.substr(i).starts_with(curly_apostrophe);
    straight += curly ? '\'' : text[i];
    i += curly ? curly_apostrophe.size() : 1;
  }
  std::string_view rest = straight;
  if (rest.ends_with("'s")) rest.remove_suffix(2);
  const std::size_t apostrophe = rest.find('\'');
  if (apostrophe != std::string_view::npos && apostrophe + 1 < rest.size() &&
      std::find(elided.begin(), elided.end(), rest.substr(0, apostrophe)) != elided.end())
    rest.remove_prefix(apostrophe + 1);
  word.begin = characters.size();
  characters += rest;
  word.end = characters.size();
  word.length = static_cast<std::size_t>(
      std::count_if(rest.begin(), rest.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void trim_underscores(const std::string& characters, Word& word) {
  for (; word.begin < word.end && characters[word.begin] == '_'; ++word.begin) --word.length;
  for (; word.begin < word.end && characters[word.end - 1] == '_'; --word.end) --word.length;
}

// A word that has no letter: a number, unless there is no digit in it either.
bool is_number(const std::string& characters, const Word& word) {
  return std::any_of(characters.begin() + static_cast<std::ptrdiff_t>(word.begin),
                     characters.begin() + static_cast<std::ptrdiff_t>(word.end),
                     [](char c) { return ('0' <= c && c <= '9') || static_cast<unsigned char>(c) >= 128; });
}

}  // namespace

struct Tokenizer::State {
  TokenOptions options;
  WordFinder finder = {};
  std::vector<Token> tokens = {};
  bool last_kept = true;  // a word that is left out stands between its neighbours

  void begin() {
    finder.interrupt();
    last_kept = true;
  }

  // Goes on where the last call ended.
  void add(std::string_view text);

  void find_words(std::string_view text) {
    if (options.rule == WordRule::unicode) {
      finder.add_unicode_words(text);
    } else {
      finder.add_character_runs(text);
    }
  }

  bool keeps(Word& word) {
    std::string& characters = finder.characters();
    if (options.rule == WordRule::unicode && !word.plain) {
      trim_underscores(characters, word);
      if (options.apostrophes) cut_apostrophes(characters, word);
    }
    if (!word.has_letter) {
      if (!options.numbers) return false;
      if (options.rule == WordRule::unicode && !is_number(characters, word)) return false;
    }
    return word.length <= static_cast<std::size_t>(options.max_length) && word.length > 0 &&
           (word.ideographic || word.length >= static_cast<std::size_t>(options.min_length));
  }
};

Tokenizer::Tokenizer(const TokenOptions& options) : state_(new State{options}) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

void Tokenizer::State::add(std::string_view text) {
  finder.clear();
  if (options.links == Links::words) {
    find_words(text);
  } else {
    LinkFinder links(text);
    std::size_t from = 0;
    for (Link link = links.next(); from < text.size(); link = links.next()) {
      find_words(text.substr(from, link.begin - from));
      if (link.begin == std::string_view::npos) break;
      finder.interrupt();
      if (options.links == Links::whole) finder.add_whole(text.substr(link.begin, link.end - link.begin));
      finder.interrupt();
      from = link.end;
    }
  }
  // Cleaning may move the characters, so that views come after it.
  for (Word& word : finder.words()) {
    if (!keeps(word)) word.length = 0;
  }
  const char* const characters = finder.characters().data();
  tokens.clear();
  for (const Word& word : finder.words()) {
    if (word.length > 0)
      tokens.push_back({{characters + word.begin, word.end - word.begin}, word.adjacent && last_kept});
    last_kept = word.length > 0;
  }
}

const std::vector<Token>& Tokenizer::tokenize(std::string_view text) {
  state_->begin();
  state_->add(text);
  return state_->tokens;
}

void Tokenizer::tokenize(std::string_view text, const std::function<void(std::span<const Token>)>& visit) {
  state_->begin();
  while (!text.empty()) {
    const std::string_view piece = first_piece(text);
    state_->add(piece);
    visit(state_->tokens);
    text.remove_prefix(piece.size());
  }
}

}  // namespace copse
