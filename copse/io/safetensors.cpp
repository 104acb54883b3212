#include "copse/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "copse/base/error.h"
#include "copse/io/input.h"
#include "copse/io/json_value.h"

namespace copse {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they stand in memory");

using Json = nlohmann::json;

constexpr std::uint64_t max_header_bytes = 100'000'000;            // as the format demands
constexpr const char* type_names[] = {"F32", "F64", "I64", "U8"};  // in the order of the variants

// The number of elements, or -1 if it does not fit in 63 bits or a side is negative.
Index element_count(std::span<const Index> shape) {
  Index count = 1;
  for (const Index side : shape) {
    if (side < 0 || __builtin_mul_overflow(count, side, &count)) return -1;
  }
  return count;
}

[[noreturn]] void broken(const std::string& name, const std::string& reason) {
  throw InputError(name + " is not a safetensors file: " + reason + ".");
}

struct Layout {
  std::string name;
  std::vector<Index> shape;
  std::size_t type = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Layout parse_layout(const std::string& file, const std::string& name, const Json& entry) {
  Layout layout{.name = name, .shape = {}};
  std::string type;
  try {
    type = entry.at("dtype").get<std::string>();
    layout.shape = checked_list<Index>(entry.at("shape"));
    layout.begin = checked_value<std::uint64_t>(entry.at("data_offsets").at(0));
    layout.end = checked_value<std::uint64_t>(entry.at("data_offsets").at(1));
  } catch (const Json::exception&) {
    broken(file, "its header does not give tensor \"" + name + "\" a dtype, a shape and two data_offsets");
  }
  const auto found = std::find(std::begin(type_names), std::end(type_names), type);
  if (found == std::end(type_names)) {
    throw InputError(file + ": tensor \"" + name + "\" has type " + type + "; F32, F64, I64 and U8 can be read.");
  }
  layout.type = static_cast<std::size_t>(found - std::begin(type_names));
  return layout;
}

template <class Values>
Values read_values(std::span<const char> arrays, const Layout& layout, const std::string& file) {
  using Value = typename Values::value_type;
  const Index count = element_count(layout.shape);
  const std::uint64_t bytes = layout.end - layout.begin;
  if (count < 0 || bytes % sizeof(Value) != 0 || bytes / sizeof(Value) != static_cast<std::uint64_t>(count)) {
    broken(file, "the shape of tensor \"" + layout.name + "\" does not fit its " + std::to_string(bytes) + " bytes");
  }
  Values values(static_cast<std::size_t>(count));
  if (bytes > 0) std::memcpy(values.data(), arrays.data() + layout.begin, bytes);
  return values;
}

}  // namespace

void write_safetensors(OutputFile& file, std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header;
  if (!metadata.empty()) header["__metadata__"] = metadata;
  // Wider types first keeps every array aligned in a mapped file.
  std::vector<const TensorView*> order;
  for (const TensorView& tensor : tensors) order.push_back(&tensor);
  const auto width = [](const TensorView* tensor) {
    return std::visit([](const auto& values) { return sizeof(values[0]); }, tensor->values);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const TensorView* a, const TensorView* b) { return width(a) > width(b); });
  std::uint64_t offset = 0;
  for (const TensorView* tensor : order) {
    const std::uint64_t bytes = std::visit([](const auto& values) { return values.size_bytes(); }, tensor->values);
    const Index count = element_count(tensor->shape);
    if (count < 0 || static_cast<std::uint64_t>(count) * width(tensor) != bytes) {
      throw InvalidArgument("the shape of tensor \"" + tensor->name + "\" does not fit its values.");
    }
    if (tensor->name == "__metadata__" || header.contains(tensor->name)) {
      throw InvalidArgument("two tensors are called \"" + tensor->name + "\".");
    }
    header[tensor->name] = {{"dtype", type_names[tensor->values.index()]},
                            {"shape", tensor->shape},
                            {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  file.write(&length, sizeof(length));
  file.write(text);
  for (const TensorView* tensor : order) {
    std::visit([&](const auto& values) { file.write(values.data(), values.size_bytes()); }, tensor->values);
  }
}

SafeTensors read_safetensors(const std::filesystem::path& path) {
  const Input input = Input::open(path);
  return read_safetensors(input.bytes(), input.name());
}

SafeTensors read_safetensors(std::span<const char> bytes, const std::string& file) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) broken(file, "it has only " + std::to_string(bytes.size()) + " bytes");
  std::memcpy(&length, bytes.data(), sizeof(length));
  bytes = bytes.subspan(sizeof(length));
  if (length > max_header_bytes || length > bytes.size()) {
    broken(file, "its first 8 bytes announce a header of " + std::to_string(length) + " bytes");
  }
  const Json header = Json::parse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length), nullptr, false);
  if (!header.is_object()) broken(file, "its header is not a JSON object");
  const std::span<const char> arrays = bytes.subspan(length);
  SafeTensors result;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      for (const auto& [key, value] : entry.items()) {
        if (value.is_string()) result.metadata[key] = value.get<std::string>();
      }
      continue;
    }
    const Layout layout = parse_layout(file, name, entry);
    if (layout.begin > layout.end || layout.end > arrays.size()) {
      broken(file, "tensor \"" + name + "\" lies outside the file, whose arrays have " + std::to_string(arrays.size()) +
                       " bytes");
    }
    Tensor& tensor = result.tensors[name];
    tensor.shape = layout.shape;
    switch (layout.type) {
      case 0:
        tensor.values = read_values<Buffer<float>>(arrays, layout, file);
        break;
      case 1:
        tensor.values = read_values<Buffer<double>>(arrays, layout, file);
        break;
      case 2:
        tensor.values = read_values<Buffer<std::int64_t>>(arrays, layout, file);
        break;
      default:
        tensor.values = read_values<Buffer<std::uint8_t>>(arrays, layout, file);
    }
  }
  return result;
}

PackedStrings pack_strings(std::span<const std::string> strings) {
  PackedStrings packed{.bytes = {}, .offsets = {0}};
  for (const std::string& text : strings) {
    packed.bytes.insert(packed.bytes.end(), text.begin(), text.end());
    packed.offsets.push_back(static_cast<std::int64_t>(packed.bytes.size()));
  }
  return packed;
}

std::vector<std::string> unpack_strings(std::span<const std::uint8_t> bytes, std::span<const std::int64_t> offsets) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(bytes.size()) ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    throw InputError("the offsets of packed strings do not ascend from 0 to the number of bytes.");
  }
  std::vector<std::string> strings;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    strings.emplace_back(bytes.begin() + offsets[i], bytes.begin() + offsets[i + 1]);
  }
  return strings;
}

}  // namespace copse
