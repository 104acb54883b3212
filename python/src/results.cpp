#include "python/src/results.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "copse/base/error.h"
#include "copse/describe/periods.h"

namespace copse::python {

namespace fs = std::filesystem;

std::vector<Index> of_all(const ModelItems& items, const std::vector<Index>& values) {
  std::vector<Index> all;
  for (const Index kept : items.kept_numbers()) all.push_back(kept < 0 ? -1 : values[kept]);
  return all;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "copse-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw OutputError("There is no room for temporary files: " + name + ".");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void TemporaryFolder::write(const char* name, std::string_view bytes) const {
  std::ofstream file(path_ / name, std::ios::binary);
  if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
    throw OutputError("There is no room for temporary files: " + path_.string() + ".");
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

nb::list words_of(const Topic& topic, std::size_t most) {
  nb::list words;
  for (std::size_t r = 0; r < std::min(most, topic.words.size()); ++r)
    words.append(nb::make_tuple(topic.words[r].name, topic.words[r].weight, topic.words[r].number));
  return words;
}

nb::list pairs_of(const std::vector<Ranked>& ranked) {
  nb::list pairs;
  for (const Ranked& best : ranked) pairs.append(nb::make_tuple(best.number, best.weight));
  return pairs;
}

nb::tuple to_tuple(const std::vector<PlacedItem>& placed) {
  std::vector<std::string> clusters, leaves;
  std::vector<double> weights;
  for (const PlacedItem& item : placed) {
    clusters.push_back(item.cluster);
    weights.push_back(item.weight);
    leaves.push_back(item.leaf);
  }
  return nb::make_tuple(std::move(clusters), to_numpy(std::move(weights)), std::move(leaves));
}

void bind_results(nb::module_& module) {
  module.def(
      "open_result",
      [](const fs::path& folder) {
        const StoredResult stored(folder.string());
        if (stored.is_graph()) return nb::cast(read_graph_result(stored));
        return stored.is_tree() ? nb::cast(read_tree_result(stored)) : nb::cast(read_flat_result(stored));
      },
      nb::arg("folder"));
  module.def("page_is_built", &page_is_built);
  // The names of the periods, and for every time its period or -1.
  module.def(
      "periods_of",
      [](const std::vector<std::string>& times) {
        Periods periods = periods_of(times);
        return nb::make_tuple(std::move(periods.names), to_numpy(std::move(periods.places)));
      },
      nb::arg("times"));
}

}  // namespace copse::python
