#include "copse/io/zip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string_view>

#include "copse/base/parallel.h"

namespace copse {
namespace {

// PKWARE's APPNOTE 6.3, sections 4.3.7 to 4.3.16: all numbers are little-endian.
constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::uint32_t end64_mark = 0x06064b50, locator64_mark = 0x07064b50;
constexpr std::uint64_t in_extra = 0xffffffff;  // the 64-bit number is in the extra field

// Reads numbers, and refuses to read past the end.
class LittleEndian {
 public:
  LittleEndian(std::span<const char> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::uint64_t at(std::uint64_t place, std::size_t size) const {
    const auto part = range(place, size);
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(part[i]);
    return value;
  }

  std::span<const char> range(std::uint64_t place, std::uint64_t size) const {
    if (place > bytes_.size() || size > bytes_.size() - place) damaged();
    return bytes_.subspan(place, size);
  }

  [[noreturn]] void damaged() const { fail(name_, "the zip archive is damaged or truncated."); }

 private:
  std::span<const char> bytes_;
  const std::string& name_;
};

struct Directory {
  std::uint64_t place = 0, members = 0;
};

Directory find_directory(const LittleEndian& file, std::uint64_t size) {
  // The end record has 22 bytes and a comment of at most 65535.
  constexpr std::uint64_t record = 22;
  if (size < record) file.damaged();
  std::uint64_t end = size - record;
  const std::uint64_t lowest = end > 65535 ? end - 65535 : 0;
  while (file.at(end, 4) != end_mark || end + record + file.at(end + 20, 2) != size) {
    if (end-- == lowest) file.damaged();
  }
  Directory directory{.place = file.at(end + 16, 4), .members = file.at(end + 10, 2)};
  if (end >= 20 && file.at(end - 20, 4) == locator64_mark) {
    const std::uint64_t end64 = file.at(end - 12, 8);
    if (file.at(end64, 4) != end64_mark) file.damaged();
    directory = {.place = file.at(end64 + 48, 8), .members = file.at(end64 + 32, 8)};
  }
  return directory;
}

// The 64-bit numbers that stand for those that do not fit, in the order size, packed size, place.
void read_extra(const LittleEndian& file, std::uint64_t begin, std::uint64_t end, std::uint64_t& size,
                std::uint64_t& packed, std::uint64_t& place) {
  while (begin + 4 <= end) {
    const std::uint64_t kind = file.at(begin, 2), length = file.at(begin + 2, 2);
    begin += 4;
    if (kind == 1) {
      std::uint64_t next = begin;
      for (std::uint64_t* number : {&size, &packed, &place}) {
        if (*number != in_extra) continue;
        if (next + 8 > begin + length) file.damaged();
        *number = file.at(next, 8);
        next += 8;
      }
    }
    begin += length;
  }
}

// Inflates into `out`; returns the bytes written.
std::size_t inflate_into(const ZipMember& member, std::span<char> out, const std::string& archive) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  std::span<const char> rest = member.packed;
  std::size_t filled = 0;
  int status = Z_OK;
  while (status == Z_OK && filled < out.size()) {
    constexpr std::size_t most = std::size_t{1} << 24;
    const std::size_t given = std::min(rest.size(), most), wanted = std::min(out.size() - filled, most);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    stream.avail_out = static_cast<uInt>(wanted);
    status = inflate(&stream, Z_NO_FLUSH);
    rest = rest.subspan(given - stream.avail_in);
    filled += wanted - stream.avail_out;
  }
  inflateEnd(&stream);
  if (status != Z_OK && status != Z_STREAM_END) fail(archive, "the member " + excerpt(member.name) + " is damaged.");
  return filled;
}

}  // namespace

std::uint32_t checksum_of(std::span<const char> bytes) {
  constexpr Index block = 1 << 20;
  const auto size = static_cast<Index>(bytes.size());
  std::vector<uLong> parts(static_cast<std::size_t>((size + block - 1) / block));
  parallel_blocks(size, block, [&](Index begin, Index end) {
    parts[static_cast<std::size_t>(begin / block)] =
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + begin), static_cast<uInt>(end - begin));
  });
  uLong sum = crc32(0, nullptr, 0);
  for (std::size_t b = 0; b < parts.size(); ++b)
    sum = crc32_combine(sum, parts[b], std::min(block, size - static_cast<Index>(b) * block));
  return static_cast<std::uint32_t>(sum);
}

bool is_intact(const ZipMember& member, const Input& archive) {
  constexpr std::size_t piece = std::size_t{1} << 24;
  uLong sum = crc32(0, nullptr, 0);
  for (std::size_t begin = 0; begin < member.packed.size(); begin += piece) {
    const auto part = member.packed.subspan(begin, std::min(piece, member.packed.size() - begin));
    sum = crc32(sum, reinterpret_cast<const Bytef*>(part.data()), static_cast<uInt>(part.size()));
    archive.forget(part);
  }
  return static_cast<std::uint32_t>(sum) == member.checksum;
}

std::vector<ZipMember> zip_members(const Input& input) {
  const LittleEndian file(input.bytes(), input.name());
  const Directory directory = find_directory(file, input.bytes().size());
  std::vector<ZipMember> members;
  std::uint64_t entry = directory.place;
  for (std::uint64_t m = 0; m < directory.members; ++m) {
    if (file.at(entry, 4) != central_mark) file.damaged();
    const std::uint64_t flags = file.at(entry + 8, 2), method = file.at(entry + 10, 2);
    std::uint64_t packed = file.at(entry + 20, 4), size = file.at(entry + 24, 4), place = file.at(entry + 42, 4);
    const std::uint64_t name_length = file.at(entry + 28, 2), extra = file.at(entry + 30, 2);
    const auto name = file.range(entry + 46, name_length);
    const std::uint64_t after_name = entry + 46 + name_length;
    read_extra(file, after_name, after_name + extra, size, packed, place);
    ZipMember member;
    member.name.assign(name.begin(), name.end());
    member.deflated = method == 8;
    if (flags & 1) fail(input.name(), "the member " + excerpt(member.name) + " is encrypted.");
    if (method != 0 && method != 8)
      fail(input.name(), "the member " + excerpt(member.name) + " is compressed in a way other than deflate.");
    // The local header repeats the name; its extra field may have another length.
    if (file.at(place, 4) != local_mark) file.damaged();
    const std::uint64_t content = 30 + file.at(place + 26, 2) + file.at(place + 28, 2);
    member.packed = file.range(place + content, packed);
    // Deflate shrinks to 1/1032 at best.
    if (member.deflated ? size / 1032 > packed : size != packed) file.damaged();
    member.size = size;
    member.checksum = static_cast<std::uint32_t>(file.at(entry + 16, 4));
    members.push_back(std::move(member));
    entry = after_name + extra + file.at(entry + 32, 2);
  }
  return members;
}

Buffer<char> beginning(const ZipMember& member, std::size_t size, const std::string& archive) {
  Buffer<char> bytes;
  bytes.resize(std::min(size, member.size));
  if (member.deflated) {
    bytes.resize(inflate_into(member, bytes, archive));
  } else {
    std::copy_n(member.packed.begin(), bytes.size(), bytes.begin());
  }
  return bytes;
}

std::span<const char> unpack(const ZipMember& member, const Input& archive, std::size_t limit, Buffer<char>& storage) {
  const std::string& name = archive.name();
  std::span<const char> content = member.packed;
  if (member.deflated) {
    check_memory(static_cast<double>(member.size), limit, name, "the member " + excerpt(member.name));
    storage.resize(member.size);
    if (inflate_into(member, storage, name) != member.size)
      fail(name, "the member " + excerpt(member.name) + " is shorter than the directory says.");
    content = storage;
  }
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // fuzzers cannot guess checksums
  uLong sum = crc32(0, nullptr, 0);
  constexpr std::size_t piece_size = std::size_t{1} << 24;
  for (auto rest = content; !rest.empty();) {
    const auto piece = rest.first(std::min(rest.size(), piece_size));
    rest = rest.subspan(piece.size());
    sum = crc32_combine(sum, checksum_of(piece), static_cast<z_off_t>(piece.size()));
    if (!member.deflated) archive.forget(piece);
  }
  if (static_cast<std::uint32_t>(sum) != member.checksum)
    fail(name, "the member " + excerpt(member.name) + " is damaged: its checksum is wrong.");
#endif
  return content;
}

}  // namespace copse
