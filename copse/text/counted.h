// Documents as counts of terms.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "copse/matrix/sparse.h"
#include "copse/text/document.h"
#include "copse/text/vocabulary.h"

namespace copse {

template <class T>
struct Corpus {
  SparseMatrix<T> counts = {};  // term i of the vocabulary in document j
  Vocabulary vocabulary = {};
  std::vector<std::string> ids = {};     // one per document
  std::vector<std::string> labels = {};  // one per document, or none if no document has one; the same for those below
  std::vector<std::string> times = {};
  std::vector<std::string> titles = {};
  Index words = 0;  // of all documents, counted or not
  Index distinct_words = 0;
  Index text_bytes = 0;
  ReadReport report = {};
};

// Called with the bytes that will be needed beside those in use; it may throw.
using NeedMemory = std::function<void(double bytes)>;

}  // namespace copse
