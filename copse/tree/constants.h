// The numbers of copse/tree that were tuned and not derived. They change how fast a tree is found and which bits it
// has, but not what is looked for: a number that does is a field of TreeOptions.
#pragma once

#include <cstdint>

#include "copse/base/index.h"

namespace copse {

// rank2_nmf: the start on samples. Measured on planted corpora of 10,000 to 765,000 documents.
inline constexpr Index items_in_sample = 500;          // at least
inline constexpr Index max_stride = 32;                // a sample has at least one item in so many,
inline constexpr Index items_of_large_sample = 25000;  // or so many: of a very large node it should fit into memory
inline constexpr Index large_node = 8000;              // from here on two starts are compared,
inline constexpr Index items_to_compare = 2000;        // on at least so many items
inline constexpr Index coarse_stride = 16;             // from here on a second, finer sample follows
inline constexpr Index refinement = 4;                 // with so many times the items
inline constexpr double coarse_tolerance = 5e-2;       // of the alternation on the first sample
inline constexpr double fine_tolerance = 1e-2;         // and on the second
inline constexpr double least_row = 1e-3;  // start of a feature without a sampled item, of the root mean square

// rank2_nmf: extrapolation. More iterates or longer ways did not save reads on the same corpora.
inline constexpr int extrapolated_iterates = 3;
inline constexpr int momentum = 2;  // ways more to go from a saddle point

// singular_rays. With 5 % of the items outside, most nodes converge in 5 to 8 reads.
inline constexpr int singular_rays_reads = 4;
inline constexpr double beyond_rays = 0.05;  // share of the items outside the rays, on either side
inline constexpr double least_ray = 1e-3;    // of the sum of items that the rays have at least
inline constexpr double lost_vector = 1e-4;  // what is left of a vector after projection is zero below this share

// supported_start.
inline constexpr int max_restarts = 4;
inline constexpr int power_steps = 8;       // enough to tell a topic that was left out from scattered items
inline constexpr double worthwhile = 1e-3;  // of |W H|^2: a restart must promise so much more
// An item of which W h has no more than this share of the squared norm is explained by neither topic: what is left of
// its coefficients is where the iteration was stopped, and tells nothing.
inline constexpr double unexplained = 1e-6;

// The rank-1 scores: power iteration.
inline constexpr int leading_iterations = 100;
inline constexpr double leading_tolerance = 1e-6;  // relative change of both values

// flatten: items are fitted in blocks of so many coefficients, 16 MB of floats.
inline constexpr Index coefficients_at_once = 1 << 22;
inline constexpr Index entries_at_once = 1 << 22;  // of items that are fetched from a file for it

// Scorer: how far it works ahead. With two threads, more leaves at once cost more than they save.
inline constexpr std::size_t leaves_at_once = 4;
inline constexpr Index sure_to_split =
    6;  // a node with so many times the items of an average leaf is split for certain

// Reads in blocks: a block pays for its own X H', which costs as much as reading a few entries per feature.
inline constexpr Index max_blocks = 16;
inline constexpr Index entries_per_block = 16384;       // at least
inline constexpr Index entries_per_feature = 12;        // of a block, at least
inline constexpr Index entries_per_feature_of_two = 4;  // enough for two blocks, so that a second thread has work
inline constexpr Index piece_entries = 32768;           // of items that are at hand at once
inline constexpr std::uint64_t items_of_stretch = 256;  // neighbours that are drawn evenly for samples
inline constexpr Index items_to_draw = 16384;           // of which one thread takes the random numbers at a time
inline constexpr Index pair_rows_per_block = 16384;     // rows of W that one thread takes at a time

}  // namespace copse
