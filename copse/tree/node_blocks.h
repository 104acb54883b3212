// What sparse and dense nodes share: a read in blocks of items, each with sums of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/base/team.h"
#include "copse/tree/node_data.h"
#include "copse/tree/pair_kernels.h"

namespace copse {

// As many blocks as pay for their own X H', which costs as much as reading a few entries per feature; two as soon as
// that is worth a second thread.
inline Index block_count(Index entries, Index terms) {
  const Index per_feature = entries / std::max<Index>(1, terms);
  const Index two = std::min<Index>(2, per_feature / entries_per_feature_of_two);
  const Index most = std::min(std::max(per_feature / entries_per_feature, two), entries / entries_per_block);
  return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(std::clamp<Index>(most, 1, max_blocks))));
}

// Runs read(begin, end, X H' of the block) for each block of items, which begin at `starts`, and adds up the parts in
// block order, and those of a team. The sums that it returns are h1 h1, h1 h2, h2 h2 and b'h with b = W'x. `items` is
// the number of rows of H', of which a member of a team fills its own.
template <class T, class Read>
void read_blocks(Index terms, Index items, std::span<const Index> starts, const Team* team, Sweep<T>& out,
                 const Read& read) {
  const Index blocks = static_cast<Index>(starts.size()) - 1;
  out.h.reshape(items, 2);
  out.xh.reshape(terms, 2);
  out.parts.resize(static_cast<std::size_t>(blocks - 1));
  std::vector<PairSums<4>> sums(static_cast<std::size_t>(blocks));
  parallel_for(blocks, [&](Index block) {
    T* xh = out.xh.data();
    if (block > 0) {
      out.parts[block - 1].resize(static_cast<std::size_t>(2 * terms));
      xh = out.parts[block - 1].data();
    }
    std::fill_n(xh, 2 * terms, T(0));
    sums[block] = read(starts[block], starts[block + 1], xh);
  });
  if (blocks > 1) {
    parallel_blocks(terms, pair_rows_per_block, [&](Index begin, Index end) {
      T* total = out.xh.data();
      for (const auto& part : out.parts) {
        for (Index e = 2 * begin; e < 2 * end; ++e) total[e] += part[e];
      }
    });
  }
  PairSums<4> total;
  for (const PairSums<4>& part : sums) total += part;
  if (team != nullptr) {
    team->sum(out.xh.values());
    team->sum(total.values);
  }
  out.hh = {total.values[0], total.values[1], total.values[2]};
  out.fitted = total.values[3];
}

}  // namespace copse
