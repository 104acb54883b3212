#include "copse/input/input_report.h"

#include <fmt/format.h>

#include "copse/engines/disk/counted_blocks.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

template <class T>
const CountedBlocks* counted_file(const PreparedInput<T>& input) {
  return input.streamed ? dynamic_cast<const CountedBlocks*>(&input.streamed->file.file()) : nullptr;
}

}  // namespace

template <class T>
void add_input(const PreparedInput<T>& input, const Seconds& seconds, RunReport& report) {
  report.engine = input.engine();
  report.seconds.read = seconds.read;
  report.seconds.prepare = seconds.prepare;
  report.estimated_memory_bytes = static_cast<Index>(input.estimated_memory);
  report.notes.insert(report.notes.begin(), input.notes.begin(), input.notes.end());
  if (const CountedBlocks* file = counted_file(input))
    report.notes.push_back(fmt::format("the file was read {:.1f} times, {} in all.", file->times_read(),
                                       in_bytes(file->times_read() * file->bytes_read())));
}

template <class T>
std::optional<double> bytes_read_of(const PreparedInput<T>& input) {
  const CountedBlocks* file = counted_file(input);
  return file != nullptr ? std::optional(file->times_read() * file->bytes_read()) : std::nullopt;
}

#define COPSE_INSTANTIATE(T)                                                    \
  template void add_input(const PreparedInput<T>&, const Seconds&, RunReport&); \
  template std::optional<double> bytes_read_of(const PreparedInput<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
