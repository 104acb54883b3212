#include "copse/model/tensor_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/version.h"

namespace copse {
namespace {

bool is_about_this_run(const std::string& name) {
  static const std::vector<std::string> names = {"matrix",     "documents", "graph", "nodes",     "features",
                                                 "item_names", "truth",     "start", "time_limit"};
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void TensorWriter::add(const std::string& name, const std::vector<std::string>& values) {
  const PackedStrings& packed = strings_.emplace_back(pack_strings(values));
  views_.push_back({name, {static_cast<Index>(packed.bytes.size())}, std::span<const std::uint8_t>(packed.bytes)});
  views_.push_back(
      {name + "_offsets", {static_cast<Index>(packed.offsets.size())}, std::span<const std::int64_t>(packed.offsets)});
}

void TensorWriter::write(OutputFile& file, const Settings& settings, const std::string& kind) const {
  std::map<std::string, std::string> metadata = {{"program", "copse"}, {"version", version()}, {"kind", kind}};
  for (const auto& [name, setting] : settings) {
    if (is_about_this_run(name)) continue;
    metadata[name] = std::visit([](const auto& value) { return fmt::format("{}", value); }, setting);
  }
  write_safetensors(file, views_, metadata);
}

TensorReader::TensorReader(const Input& file, const std::string& kind)
    : path_(file.name()), kind_(kind), model_(read_safetensors(file.bytes(), file.name())) {
  const auto& factor = find(has("b") ? "b" : "w");
  if (std::holds_alternative<Buffer<double>>(factor.values)) precision_ = Precision::full;
}

const Tensor& TensorReader::find(const std::string& name) const {
  const auto found = model_.tensors.find(name);
  if (found == model_.tensors.end()) wrong("it has no tensor \"" + name + "\"");
  return found->second;
}

std::string TensorReader::setting(const std::string& name) const {
  const auto found = model_.metadata.find(name);
  return found == model_.metadata.end() ? "" : found->second;
}

std::vector<std::string> TensorReader::strings(const std::string& name) const {
  if (!has(name)) return {};
  return unpack_strings(get<std::uint8_t>(name), get<std::int64_t>(name + "_offsets"));
}

AnyMatrix TensorReader::matrix(const std::string& name) const {
  const auto& shape = find(name).shape;
  if (shape.size() != 2) wrong("tensor \"" + name + "\" is no matrix");
  return with_precision(precision_, [&]<class T>() -> AnyMatrix {
    Matrix<T> result(shape[0], shape[1]);
    const auto values = get<T>(name);
    for (const T value : values) {
      if (!(value >= T(0)) || value > std::numeric_limits<T>::max())
        wrong("tensor \"" + name + "\" has an entry that is negative or not finite");
    }
    std::ranges::copy(values, result.data());
    return result;
  });
}

Numbers TensorReader::numbers(const std::string& name) const {
  return with_precision(precision_, [&]<class T>() -> Numbers { return list<T>(name); });
}

void TensorReader::wrong(const std::string& what) const {
  throw InputError(fmt::format("{} is not the model of {}: {}.", path_, kind_, what));
}

}  // namespace copse
