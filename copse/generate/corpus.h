// Term-document matrices with planted topics and Zipf's law of word frequencies, at any size.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "copse/generate/planted.h"

namespace copse {

struct CorpusOptions {
  Index documents = 10000;
  Index terms = 12000;
  Index k = 20;                    // topics
  Index branch = 1;                // topics below one parent, which has words of its own; 1: no hierarchy
  double terms_per_document = 70;  // mean number of distinct terms
  double zipf = 1.02;              // word r = 0, 1, ... has background frequency ~ (r + 2.7)^(-zipf)
  double strength = 1;             // scales a document's share of words from its own topic
  bool counts = false;             // raw counts instead of tf-idf with unit columns
  std::uint64_t seed = 0;
};

// Documents draw words from a background law, their topic, its parent, and one distracting topic; lengths are
// log-normal, topic sizes Dirichlet(5). Of 1.3 x terms words the `terms` found in most documents are kept, the most
// common background word first. Weights are those of Weighting::tf_idf, then unit columns. A document without any of
// those words is a column of zeros. Throws InvalidArgument for an option out of range.
template <class T>
Planted<T> generate_corpus(const CorpusOptions& options);

// The same, so many documents at a time, in order, each with its topic: no more of them are in memory, and all are
// drawn twice.
template <class T>
void generate_corpus(const CorpusOptions& options, Index at_once,
                     const std::function<void(SparseMatrix<T> documents, std::span<const Index> labels)>& take);

}  // namespace copse
