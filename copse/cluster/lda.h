// Latent Dirichlet allocation by collapsed Gibbs sampling [Griffiths & Steyvers 2004] with a sparse sampler.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"
#include "copse/nmf/nmf.h"

namespace copse {

// One sweep over all words, as the history and the progress callback see it.
struct LdaIteration {
  int number = 0;             // 1, 2, ...
  double log_likelihood = 0;  // log p(words, topics | alpha, beta) per word, as of the latest sweep that measured it
  double seconds = 0;         // since the run began
};

struct LdaOptions {
  Index topics = 0;            // required: 1 ... 65535
  double alpha = 0;            // prior of each topic in a document; 0: 5 / topics
  double beta = 0.01;          // prior of each word in a topic
  bool optimize_alpha = true;  // a prior of its own for each topic, by Minka's fixed point
  bool optimize_beta = true;   // one for all words, the same way
  int sweeps = 500;            // over all words of all documents
  int burn_in = 50;            // sweeps before the priors move for the first time
  int interval = 10;           // sweeps from one move of the priors, and one measurement, to the next
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  std::uint64_t seed = 0;                                       // same seed, same bits, any number of threads
  std::function<bool(const LdaIteration&)> progress = {};       // once per sweep; false asks to stop
};

template <class T>
struct LdaResult {
  Matrix<T> words;            // terms x k: p(word | topic), columns add up to 1
  Matrix<T> documents;        // documents x k: p(topic | document), rows add up to 1; zero for an empty document
  std::vector<double> alpha;  // k
  double beta = 0;
  std::vector<Index> tokens;  // words drawn from each topic in the last sweep, k
  std::vector<LdaIteration> history;
  double log_likelihood = 0;  // of the last state, per word
  StopReason stop_reason = StopReason::max_iterations;
};

// counts: terms x documents. A sweep goes through batches of documents, at most 32. The documents of a batch are
// sampled side by side: each against p(word | topic) as it was when the batch began, with its own changes of that word
// and without the one that is drawn, and against its own topics as they are. Counts of words are whole numbers, whose
// sums do not depend on the order; a document draws from a stream of its own. So the number of threads changes nothing.
//
// Throws InvalidArgument for an entry that is no count, for counts without any word, and for options out of range;
// Cancelled if stopped from outside before the first sweep is complete. After that the last state comes back.
template <class T>
LdaResult<T> lda(SparseView<T> counts, const LdaOptions& options);

// p(topic | document) of new documents (documents x k) in a finished model: the fixed point of expected counts, each
// word without its own share (CVB0 [Asuncion et al. 2009]). A document without a word of the model has a row of zeros.
template <class T>
Matrix<T> place_documents(SparseView<T> counts, const Matrix<T>& words, std::span<const double> alpha);

// exp(-log p(words) / words) of documents whose topics were found from other words of theirs.
template <class T>
double perplexity(SparseView<T> counts, const Matrix<T>& words, const Matrix<T>& documents);

}  // namespace copse
