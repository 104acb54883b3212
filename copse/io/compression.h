// Files compressed with gzip or zstd, recognised by their first bytes whatever their name.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "copse/base/buffer.h"
#include "copse/io/byte_source.h"
#include "copse/io/input.h"

namespace copse {

enum class Compression { none, gzip, zstd };

Compression compression_of(std::span<const char> bytes);

// By the end of a name, .gz or .zst; and the name without it.
Compression compression_of_name(std::string_view name);
std::string_view name_without_compression(std::string_view name);

// The content of a file, from front to back.
class Decompressor {
 public:
  virtual ~Decompressor() = default;
  // Fills `out` as far as the content goes; less than asked for means that it ends there. Throws InputError for
  // damaged or truncated data.
  virtual std::size_t read(std::span<char> out) = 0;
};

std::unique_ptr<Decompressor> decompressor(const Input& input);
// The same for bytes that come in pieces; the source must live as long.
std::unique_ptr<Decompressor> decompressor(ByteSource& source);

// The first `size` bytes of the content, or all if it is shorter.
Buffer<char> beginning(const Input& input, std::size_t size);

// All of the content; refuses more than `limit` bytes (0: the memory of the machine), or than its file may become.
Buffer<char> decompress(const Input& input, std::size_t limit);

// Calls consume(text) for the content in pieces, each of which ends with a line end (one is added to a last line that
// has none), until it returns false. While one piece is consumed, the next is decompressed. Refuses a line of more than
// `limit` bytes, and content that is too large for its file.
void for_each_piece(const Input& input, std::size_t limit, const std::function<bool(std::string_view)>& consume);
// The bytes of text that this holds at once, unless a line is longer.
double text_bytes_at_once(const Input& input);

}  // namespace copse
