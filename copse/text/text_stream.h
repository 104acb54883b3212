// The content of a file as a stream of text: decompressed, guarded against bombs, UTF-16 turned into UTF-8.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "copse/io/byte_source.h"

namespace copse {

class TextStream {
 public:
  // Refuses content of more than 16 MB that is `max_expansion` times larger than the file (0: no limit).
  TextStream(std::unique_ptr<ByteSource> source, double max_expansion);
  ~TextStream();
  TextStream(const TextStream&) = delete;
  TextStream& operator=(const TextStream&) = delete;

  const std::string& name() const;
  // Fills `out`; less than asked for means that the text ends there. A byte order mark is left out.
  std::size_t read(std::span<char> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Bytes that somebody else keeps, as one piece.
std::unique_ptr<ByteSource> bytes_in_memory(std::span<const char> bytes, const std::string& name);

}  // namespace copse
