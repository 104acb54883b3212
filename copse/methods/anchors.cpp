// Topics from anchor words [Arora et al. 2013]. Extras: anchors, mixtures, topic_shares.
#include "copse/cluster/anchor_words.h"
#include "copse/cluster/sparse_items.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/registration.h"
#include "copse/methods/runs.h"
#include "copse/nmf/assign.h"

namespace copse {
namespace {

OptionRows rows_of_anchors() {
  RowsOf<AnchorOptions> rows;
  rows.row("min_documents", &AnchorOptions::min_documents,
           "An anchor occurs in at least so many; 0: the square root of the number of documents")
      .at_least(0)
      .newer();
  return rows.done();
}

// The objective is the relative distance of the words' co-occurrences from those of the anchors' mixtures.
template <class T>
MethodResult<T> fit(const MethodData<T>& data, const MethodOptions& options, const AnchorOptions& own) {
  const SparseItems<T> items(*data.items);
  MethodResult<T> result;
  AnchorOptions anchor_options = own;
  anchor_options.topics = options.k;
  anchor_options.time_limit = options.time_limit;
  anchor_options.progress = reporting<AnchorIteration>(
      options, result.history, [](const AnchorIteration& iteration) { return iteration.distance; });
  AnchorResult<T> found = anchor_topics(items.view(), anchor_options);
  if (options.places_items) take_weights(assign_items_by_divergence(*in_memory(*data.items), found.words), result);
  result.k = found.words.cols();
  result.w = std::move(found.words);
  result.objective = found.residual;
  result.stop_reason = found.stop_reason;
  result.extras = {{"anchors", std::move(found.anchors)},
                   {"mixtures", std::move(found.mixtures)},
                   {"topic_shares", std::move(found.topic_shares)}};
  return result;
}

}  // namespace

const Method& registered::anchors() {
  static const Method method = with_fit(
      {.name = "anchors",
       .meaning = "topics of counts of words, each from a word that only it has",
       .traits = {.reads = Reads::counts, .random = false, .soft = true, .place = PlaceBy::divergence},
       .cost =
           [](const Workload& work, const MethodOptions& options) {
             return Cost{2 * described_bytes(work, options) + 2 * work.entries * (work.width + sizeof(RowIndex)),
                         2 * work.entries * static_cast<double>(options.k)};
           }},
      AnchorOptions{}, rows_of_anchors(),
      []<class T>(const MethodData<T>& data, const MethodOptions& options, const AnchorOptions& own) {
        return fit(data, options, own);
      });
  return method;
}

}  // namespace copse
