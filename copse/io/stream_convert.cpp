#include "copse/io/stream_convert.h"

#include <algorithm>

#include "copse/io/compression.h"
#include "copse/io/copse_file.h"
#include "copse/io/external_columns.h"
#include "copse/io/matrix_market.h"
#include "copse/io/open_blocks.h"

namespace copse {

template <class T>
std::optional<StreamedMatrix> stream_to_copse(const std::filesystem::path& from, const std::filesystem::path& to,
                                              const ReadOptions& options) {
  std::error_code ignored;
  if (from == "-" || !std::filesystem::is_regular_file(from, ignored)) return {};
  if (const auto blocks = open_blocks(from, options)) {
    write_copse<T>(to, *blocks);
    return StreamedMatrix{blocks->features(), blocks->items(), CopseFile(to).entries()};
  }
  const Input input = Input::open(from);
  const Buffer<char> start = beginning(input, 2);
  if (std::string_view(start.data(), start.size()) != "%%" || !options.layer.empty() || !options.label.empty())
    return {};
  ReadOptions reading = options;
  reading.items = (options.items == Items::rows) != options.transposed ? Items::rows : Items::columns;
  const double memory = options.memory_limit == 0 ? 2e9 : static_cast<double>(options.memory_limit);
  const auto most = static_cast<Index>(memory / 4 / (sizeof(T) + 2 * sizeof(RowIndex)));
  std::optional<ExternalColumns<T>> columns;
  StreamedMatrix result;
  const bool sparse = for_each_entry<T>(input, reading, [&](Index features, Index items, Triplets<T>& entries) {
    if (!columns) columns.emplace(to, features, items, most);
    result.features = features;
    result.items = items;
    columns->add(entries);
  });
  if (!sparse || !columns) return {};
  columns->commit(input.name());
  result.entries = columns->entries();
  if (const Index duplicates = columns->duplicates(); duplicates > 0)
    result.notes.push_back(input.name() + ": " + std::to_string(duplicates) + " duplicate " +
                           (duplicates == 1 ? "entry was" : "entries were") + " added up.");
  return result;
}

template std::optional<StreamedMatrix> stream_to_copse<float>(const std::filesystem::path&,
                                                              const std::filesystem::path&, const ReadOptions&);
template std::optional<StreamedMatrix> stream_to_copse<double>(const std::filesystem::path&,
                                                               const std::filesystem::path&, const ReadOptions&);

}  // namespace copse
