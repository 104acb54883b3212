// From documents to counts of terms: one pass over the text, which is then held as about two bytes per word.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "copse/matrix/sparse.h"
#include "copse/text/documents.h"
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

// Counts the terms that the options choose. Throws InputError if there is no document, or if no term is left.
template <class T>
Corpus<T> read_corpus(DocumentReader& reader, const TextOptions& options, const NeedMemory& need = {});

// Counts the terms of a vocabulary exactly as they were counted when it was made.
template <class T>
Corpus<T> read_corpus(DocumentReader& reader, const Vocabulary& vocabulary, const NeedMemory& need = {});

}  // namespace copse
