#include "apps/copse/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "copse/base/error.h"
#include "copse/io/safetensors.h"

namespace copse {
namespace {

// Settings that name files, or that may differ between two runs with the same outcome.
bool is_about_this_run(const std::string& name) {
  static const std::vector<std::string> names = {"matrix", "features", "item_names", "truth", "start", "time_limit"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::map<std::string, std::string> metadata_of(const Settings& settings) {
  std::map<std::string, std::string> metadata = {{"program", "copse"}, {"version", COPSE_VERSION}};
  for (const auto& [name, setting] : settings) {
    if (is_about_this_run(name)) continue;
    metadata[name] = std::visit([](const auto& value) { return fmt::format("{}", value); }, setting);
  }
  return metadata;
}

template <class T>
Matrix<T> matrix_of(const SafeTensors& model, const std::string& name, Index rows, Index k, const std::string& path) {
  const auto found = model.tensors.find(name);
  if (found == model.tensors.end()) throw InputError(fmt::format("{} has no tensor \"{}\".", path, name));
  const Tensor& tensor = found->second;
  if (tensor.shape != std::vector<Index>{rows, k}) {
    throw InputError(fmt::format("tensor \"{}\" of {} is {}, but this run needs {} x {}.", name, path,
                                 fmt::join(tensor.shape, " x "), rows, k));
  }
  Matrix<T> matrix(rows, k);
  std::visit(
      [&](const auto& values) {
        std::transform(values.begin(), values.end(), matrix.data(), [](auto value) { return static_cast<T>(value); });
      },
      tensor.values);
  for (const T value : matrix.values()) {
    if (!(value >= T(0)) || value > std::numeric_limits<T>::max()) {
      throw InputError(fmt::format("tensor \"{}\" of {} has an entry that is negative or not finite.", name, path));
    }
  }
  return matrix;
}

}  // namespace

template <class T>
void write_model(OutputFile& file, const MatrixInput<T>& input, const NmfResult<T>& result, const Settings& settings) {
  const Index k = result.w.cols();
  std::vector<TensorView> tensors = {{"w", {result.w.rows(), k}, result.w.values()},
                                     {"h", {result.h.rows(), k}, result.h.values()}};
  const auto add = [&](const char* name, auto values) {
    if (!values.empty()) tensors.push_back({name, {static_cast<Index>(values.size())}, values});
  };
  add("baseline", std::span<const T>(result.baseline));
  add("feature_factors", std::span<const double>(input.preparation.feature_factors));
  const PackedStrings feature_names = pack_strings(input.data.feature_names);
  const PackedStrings item_names = pack_strings(input.data.item_names);
  const auto add_names = [&](const char* name, const char* offsets, const PackedStrings& packed) {
    if (packed.offsets.size() < 2) return;
    tensors.push_back({name, {static_cast<Index>(packed.bytes.size())}, std::span<const std::uint8_t>(packed.bytes)});
    add(offsets, std::span<const std::int64_t>(packed.offsets));
  };
  add_names("feature_names", "feature_name_offsets", feature_names);
  add_names("item_names", "item_name_offsets", item_names);
  const auto& kept_items = input.preparation.kept_items;
  if (kept_items.size() < input.all_item_names.size()) add("kept_items", std::span<const std::int64_t>(kept_items));
  const auto& kept_features = input.preparation.kept_features;
  if (!kept_features.empty() && kept_features.back() >= result.w.rows()) {
    add("kept_features", std::span<const std::int64_t>(kept_features));
  }
  write_safetensors(file, tensors, metadata_of(settings));
}

template <class T>
StartFactors<T> read_start(const std::string& path, Index rows, Index cols, Index k) {
  const SafeTensors model = read_safetensors(path);
  return {matrix_of<T>(model, "w", rows, k, path), matrix_of<T>(model, "h", cols, k, path)};
}

template void write_model(OutputFile&, const MatrixInput<float>&, const NmfResult<float>&, const Settings&);
template void write_model(OutputFile&, const MatrixInput<double>&, const NmfResult<double>&, const Settings&);
template StartFactors<float> read_start(const std::string&, Index, Index, Index);
template StartFactors<double> read_start(const std::string&, Index, Index, Index);

}  // namespace copse
