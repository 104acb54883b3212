// The text that every Debian machine has: descriptions of packages. A minimal count of words, enough for the demo.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/matrix/dataset.h"

namespace copse {

struct PackageTexts {
  std::vector<std::string> names;
  std::vector<std::string> sections;
  std::vector<std::string> descriptions;
};

// From what `apt-cache dumpavail` prints; the first of several versions of a package counts.
PackageTexts parse_packages(std::string_view dump);

// What `apt-cache dumpavail` prints; empty where there is no such program.
std::string dump_packages();

// Counts of words, words x texts. A word is three or more ASCII letters, in lower case. Left out are a dozen words such
// as "the", and words that stand in more than the share `common` of the texts: a stop list found in the texts.
template <class T>
Dataset<T> count_words(const std::vector<std::string>& texts, double common);

}  // namespace copse
