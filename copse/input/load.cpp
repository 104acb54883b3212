#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "copse/base/error.h"
#include "copse/base/stopwatch.h"
#include "copse/input/choices.h"
#include "copse/input/input.h"
#include "copse/input/input_parts.h"
#include "copse/io/ten_x_folder.h"
#include "copse/kernels/in_memory.h"
#include "copse/options/wording.h"

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
  if (job.gives == Gives::tree || job.clusters <= most) return;
  throw InputError(fmt::format("`clusters` {} is too large for {}, which has {} and {}: at most {} is possible.",
                               job.clusters, path, counted(summary.features, "feature"), counted(summary.items, "item"),
                               most));
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

template <class T>
ModelItems take_items(PreparedInput<T>& input) {
  ModelItems items;
  PrepareReport& preparation = input.preparation;
  items.feature_names = std::move(input.data.feature_names);
  items.item_names = std::move(input.all_item_names);
  items.classes = std::move(input.classes);
  if (preparation.kept_items.size() < items.item_names.size()) items.kept_items = std::move(preparation.kept_items);
  items.kept_features = std::move(preparation.kept_features);
  items.outside_items = std::move(input.outside_items);
  items.feature_factors = std::move(preparation.feature_factors);
  items.feature_totals = std::move(preparation.feature_totals);
  items.vocabulary = std::move(input.vocabulary);
  items.titles = std::move(input.titles);
  items.times = std::move(input.times);
  return items;
}

template ModelItems take_items(PreparedInput<float>&);
template ModelItems take_items(PreparedInput<double>&);

#define COPSE_INSTANTIATE(T)        \
  template struct PreparedInput<T>; \
  template PreparedInput<T> load(const InputOptions&, const MemoryJob&, const RunEvents&, Seconds&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
