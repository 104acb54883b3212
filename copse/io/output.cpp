#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>

#include "copse/base/error.h"
#include "copse/io/matrix_writers.h"
#include "copse/io/output_file.h"

namespace copse {

struct Output::State {
  State(const std::filesystem::path& path, Compression compression)
      : file(path), compression(compression), buffer(std::size_t{1} << 17, '\0') {
    if (compression == Compression::gzip &&
        deflateInit2(&gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
    if (compression == Compression::zstd && (zstd = ZSTD_createCStream()) == nullptr) throw std::bad_alloc();
    if (zstd != nullptr) ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
  }
  ~State() {
    if (compression == Compression::gzip) deflateEnd(&gzip);
    ZSTD_freeCStream(zstd);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void deflate_all(std::string_view bytes, int flush) {
    gzip.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    gzip.avail_in = static_cast<uInt>(bytes.size());
    do {
      gzip.next_out = reinterpret_cast<Bytef*>(buffer.data());
      gzip.avail_out = static_cast<uInt>(buffer.size());
      deflate(&gzip, flush);
      file.write(buffer.data(), buffer.size() - gzip.avail_out);
    } while (gzip.avail_out == 0);
  }

  void zstd_all(std::string_view bytes, ZSTD_EndDirective end) {
    ZSTD_inBuffer source{bytes.data(), bytes.size(), 0};
    std::size_t left = 1;
    while (source.pos < source.size || (end == ZSTD_e_end && left != 0)) {
      ZSTD_outBuffer target{buffer.data(), buffer.size(), 0};
      left = ZSTD_compressStream2(zstd, &target, &source, end);
      if (ZSTD_isError(left)) throw OutputError(file.path().string() + ": " + ZSTD_getErrorName(left) + ".");
      file.write(buffer.data(), target.pos);
    }
  }

  OutputFile file;
  Compression compression;
  std::string buffer;
  z_stream gzip{};
  ZSTD_CStream* zstd = nullptr;
};

Output::Output(const std::filesystem::path& path, Compression compression)
    : state_(std::make_unique<State>(path, compression)) {}

Output::~Output() = default;

void Output::write(std::string_view bytes) {
  // zlib counts in 32 bits.
  for (constexpr std::size_t most = std::size_t{1} << 30; !bytes.empty();) {
    const std::string_view part = bytes.substr(0, most);
    bytes.remove_prefix(part.size());
    if (state_->compression == Compression::gzip) {
      state_->deflate_all(part, Z_NO_FLUSH);
    } else if (state_->compression == Compression::zstd) {
      state_->zstd_all(part, ZSTD_e_continue);
    } else {
      state_->file.write(part);
    }
  }
}

void Output::commit() {
  if (state_->compression == Compression::gzip) state_->deflate_all({}, Z_FINISH);
  if (state_->compression == Compression::zstd) state_->zstd_all({}, ZSTD_e_end);
  state_->file.commit();
}

}  // namespace copse
