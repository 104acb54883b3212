// The lines of a stream of text, each of bounded length.
#pragma once

#include <memory>
#include <string_view>

#include "copse/base/buffer.h"
#include "copse/base/index.h"
#include "copse/text/text_stream.h"

namespace copse {

class LineReader {
 public:
  // After a line come at least so many bytes that may be read, as simdjson wants it.
  static constexpr std::size_t padding = 64;

  LineReader(std::unique_ptr<TextStream> stream, std::size_t max_bytes);

  // The next line without its end, valid until the next call; false at the end of the text. A line longer than
  // `max_bytes` gives its beginning only, and is_too_long() is true.
  bool next(std::string_view& line);
  bool is_too_long() const { return too_long_; }
  Index number() const { return number_; }  // of the last line, counted from 1
  const std::string& name() const { return stream_->name(); }

  // The first byte of the text that is no white space, or 0; only before the first line.
  char first_visible();

 private:
  bool fill();
  bool skip_rest_of_line();

  std::unique_ptr<TextStream> stream_;
  std::size_t max_bytes_;
  Buffer<char> bytes_;
  std::size_t begin_ = 0;  // [begin_, end_) has been read and not yet given
  std::size_t end_ = 0;
  bool ended_ = false;
  bool too_long_ = false;
  Index number_ = 0;
};

}  // namespace copse
