#include "copse/io/write_image.h"

#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstdint>
#include <limits>

#include "copse/base/error.h"
#include "copse/io/npy.h"

namespace copse {
namespace {

void append_bytes(png_structp png, png_bytep data, std::size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), count);
}

void flush_nothing(png_structp /*png*/) {}

// libpng leaves by longjmp: nothing with a destructor lives in here.
bool write_rows(png_structp png, png_infop info, std::string* out, std::uint32_t width, std::uint32_t height, int bits,
                int colour, const std::uint8_t* rows, std::size_t row_bytes) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_write_fn(png, out, append_bytes, flush_nothing);
  png_set_compression_level(png, 6);
  png_set_IHDR(png, info, width, height, bits, colour, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (std::uint32_t y = 0; y < height; ++y) png_write_row(png, rows + y * row_bytes);
  png_write_end(png, info);
  return true;
}

std::string png_of(Index width, Index height, int bits, int colour, const std::uint8_t* rows, std::size_t row_bytes) {
  if (width < 1 || height < 1) throw InvalidArgument("a picture needs at least one pixel");
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  const bool done = info != nullptr && write_rows(png, info, &out, static_cast<std::uint32_t>(width),
                                                  static_cast<std::uint32_t>(height), bits, colour, rows, row_bytes);
  png_destroy_write_struct(&png, &info);
  if (!done) throw OutputError("the picture could not be packed as PNG");
  return out;
}

}  // namespace

std::string png_bytes(const Picture& picture) {
  return png_of(picture.width, picture.height, 8, PNG_COLOR_TYPE_RGB, picture.rgb.data(),
                3 * static_cast<std::size_t>(picture.width));
}

std::string png_bytes(const LabelPicture& picture, int bits) {
  const Index most = bits == 8 ? 255 : 65535;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(picture.labels.size() * static_cast<std::size_t>(bits / 8));
  for (const Index label : picture.labels) {
    if (label < 0 || label > most)
      throw InvalidArgument("a PNG file of " + std::to_string(bits) + " bits has no place for the label " +
                            std::to_string(label));
    if (bits == 16) bytes.push_back(static_cast<std::uint8_t>(label >> 8));  // the high byte comes first
    bytes.push_back(static_cast<std::uint8_t>(label & 255));
  }
  return png_of(picture.width, picture.height, bits, PNG_COLOR_TYPE_GRAY, bytes.data(),
                static_cast<std::size_t>(picture.width * (bits / 8)));
}

std::string npy_bytes(const LabelPicture& picture) {
  const Index shape[] = {picture.height, picture.width};
  std::string out = npy_header(std::endian::native == std::endian::little ? "<i4" : ">i4", false, shape);
  std::vector<std::int32_t> numbers;
  numbers.reserve(picture.labels.size());
  for (const Index label : picture.labels) {
    if (label < std::numeric_limits<std::int32_t>::min() || label > std::numeric_limits<std::int32_t>::max())
      throw InvalidArgument("32 bits have no place for the label " + std::to_string(label));
    numbers.push_back(static_cast<std::int32_t>(label));
  }
  return out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int32_t));
}

}  // namespace copse
