#include "copse/input/shared_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>

#include "copse/base/error.h"
#include "copse/kernels/in_memory.h"
#include "copse/matrix/item_range.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

// How many of the team are on this machine, as far as the launcher says.
double members_here(const Team& team) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"}) {
    if (const char* count = std::getenv(name)) return std::max(1, std::atoi(count));
  }
  return team.size();
}

template <class T>
struct OwnItemsInFile {
  std::unique_ptr<BlockedItems<T>> items;
};
// Data in blocks that keeps them. They stand first: the data that reads them is made after them.
template <class T>
class OwnStreamedData : OwnItemsInFile<T>, public StreamedData<T> {
 public:
  explicit OwnStreamedData(std::unique_ptr<BlockedItems<T>> items)
      : OwnItemsInFile<T>{std::move(items)}, StreamedData<T>(*OwnItemsInFile<T>::items) {}
};

}  // namespace

double bytes_of_share(Index entries, Index clusters, Precision precision, int processes) {
  return with_precision(precision, [&]<class T> {
    return static_cast<double>(entries) / processes *
           (sizeof(T) + sizeof(RowIndex) + copied_bytes_per_entry<T>(clusters));
  });
}

template <class T>
SharedInput<T> load_shared(const InputOptions& options, MemoryJob job, int runs, const Team& team,
                           const RunEvents& events, Seconds& seconds) {
  const bool wants_memory = job.engine == Engine::memory, wants_disk = job.engine == Engine::disk;
  if (job.memory_limit == 0) job.memory_limit = available_memory() / members_here(team);
  // All look at the file alike; only what a member holds of it differs.
  MemoryJob reading = job;
  reading.engine = Engine::disk;
  SharedInput<T> shared;
  reading.asked_by = "several processes are";
  shared.input = load<T>(options, reading, {.say = {}, .status = events.status}, seconds);
  const PreparedBlocks<T>& items = *shared.input.streamed->items;
  shared.starts = team.starts_of(items.cols(), rows_in_step);
  const auto bytes_for = [&](int processes) {
    return bytes_of_share(items.nonzeros(), job.clusters, precision_of<T>, processes);
  };
  double& left = shared.input.streamed->node_memory;
  shared.by_runs = runs > 1 && job.gives == Gives::flat && !team.any(wants_disk || bytes_for(1) > left);
  if (shared.by_runs) {
    for (std::size_t r = 0; r < shared.starts.size(); ++r) shared.starts[r] = r == 0 ? 0 : items.cols();
  }
  const Index begin = shared.by_runs ? 0 : shared.starts[team.rank()];
  const Index end = shared.by_runs ? items.cols() : shared.starts[team.rank() + 1];
  auto range = std::make_unique<ItemRange<T>>(items, begin, end);
  const double bytes = bytes_for(shared.by_runs ? 1 : team.size());
  const bool in_file = team.any(wants_disk || (!wants_memory && bytes > left));
  if (in_file && wants_memory)
    throw InputError(fmt::format("`engine` memory needs about {} more for each of {} processes.",
                                 in_bytes(bytes - left), team.size()));
  shared.input.estimated_memory += in_file || job.gives == Gives::tree ? 0 : bytes;
  if (!in_file && job.gives == Gives::flat) left -= bytes;
  events.tell(fmt::format("{}: {} x {}, {} entries; {} processes, about {} of memory each, the entries {}",
                          options.path, counted(items.rows(), "feature"), counted(items.cols(), "item"),
                          counted(items.nonzeros()), team.size(), in_bytes(shared.input.estimated_memory),
                          in_file          ? "in their file"
                          : shared.by_runs ? fmt::format("in memory of everyone, who makes some of {} runs", runs)
                                           : "in memory"));
  if (in_file || job.gives == Gives::tree) {
    if (in_file && job.gives == Gives::tree && wants_disk) left = 0;
    shared.own = std::make_unique<OwnStreamedData<T>>(std::move(range));
  } else {
    std::vector<Index> own(static_cast<std::size_t>(end - begin));
    std::iota(own.begin(), own.end(), begin);
    shared.own = in_memory(select_items<T>(items, own));
  }
  if (team.rank() > 0) {
    shared.input.all_item_names = {};
    shared.input.data.item_names = {};
    shared.input.classes = {};
  }
  return shared;
}

template SharedInput<float> load_shared(const InputOptions&, MemoryJob, int, const Team&, const RunEvents&, Seconds&);
template SharedInput<double> load_shared(const InputOptions&, MemoryJob, int, const Team&, const RunEvents&, Seconds&);

}  // namespace copse
