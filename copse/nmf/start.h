// Where the alternation begins.
#pragma once

#include "copse/matrix/data.h"
#include "copse/nmf/factors.h"
#include "copse/nmf/options.h"
#include "copse/nmf/singular.h"

namespace copse {

// With 2^E <= |X| < 2^(E + 1), the starts below are those of X / 2^E with 2^E in H alone: the scale of X matters for H
// only.

// Uniform entries, scaled so that |W H| = |X|. Every row has its own stream: threads do not matter.
template <class T>
Factors<T> random_start(const Data<T>& x, Index rank, std::uint64_t seed);

// NNDSVD (Boutsidis & Gallopoulos 2008): the positive or the negative parts of the leading singular vectors, whichever
// weigh more. `kind` says what becomes of the zeros: kept (nndsvd), the mean of X / 2^E (nndsvda), or random numbers up
// to a hundredth of it (nndsvdar).
template <class T>
Factors<T> singular_start(const Data<T>& x, Index rank, Start kind, std::uint64_t seed,
                          int power_iterations = enough_power_iterations);

// The seed of run 0, 1, ... of several. Runs of one seed must differ, and no two seeds should share a run.
inline std::uint64_t seed_of_run(std::uint64_t seed, int run) {
  return seed + static_cast<std::uint64_t>(run) * 0x9e3779b97f4a7c15;
}

// Whether the start is that of sample_start.h.
bool starts_from_sample(const NmfOptions& options);

// One of the above as options.start says (random if none of them), with a baseline if options.affine.
template <class T>
Factors<T> plain_start(const Data<T>& x, const NmfOptions& options, std::uint64_t seed);

// [W w0] and [H' 1] for affine NMF, with w0 = X 1 / (2 n): half of each feature's mean leaves the other half to W H.
template <class T>
void append_baseline(const Data<T>& x, Factors<T>& factors);

}  // namespace copse
