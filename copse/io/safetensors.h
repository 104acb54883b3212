// The safetensors format: a JSON header with names, types and shapes, then the arrays, little-endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/base/index.h"
#include "copse/io/output_file.h"

namespace copse {

// An array to write; the values belong to somebody else. Row-major.
struct TensorView {
  std::string name;
  std::vector<Index> shape;
  std::variant<std::span<const float>, std::span<const double>, std::span<const std::int64_t>,
               std::span<const std::uint8_t>>
      values;
};

struct Tensor {
  std::vector<Index> shape;
  std::variant<Buffer<float>, Buffer<double>, Buffer<std::int64_t>, Buffer<std::uint8_t>> values;
};

struct SafeTensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

// The bytes depend on the arguments only. Throws InvalidArgument for a shape that does not fit its values or a name
// used twice, OutputError for a file that cannot be written.
void write_safetensors(OutputFile& file, std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata);

// Reads a file of F32, F64, I64 and U8 tensors. Throws InputError.
SafeTensors read_safetensors(const std::filesystem::path& path);
// The same for a file that is already in memory; its name is used for sentences.
SafeTensors read_safetensors(std::span<const char> bytes, const std::string& file);

// Strings as two tensors, bytes and where each begins: any byte may occur in a string.
struct PackedStrings {
  Buffer<std::uint8_t> bytes;
  Buffer<std::int64_t> offsets;  // one more than there are strings
};
PackedStrings pack_strings(std::span<const std::string> strings);
// Throws InputError if the offsets do not ascend from 0 to the number of bytes.
std::vector<std::string> unpack_strings(std::span<const std::uint8_t> bytes, std::span<const std::int64_t> offsets);

}  // namespace copse
