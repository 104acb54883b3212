#include "copse/text/line_reader.h"

#include <algorithm>
#include <cstring>

namespace copse {

LineReader::LineReader(std::unique_ptr<TextStream> stream, std::size_t max_bytes)
    : stream_(std::move(stream)), max_bytes_(max_bytes) {}

// Reads on; false if nothing more came.
bool LineReader::fill() {
  if (ended_) return false;
  constexpr std::size_t least = std::size_t{1} << 18;
  if (begin_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (bytes_.size() < end_ + least + padding) bytes_.resize(std::max(2 * bytes_.size(), end_ + least + padding));
  const std::size_t wanted = bytes_.size() - padding - end_;
  const std::size_t count = stream_->read({bytes_.data() + end_, wanted});
  end_ += count;
  std::memset(bytes_.data() + end_, 0, padding);  // the pages behind stay untouched
  ended_ = count < wanted;
  return count > 0;
}

bool LineReader::next(std::string_view& line) {
  if (too_long_ && !skip_rest_of_line()) return false;
  too_long_ = false;
  for (std::size_t searched = 0;;) {
    const char* from = bytes_.data() + begin_;
    const std::size_t available = end_ - begin_;
    const void* found = available > searched ? std::memchr(from + searched, '\n', available - searched) : nullptr;
    const auto length = found == nullptr ? available : static_cast<std::size_t>(static_cast<const char*>(found) - from);
    if (length > max_bytes_) {
      line = {from, max_bytes_};
      begin_ += max_bytes_;
      too_long_ = true;
      break;
    }
    searched = available;
    if (found == nullptr && fill()) continue;
    if (found == nullptr && available == 0) return false;
    line = {bytes_.data() + begin_, length};
    begin_ += length + (found == nullptr ? 0 : 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    break;
  }
  ++number_;
  return true;
}

bool LineReader::skip_rest_of_line() {
  for (;;) {
    const char* from = bytes_.data() + begin_;
    const void* found = begin_ < end_ ? std::memchr(from, '\n', end_ - begin_) : nullptr;
    if (found != nullptr) {
      begin_ += static_cast<std::size_t>(static_cast<const char*>(found) - from) + 1;
      return true;
    }
    begin_ = end_;
    if (!fill()) return false;
  }
}

char LineReader::first_visible() {
  if (end_ == 0) fill();
  for (std::size_t i = begin_; i < end_; ++i) {
    if (static_cast<unsigned char>(bytes_[i]) > ' ') return bytes_[i];
  }
  return 0;
}

}  // namespace copse
