#include "copse/result/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "copse/base/error.h"
#include "copse/base/stopwatch.h"
#include "copse/io/ten_x_folder.h"
#include "copse/kernels/in_memory.h"
#include "copse/result/choices.h"
#include "copse/result/input_parts.h"
#include "copse/result/wording.h"

namespace copse {

InputOptions documents_at(const std::string& path) {
  InputOptions options;
  options.path = path;
  options.documents.emplace();
  options.prepare = text_preparation();
  return options;
}

InputOptions matrix_at(const std::string& path) {
  InputOptions options;
  options.path = path;
  return options;
}

bool names_documents(const std::string& path, const DocumentOptions& options, bool column_named) {
  if (options.format != DocumentFormat::automatic || path == "-") return true;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return !is_ten_x_folder(path);
  std::string name = path;
  for (const char* packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - std::string_view(packed).size());
  }
  const auto ends_in = [&](std::initializer_list<const char*> endings) {
    return std::ranges::any_of(endings, [&](const char* ending) { return name.ends_with(ending); });
  };
  return ends_in({".jsonl", ".ndjson", ".json", ".txt"}) || (column_named && ends_in({".csv", ".tsv"}));
}

void check_rank(const MatrixSummary& summary, const MemoryJob& job, const std::string& path) {
  const Index most = std::min(summary.features, summary.items);
  if (job.method == Method::tree || job.clusters <= most) return;
  throw InputError(fmt::format("-k {} is too large for {}, which has {} and {}: at most {} is possible.", job.clusters,
                               path, counted(summary.features, "feature"), counted(summary.items, "item"), most));
}

template <class T>
std::unique_ptr<Data<T>> PreparedInput<T>::solver_data() const {
  if (streamed) return std::make_unique<StreamedData<T>>(*streamed->items);
  return in_memory(data);
}

template <class T>
PreparedInput<T> load(const InputOptions& options, const MemoryJob& job, const RunEvents& events, Seconds& seconds) {
  PreparedInput<T> input;
  const Stopwatch reading;
  if (options.documents) {
    read_counts(options, job, events, input);
  } else {
    read_entries(options, job, events, input);
  }
  seconds.read += reading.seconds();
  const Stopwatch preparing;
  if (input.streamed) {
    prepare_streamed(options, job, events, input);
  } else {
    prepare_input(options, events, input);
  }
  seconds.prepare += preparing.seconds();
  check_rank({.features = input.features(), .items = input.items()}, job, options.called());
  return input;
}

#define COPSE_INSTANTIATE(T)        \
  template struct PreparedInput<T>; \
  template PreparedInput<T> load(const InputOptions&, const MemoryJob&, const RunEvents&, Seconds&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
