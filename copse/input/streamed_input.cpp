#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "copse/base/error.h"
#include "copse/engines/disk/counted_blocks.h"
#include "copse/input/input_parts.h"
#include "copse/io/scratch_file.h"
#include "copse/options/wording.h"

namespace copse {

std::string sizes(const MatrixSummary& summary) {
  const std::string shape =
      fmt::format("{} x {}", counted(summary.features, "feature"), counted(summary.items, "item"));
  return summary.nonzeros < 0 ? shape : fmt::format("{}, {} entries", shape, counted(summary.nonzeros));
}

template <class T>
void open_streamed(const MatrixSummary& summary, std::shared_ptr<const ItemBlocks> blocks, const MemoryJob& job,
                   const std::string& called, const std::string& why, const RunEvents& events,
                   PreparedInput<T>& input) {
  blocks = std::make_shared<const CountedBlocks>(std::move(blocks));
  FileItems<T> file(blocks);
  const StreamedEstimate estimate =
      estimate_streamed(summary, {file.block_bytes(), static_cast<double>(blocks->most_items())}, job, precision_of<T>);
  const MemoryEstimate& needed = estimate.memory;
  const double limit = limit_of(job);
  const bool spills = estimate.spilled_from > 0;
  const std::string coefficients = spills ? fmt::format(" and their coefficients are in scratch files in {}, of {}",
                                                        scratch_folder().string(), in_bytes(estimate.spilled))
                                          : "";
  input.estimated_memory = needed.total();
  events.tell(
      fmt::format("{}: {}; {} the items are read from the file again and again{}, which takes about {} of memory",
                  called, sizes(summary), why, coefficients, in_bytes(needed.total())));
  if (needed.total() > limit) {
    throw InputError(
        fmt::format("even with the items left in their file{} this run needs about {} of memory ({} for {} items, {} "
                    "for {} {}), and "
                    "{} {}.",
                    spills ? " and their coefficients in scratch files" : "", in_bytes(needed.total()),
                    in_bytes(needed.matrix), counted(summary.items), in_bytes(needed.factors), job.option, job.clusters,
                    job.memory_limit > 0 ? "`memory_limit` allows" : "the machine can spare", in_bytes(limit)));
  }
  input.streamed = std::make_shared<StreamedInput<T>>(StreamedInput<T>{std::move(file)});
  if (spills) {
    input.streamed->spilled =
        std::make_unique<ScratchBuffers>(scratch_folder(), estimate.spilled_from, StreamedEstimate::resident_bytes);
  }
  input.streamed->node_memory = limit - needed.total();
  if (job.gives == Gives::tree) {
    // What nodes take is part of what is announced: up to the limit, but no more than all of them in memory.
    const double most = 2.0 * static_cast<double>(summary.nonzeros) * (sizeof(T) + sizeof(RowIndex));
    input.estimated_memory += std::min(input.streamed->node_memory, most);
  }
  input.data.feature_names = blocks->feature_names();
  for (Index b = 0; b < blocks->blocks(); ++b) {
    std::ranges::move(blocks->item_names(b), std::back_inserter(input.data.item_names));
    std::ranges::move(blocks->labels(b), std::back_inserter(input.classes));
  }
}

#define COPSE_INSTANTIATE(T)                                                                             \
  template void open_streamed(const MatrixSummary&, std::shared_ptr<const ItemBlocks>, const MemoryJob&, \
                              const std::string&, const std::string&, const RunEvents&, PreparedInput<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
