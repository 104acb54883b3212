// Content comes out the same whether a file lies in memory or comes in pieces of any size.
#include "copse/io/compression.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "copse/base/error.h"

namespace copse {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

class Pieces final : public ByteSource {
 public:
  // The last of the sizes is that of all further pieces.
  Pieces(std::string bytes, std::vector<std::size_t> sizes)
      : ByteSource("pieces"), bytes_(std::move(bytes)), sizes_(std::move(sizes)) {}
  std::span<const char> more() override {
    const std::size_t from = place_;
    place_ = std::min(bytes_.size(), from + sizes_[std::min(number_++, sizes_.size() - 1)]);
    return std::span<const char>(bytes_).subspan(from, place_ - from);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> sizes_;
  std::size_t number_ = 0;
  std::size_t place_ = 0;
};

std::string content(const std::string& bytes, std::vector<std::size_t> pieces) {
  Pieces source(bytes, std::move(pieces));
  const auto stream = decompressor(source);
  std::string text;
  char out[13];
  for (;;) {
    const std::size_t count = stream->read(out);
    text.append(out, count);
    if (count < sizeof out) return text;
  }
}

TEST(Compression, PiecesOfAnySizeGiveTheContent) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i * i) + "\n";
  const std::string other = "and another member";
  for (const std::size_t piece : {1, 2, 3, 7, 1000, 1 << 20}) {
    EXPECT_EQ(content(text, {piece}), text);
    EXPECT_EQ(content(gzip(text), {piece}), text);
    EXPECT_EQ(content(zstd(text), {piece}), text);
    EXPECT_EQ(content(gzip(text) + gzip(other), {piece}), text + other);
    EXPECT_EQ(content(zstd(text) + zstd(other), {piece}), text + other);
    EXPECT_EQ(content(gzip(text) + std::string(100, '\0'), {piece}), text);
    EXPECT_EQ(content("", {piece}), "");
  }
}

TEST(Compression, AMemberMayBeginWithTheLastByteOfAPiece) {
  // The first look at the file joins two pieces; of these one byte is left when the second member begins.
  const std::string first = gzip("first "), second = gzip("and second");
  for (const std::size_t left : {1, 2, 3})
    EXPECT_EQ(content(first + second, {3, first.size() - 3 + left, 5}), "first and second");
}

TEST(Compression, TheBeginningIsReadWithoutTheRest) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  char* bytes = static_cast<char*>(::mmap(nullptr, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(bytes, MAP_FAILED);
  ASSERT_EQ(::mprotect(bytes, page, PROT_READ | PROT_WRITE), 0);
  std::fill_n(bytes, page, 'x');
  // To read the second page ends the program.
  const Buffer<char> start = beginning(Input({bytes, 2 * page}, "x"), page);
  EXPECT_TRUE(std::ranges::equal(start, std::span(bytes, page)));
  ::munmap(bytes, 2 * page);
}

TEST(Compression, DamageIsReportedInPiecesOfAnySize) {
  const std::string text(5000, 'x'), packed = gzip(text), frame = zstd(text);
  for (const std::size_t piece : {1, 5, 1 << 20}) {
    EXPECT_THROW(content(packed.substr(0, packed.size() - 3), {piece}), InputError);
    EXPECT_THROW(content(packed + "tail", {piece}), InputError);
    EXPECT_THROW(content(frame.substr(0, frame.size() - 3), {piece}), InputError);
  }
}

}  // namespace
}  // namespace copse
