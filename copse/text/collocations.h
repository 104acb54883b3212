// Pairs of words that stand side by side more often than by chance.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/text/term_map.h"
#include "copse/text/vocabulary.h"

namespace copse {

// How often two words occur, together and each, among `total` words.
struct PairCounts {
  double both = 0;
  double first = 0;
  double second = 0;
  double total = 0;
};

// The log-likelihood ratio G^2 against the hypothesis that the second word follows the first by chance [Dunning 1993].
double log_likelihood_ratio(const PairCounts& counts);
// Normalized pointwise mutual information [Bouma 2009], in [-1, 1]: log(p12 / (p1 p2)) / -log(p12).
double normalized_information(const PairCounts& counts);

// The pairs of adjacent keys, as first << 32 | second, ascending, that occur at least options.bigram_count times, with
// G^2 > 10.83 (a chance of 1 in 1000) and normalized information of at least options.bigram_strength.
std::vector<std::uint64_t> find_collocations(const TokenStore& store, const TermMap& map, const TextOptions& options);

}  // namespace copse
