// From documents to counts of terms: one pass over the text, which is then held as about two bytes per word.
#pragma once

#include "copse/text/counted.h"
#include "copse/text/documents.h"
#include "copse/text/vocabulary.h"

namespace copse {

// Counts the terms that the options choose. Throws InputError if there is no document, or if no term is left.
template <class T>
Corpus<T> read_corpus(DocumentReader& reader, const TextOptions& options, const NeedMemory& need = {});

// Counts the terms of a vocabulary exactly as they were counted when it was made.
template <class T>
Corpus<T> read_corpus(DocumentReader& reader, const Vocabulary& vocabulary, const NeedMemory& need = {});

}  // namespace copse
