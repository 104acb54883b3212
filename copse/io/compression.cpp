#include "copse/io/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "copse/base/parallel.h"
#include "copse/io/expansion.h"

namespace copse {
namespace {

constexpr std::size_t first_piece = std::size_t{1} << 16;  // enough for a header
constexpr std::size_t later_piece = std::size_t{7} << 18;  // with the rest of a line still below 2 MB
constexpr std::size_t mapped_piece = std::size_t{1} << 22;

// A file that is mapped or lies in memory, of which the pages that were read are let go.
class InputSource final : public ByteSource {
 public:
  explicit InputSource(const Input& input) : ByteSource(input.name()), input_(input), rest_(input.bytes()) {}

  std::span<const char> more() override {
    constexpr std::size_t piece = std::size_t{1} << 20;
    input_.forget(last_);
    last_ = rest_.first(std::min(rest_.size(), piece));
    rest_ = rest_.subspan(last_.size());
    return last_;
  }

 private:
  Input input_;  // a view of the same bytes
  std::span<const char> rest_, last_;
};

// What a source gives, with a look at what comes next.
class Feed {
 public:
  explicit Feed(ByteSource& source) : source_(source) {}

  const std::string& name() const { return source_.name(); }
  std::span<const char> rest() const { return rest_; }
  void consume(std::size_t count) { rest_ = rest_.subspan(count); }

  // Fetches more if nothing is left; false at the end.
  bool refill() {
    if (rest_.empty() && !ended_) {
      rest_ = source_.more();
      ended_ = rest_.empty();
    }
    return !rest_.empty();
  }

  // The next bytes, at least `count` of them unless the source ends before.
  std::span<const char> peek(std::size_t count) {
    refill();
    if (rest_.size() >= count || ended_) return rest_;
    Buffer<char> joined(rest_.begin(), rest_.end());  // the rest may lie in joined_
    while (joined.size() < count && !ended_) {
      const std::span<const char> piece = source_.more();
      ended_ = piece.empty();
      joined.insert(joined.end(), piece.begin(), piece.end());
    }
    joined_ = std::move(joined);
    rest_ = joined_;
    return rest_;
  }

 private:
  ByteSource& source_;
  std::span<const char> rest_;
  Buffer<char> joined_;
  bool ended_ = false;
};

class Plain final : public Decompressor {
 public:
  explicit Plain(std::unique_ptr<Feed> feed) : feed_(std::move(feed)) {}

  std::size_t read(std::span<char> out) override {
    std::size_t filled = 0;
    while (filled < out.size() && feed_->refill()) {
      const std::size_t count = std::min(out.size() - filled, feed_->rest().size());
      std::memcpy(out.data() + filled, feed_->rest().data(), count);
      feed_->consume(count);
      filled += count;
    }
    return filled;
  }

 private:
  std::unique_ptr<Feed> feed_;
};

class Gzip final : public Decompressor {
 public:
  explicit Gzip(std::unique_ptr<Feed> feed) : feed_(std::move(feed)) {
    if (inflateInit2(&stream_, MAX_WBITS + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::size_t read(std::span<char> out) override {
    std::size_t filled = 0;
    while (filled < out.size() && !ended_) {
      feed_->refill();
      constexpr std::size_t most = std::numeric_limits<uInt>::max();
      const std::size_t given = std::min(feed_->rest().size(), most), wanted = std::min(out.size() - filled, most);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(feed_->rest().data()));
      stream_.avail_in = static_cast<uInt>(given);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
      stream_.avail_out = static_cast<uInt>(wanted);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      feed_->consume(given - stream_.avail_in);
      filled += wanted - stream_.avail_out;
      if (status == Z_STREAM_END) {
        next_member();
      } else if (status == Z_BUF_ERROR && given == 0) {
        fail(feed_->name(), "the gzip data is truncated.");
      } else if (status != Z_OK) {
        fail(feed_->name(), "the gzip data is damaged.");
      }
    }
    return filled;
  }

 private:
  // Files may be joined; some writers pad with zeros.
  void next_member() {
    if (compression_of(feed_->peek(2)) == Compression::gzip) {
      inflateReset(&stream_);
      return;
    }
    while (feed_->refill()) {
      if (std::any_of(feed_->rest().begin(), feed_->rest().end(), [](char c) { return c != 0; }))
        fail(feed_->name(), "after the gzip data there is something else.");
      feed_->consume(feed_->rest().size());
    }
    ended_ = true;
  }

  std::unique_ptr<Feed> feed_;
  z_stream stream_{};
  bool ended_ = false;
};

class Zstd final : public Decompressor {
 public:
  explicit Zstd(std::unique_ptr<Feed> feed) : feed_(std::move(feed)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~Zstd() override { ZSTD_freeDStream(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  std::size_t read(std::span<char> out) override {
    ZSTD_outBuffer target{out.data(), out.size(), 0};
    while (target.pos < target.size) {
      const bool all_given = !feed_->refill();
      if (all_given && pending_ == 0) break;
      const std::size_t before = target.pos;
      ZSTD_inBuffer source{feed_->rest().data(), feed_->rest().size(), 0};
      pending_ = ZSTD_decompressStream(stream_, &target, &source);
      feed_->consume(source.pos);
      if (ZSTD_isError(pending_))
        fail(feed_->name(), std::string("the zstd data is damaged: ") + ZSTD_getErrorName(pending_) + ".");
      if (all_given && pending_ != 0 && target.pos == before) fail(feed_->name(), "the zstd data is truncated.");
    }
    return target.pos;
  }

 private:
  std::unique_ptr<Feed> feed_;
  ZSTD_DStream* stream_;
  std::size_t pending_ = 1;  // 0 between frames
};

// Content of a file that lies in memory, which must not grow beyond measure.
class WithSource final : public Decompressor {
 public:
  explicit WithSource(const Input& input)
      : source_(input), content_(decompressor(source_)), file_(static_cast<double>(input.bytes().size())) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t count = content_->read(out);
    produced_ += static_cast<double>(count);
    check_expansion(produced_, file_, largest_expansion, source_.name());
    return count;
  }

 private:
  InputSource source_;
  std::unique_ptr<Decompressor> content_;
  double file_;
  double produced_ = 0;
};

// The next piece: `rest` and then content up to the last line end within `size` bytes, or further if there is none.
void fill_piece(Decompressor& content, std::size_t size, std::size_t limit, const std::string& name, Buffer<char>& rest,
                Buffer<char>& piece) {
  piece.swap(rest);
  rest.clear();
  std::size_t used = piece.size();
  for (;;) {
    piece.resize(used + size);
    const std::size_t count = content.read({piece.data() + used, size});
    const bool ended = count < size;
    used += count;
    piece.resize(used);
    if (ended) {
      if (used > 0 && piece.back() != '\n') piece.push_back('\n');
      return;
    }
    const auto line_end = std::find(piece.rbegin(), piece.rbegin() + static_cast<std::ptrdiff_t>(count), '\n').base();
    if (line_end != piece.end() - static_cast<std::ptrdiff_t>(count)) {
      rest.assign(line_end, piece.end());
      piece.erase(line_end, piece.end());
      return;
    }
    check_memory(static_cast<double>(used), limit, name, "a line of the file");
  }
}

}  // namespace

Compression compression_of(std::span<const char> bytes) {
  const auto starts_with = [&](std::string_view mark) {
    return bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), bytes.begin());
  };
  if (starts_with("\x1f\x8b")) return Compression::gzip;
  if (starts_with("\x28\xb5\x2f\xfd")) return Compression::zstd;
  return Compression::none;
}

Compression compression_of_name(std::string_view name) {
  return name.ends_with(".gz") ? Compression::gzip : name.ends_with(".zst") ? Compression::zstd : Compression::none;
}

std::string_view name_without_compression(std::string_view name) {
  if (compression_of_name(name) == Compression::none) return name;
  return name.substr(0, name.rfind('.'));
}

void check_expansion(double content, double file, double limit, const std::string& name) {
  if (limit > 0 && content > harmless_content && content > limit * file)
    fail(name, "the content is over " + std::to_string(static_cast<long>(limit)) +
                   " times larger than the compressed file, which is the limit.");
}

std::unique_ptr<Decompressor> decompressor(const Input& input) { return std::make_unique<WithSource>(input); }

std::unique_ptr<Decompressor> decompressor(ByteSource& source) {
  auto feed = std::make_unique<Feed>(source);
  switch (compression_of(feed->peek(4))) {
    case Compression::gzip:
      return std::make_unique<Gzip>(std::move(feed));
    case Compression::zstd:
      return std::make_unique<Zstd>(std::move(feed));
    case Compression::none:
      break;
  }
  return std::make_unique<Plain>(std::move(feed));
}

Buffer<char> beginning(const Input& input, std::size_t size) {
  Buffer<char> bytes;
  bytes.resize(size);
  bytes.resize(decompressor(input)->read(bytes));
  return bytes;
}

double text_bytes_at_once(const Input& input) {
  const auto size = static_cast<double>(input.bytes().size());
  // The piece that is parsed, or three where one is parsed, one decompressed, and one has the rest of a line.
  if (compression_of(input.bytes()) == Compression::none) return std::min(size, 1.0 * mapped_piece);
  return 4.0 * later_piece;  // buffers grow by halves
}

Buffer<char> decompress(const Input& input, std::size_t limit) {
  const auto content = decompressor(input);
  Buffer<char> bytes;
  std::size_t used = 0;
  for (std::size_t step = 4 * input.bytes().size() + first_piece;; step = used) {
    check_memory(static_cast<double>(used), limit, input.name(), "the decompressed file");
    bytes.resize(used + std::min(step, effective_limit(limit)));
    used += content->read({bytes.data() + used, bytes.size() - used});
    if (used < bytes.size()) break;
  }
  bytes.resize(used);
  return bytes;
}

void for_each_piece(const Input& input, std::size_t limit, const std::function<bool(std::string_view)>& consume) {
  if (compression_of(input.bytes()) == Compression::none) {
    std::string_view text(input.bytes().data(), input.bytes().size());
    while (!text.empty()) {
      const std::size_t line_end = text.find('\n', std::min(text.size(), mapped_piece) - 1);
      if (line_end == std::string_view::npos) {
        const std::size_t lines = text.rfind('\n') + 1;  // npos + 1 is 0
        if (lines > 0 && !consume(text.substr(0, lines))) return;
        if (lines < text.size()) consume(std::string(text.substr(lines)) + '\n');
        return;
      }
      const std::string_view piece = text.substr(0, line_end + 1);
      if (!consume(piece)) return;
      input.forget(piece);
      text.remove_prefix(piece.size());
    }
    return;
  }
  const auto content = decompressor(input);
  Buffer<char> current, next, rest;
  fill_piece(*content, first_piece, limit, input.name(), rest, current);
  bool wanted = true;
  while (wanted && !current.empty()) {
    parallel_for(2, [&](Index task) {
      if (task == 0) {
        fill_piece(*content, later_piece, limit, input.name(), rest, next);
      } else {
        wanted = consume({current.data(), current.size()});
      }
    });
    current.swap(next);
    next.clear();
  }
}

}  // namespace copse
