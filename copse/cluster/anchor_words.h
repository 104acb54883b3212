// Topics from anchor words (AnchorRecovery, [Arora et al. 2013]): which words occur together, words that belong to one
// topic only, and every other word as a mixture of those.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"
#include "copse/nmf/nmf.h"

namespace copse {

struct AnchorIteration {
  int number = 0;       // anchors found
  double distance = 0;  // of the latest from the span of those before
  double seconds = 0;
};

struct AnchorOptions {
  Index topics = 0;         // required: at least 1
  Index min_documents = 0;  // an anchor occurs in at least so many; 0: the square root of the number of documents
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  std::function<bool(const AnchorIteration&)> progress = {};    // once per anchor; false asks to stop
};

template <class T>
struct AnchorResult {
  std::vector<Index> anchors;        // terms, in the order of choice; fewer than asked for where fewer span all
  Matrix<T> words;                   // terms x k: p(word | topic), columns add up to 1
  Matrix<T> mixtures;                // terms x k: p(topic | word), rows add up to 1; zero for a word that never occurs
  std::vector<double> topic_shares;  // p(topic), k
  double residual = 0;               // |Qbar - C Qbar_A| / |Qbar| over all words
  std::vector<AnchorIteration> history;
  StopReason stop_reason = StopReason::converged;
};

// counts: terms x documents. With n_d words in document d, Q = sum of (h_d h_d' - diag(h_d)) / (n_d (n_d - 1)) over the
// documents of two words or more, an estimate of co-occurrence without bias, and Qbar its rows divided by their sums. Q
// is never formed: its rows come from two products with the counts. The anchors are rows of Qbar, the farthest from
// the span of those before (Gram-Schmidt, made orthogonal twice), then each once more given the others (algorithm 4).
// A word is the mixture of anchors with the least squared distance to its row (RecoverL2). No random projection.
//
// Throws InvalidArgument for an entry that is negative or no count, for no document of two words, and where too few
// words occur in min_documents; Cancelled if stopped before the topics are recovered.
template <class T>
AnchorResult<T> anchor_topics(SparseView<T> counts, const AnchorOptions& options);

}  // namespace copse
