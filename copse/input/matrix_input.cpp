#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "copse/base/error.h"
#include "copse/input/input_parts.h"
#include "copse/input/options.h"
#include "copse/io/names.h"
#include "copse/io/open_blocks.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

void check_count(const std::string& file, std::size_t found, Index expected, const char* what) {
  if (static_cast<Index>(found) == expected) return;
  throw InputError(fmt::format("{} has {}, but the matrix has {}.", file, counted(static_cast<Index>(found), "line"),
                               counted(expected, what)));
}

// What the names in files beside the matrix will take.
double name_bytes(const InputOptions& options, const MatrixSummary& summary) {
  const auto bytes_of = [](const std::string& path, Index count) {
    std::error_code unknown;
    const auto size = path.empty() ? 0 : std::filesystem::file_size(path, unknown);
    if (path.empty() || unknown || count == 0) return 0.0;
    return static_cast<double>(count) * bytes_of_name(size / static_cast<std::uintmax_t>(count));
  };
  return bytes_of(options.feature_names, summary.features) + bytes_of(options.item_names, summary.items) +
         bytes_of(options.truth, summary.items);
}

// Why the items cannot stay in their file; empty if they can.
std::string reason_against_streaming(const InputOptions& options, const MemoryJob& job, const ItemBlocks* blocks) {
  if (!job.needs_all.empty()) return job.needs_all;
  if (const std::string reason = reason_against(options.prepare, "engine=disk"); !reason.empty()) return reason;
  if (blocks == nullptr)
    return options.path + " cannot be read in blocks of items; `copse convert " + options.path +
           " items.copse` makes a file that can";
  return "";
}

template <class T>
void read_or_refuse(const InputOptions& options, const MemoryJob& job, const RunEvents& events,
                    PreparedInput<T>& input) {
  ReadOptions reading = options.reading;
  reading.memory_limit = static_cast<std::size_t>(limit_of(job));
  const std::string& path = options.path == "-" ? "standard input" : options.path;
  const MatrixFile file(options.path, reading);
  MatrixSummary summary = file.summary();
  summary.name_bytes += name_bytes(options, summary);
  check_rank(summary, job, path);
  const double estimate = estimate_memory(summary, job, precision_of<T>).total();
  const bool fits = estimate <= limit_of(job);
  if (job.engine == Engine::disk || (job.engine == Engine::automatic && !fits)) {
    std::shared_ptr<const ItemBlocks> blocks = open_blocks(options.path, reading);
    const std::string against = reason_against_streaming(options, job, blocks.get());
    if (against.empty()) {
      const std::string why =
          fits ? ""
               : fmt::format("in memory it needs about {}, more than the {} that {}:", in_bytes(estimate),
                             in_bytes(limit_of(job)),
                             job.memory_limit > 0 ? "`memory_limit` allows" : "the machine can spare");
      return open_streamed(summary, std::move(blocks), job, options.path, why, events, input);
    }
    if (job.engine == Engine::disk) throw InputError(fmt::format("{} not possible: {}.", job.asked_by, against));
    try {
      check_fits(summary, job, precision_of<T>);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{} It cannot be left in its file: {}.", error.what(), against));
    }
  }
  input.estimated_memory = estimate;
  events.tell(fmt::format("{}: {}; about {} of memory will do", path, sizes(summary), in_bytes(estimate)));
  check_fits(summary, job, precision_of<T>);
  events.show("reading " + path + " ...");
  ReadResult<T> result = file.read<T>();
  input.data = std::move(result.dataset);
  input.notes = std::move(result.notes);
  input.classes = std::move(result.labels);
}

}  // namespace

template <class T>
void read_entries(const InputOptions& options, const MemoryJob& job, const RunEvents& events, PreparedInput<T>& input) {
  try {
    read_or_refuse<T>(options, job, events, input);
    give_back_memory();
  } catch (const InputError& error) {
    if (options.hint.empty()) throw;
    throw InputError(error.what() + (" " + options.hint));
  }
  if (!options.truth.empty()) input.classes.clear();
  const Index features = input.streamed ? input.streamed->file.rows() : input.data.features();
  const Index items = input.streamed ? input.streamed->file.cols() : input.data.items();
  const auto read_column = [&](const std::string& file, std::vector<std::string>& target, Index count,
                               const char* what) {
    if (file.empty()) return;
    target = read_names(file, &input.notes);
    check_count(file, target.size(), count, what);
  };
  read_column(options.feature_names, input.data.feature_names, features, "feature");
  read_column(options.item_names, input.data.item_names, items, "item");
  read_column(options.truth, input.classes, items, "item");
}

#define COPSE_INSTANTIATE(T) \
  template void read_entries(const InputOptions&, const MemoryJob&, const RunEvents&, PreparedInput<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
