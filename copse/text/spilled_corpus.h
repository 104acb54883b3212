// Counts of terms that do not fit into memory: the texts, as numbers of words, and the counts go to scratch files.
#pragma once

#include <functional>
#include <limits>
#include <memory>

#include "copse/io/copse_file.h"
#include "copse/text/counted.h"

namespace copse {

struct TextSpill {
  double token_bytes = std::numeric_limits<double>::infinity();  // texts that take more than this
  // Asked when the size of the counts is known, and the bytes that the texts take then, which are free afterwards: true
  // writes the counts to a file. Empty: they stay in memory.
  std::function<bool(Index terms, Index documents, Index entries, double texts)> counts = {};
};

template <class T>
struct SpilledCorpus {
  Corpus<T> corpus;                            // without entries, if they are in the file
  std::shared_ptr<const CopseFile> file = {};  // null: they are in memory. It has no name any more.
};

// As read_corpus().
template <class T>
SpilledCorpus<T> read_large_corpus(DocumentReader& reader, const TextOptions& options, const NeedMemory& need,
                                   const TextSpill& spill);
template <class T>
SpilledCorpus<T> read_large_corpus(DocumentReader& reader, const Vocabulary& vocabulary, const NeedMemory& need,
                                   const TextSpill& spill);

}  // namespace copse
