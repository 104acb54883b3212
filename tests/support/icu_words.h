// The words of a text by ICU alone: fold the whole, then walk its word break iterator.
#pragma once

#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::naive {

inline std::vector<std::string> unicode_words(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  static const std::unique_ptr<icu::BreakIterator> iterator(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  const icu::UnicodeString folded =
      icu::Normalizer2::getNFKCCasefoldInstance(status)->normalize(icu::UnicodeString::fromUTF8(text), status);
  if (U_FAILURE(status)) throw std::runtime_error(u_errorName(status));
  iterator->setText(folded);
  std::vector<std::string> words;
  int from = iterator->first();
  for (int to = iterator->next(); to != icu::BreakIterator::DONE; from = to, to = iterator->next()) {
    if (iterator->getRuleStatus() >= UBRK_WORD_NONE_LIMIT)
      folded.tempSubStringBetween(from, to).toUTF8String(words.emplace_back());
  }
  return words;
}

}  // namespace copse::naive
