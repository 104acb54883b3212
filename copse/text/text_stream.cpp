#include "copse/text/text_stream.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "copse/io/compression.h"
#include "copse/io/expansion.h"
#include "copse/io/input.h"
#include "copse/io/names.h"

namespace copse {
namespace {

class CountedSource final : public ByteSource {
 public:
  explicit CountedSource(std::unique_ptr<ByteSource> source) : ByteSource(source->name()), source_(std::move(source)) {}
  std::span<const char> more() override {
    const auto piece = source_->more();
    bytes_ += static_cast<double>(piece.size());
    return piece;
  }
  double bytes() const { return bytes_; }

 private:
  std::unique_ptr<ByteSource> source_;
  double bytes_ = 0;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const char> bytes, const std::string& name) : ByteSource(name), bytes_(bytes) {}
  std::span<const char> more() override { return std::exchange(bytes_, {}); }

 private:
  std::span<const char> bytes_;
};

void append_utf8(std::string& text, unsigned code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned marks[] = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(marks[tail] | code >> (6 * tail));
  for (int i = tail - 1; i >= 0; --i) text += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
}

enum class Encoding { bytes, little_endian, big_endian };

}  // namespace

struct TextStream::State {
  CountedSource source;
  std::unique_ptr<Decompressor> content;
  double max_expansion;
  double produced = 0;
  Encoding encoding = Encoding::bytes;
  std::string ready;  // read, or made from UTF-16, and not yet handed out
  std::size_t handed = 0;
  unsigned high = 0;  // the first half of a surrogate pair
  bool ended = false;

  State(std::unique_ptr<ByteSource> bytes, double max_expansion)
      : source(std::move(bytes)), content(decompressor(source)), max_expansion(max_expansion) {
    char first[3];
    const std::size_t count = read_content(first);
    std::string_view mark(first, count);
    if (mark.starts_with("\xFF\xFE")) encoding = Encoding::little_endian;
    if (mark.starts_with("\xFE\xFF")) encoding = Encoding::big_endian;
    if (encoding != Encoding::bytes) {
      ended = count < sizeof first;
      // One byte of the first unit has been read already.
      char unit[2] = {first[2], 0};
      if (!ended && read_content(std::span(unit).subspan(1)) == 1) add_unit(unit);
    } else if (mark != byte_order_mark) {
      ready = mark;
    }
  }

  std::size_t read_content(std::span<char> out) {
    const std::size_t count = content->read(out);
    produced += static_cast<double>(count);
    check_expansion(produced, source.bytes(), max_expansion, source.name());
    return count;
  }

  void add_unit(const char* bytes) {
    const auto byte = [&](int i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[i])); };
    const unsigned unit = encoding == Encoding::little_endian ? byte(0) | byte(1) << 8 : byte(1) | byte(0) << 8;
    const bool is_low = unit >= 0xDC00 && unit <= 0xDFFF;
    if (high != 0) {
      append_utf8(ready, is_low ? 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00) : 0xFFFD);
      high = 0;
      if (is_low) return;
    }
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      high = unit;
    } else {
      append_utf8(ready, is_low ? 0xFFFD : unit);
    }
  }

  void convert_more() {
    char units[1 << 14];
    const std::size_t count = read_content(units);
    ended = count < sizeof units;
    for (std::size_t i = 0; i + 1 < count; i += 2) add_unit(units + i);
    if (ended && high != 0) append_utf8(ready, 0xFFFD);
  }
};

TextStream::TextStream(std::unique_ptr<ByteSource> source, double max_expansion)
    : state_(std::make_unique<State>(std::move(source), max_expansion)) {}
TextStream::~TextStream() = default;

const std::string& TextStream::name() const { return state_->source.name(); }

std::size_t TextStream::read(std::span<char> out) {
  State& state = *state_;
  std::size_t filled = 0;
  while (filled < out.size()) {
    if (state.handed == state.ready.size()) {
      state.ready.clear();
      state.handed = 0;
      if (state.encoding == Encoding::bytes) return filled + state.read_content(out.subspan(filled));
      if (state.ended) break;
      state.convert_more();
    }
    const std::size_t count = std::min(out.size() - filled, state.ready.size() - state.handed);
    std::memcpy(out.data() + filled, state.ready.data() + state.handed, count);
    state.handed += count;
    filled += count;
  }
  return filled;
}

std::unique_ptr<ByteSource> bytes_in_memory(std::span<const char> bytes, const std::string& name) {
  return std::make_unique<MemorySource>(bytes, name);
}

}  // namespace copse
