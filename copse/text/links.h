// URLs and e-mail addresses in a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace copse {

struct Link {
  std::size_t begin = std::string_view::npos;  // npos: there is none
  std::size_t end = std::string_view::npos;
};

// From front to back: scheme://..., www...., and name@host where the host has a dot or the whole is in angle brackets.
// A URL ends before white space, quotes, brackets, and punctuation that ends a sentence.
class LinkFinder {
 public:
  explicit LinkFinder(std::string_view text);
  Link next();

 private:
  void seek_scheme();
  void seek_www();
  void seek_address();

  std::string_view text_;
  std::size_t from_ = 0;
  // The next of each kind, so that a text with many of one kind is not searched for the others again and again.
  Link scheme_, www_, address_;
};

}  // namespace copse
