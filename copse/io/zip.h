// Zip archives as NumPy writes them: members stored or deflated, also larger than 4 GB.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/io/input.h"

namespace copse {

struct ZipMember {
  std::string name;
  std::span<const char> packed;
  std::size_t size = 0;  // unpacked
  bool deflated = false;
  std::uint32_t checksum = 0;
};

// The members that the directory at the end of the archive lists. Throws InputError for a damaged one.
std::vector<ZipMember> zip_members(const Input& input);

// The CRC-32 that archives keep of their members.
std::uint32_t checksum_of(std::span<const char> bytes);

// The first `size` bytes of a member, not verified.
Buffer<char> beginning(const ZipMember& member, std::size_t size, const std::string& archive);

// Whether a stored member has the checksum that the archive keeps of it; its pages are let go of on the way.
bool is_intact(const ZipMember& member, const Input& archive);

// The content of a member, verified: where it lies if it was stored, else unpacked into `storage`.
std::span<const char> unpack(const ZipMember& member, const Input& archive, std::size_t limit, Buffer<char>& storage);

}  // namespace copse
