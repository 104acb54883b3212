#include "copse/io/byte_source.h"

#include "copse/base/buffer.h"
#include "copse/io/descriptor.h"

namespace copse {
namespace {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) : ByteSource(path.string()), file_(open_to_read(path)) {
    bytes_.resize(std::size_t{1} << 18);
  }

  std::span<const char> more() override { return {bytes_.data(), read_some(file_, bytes_, name())}; }

 private:
  Descriptor file_;
  Buffer<char> bytes_;
};

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path) {
  return std::make_unique<FileSource>(path);
}

}  // namespace copse
