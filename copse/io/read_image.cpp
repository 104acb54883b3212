#include "copse/io/read_image.h"

// jpeglib.h needs <cstdio> before it.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on
#include <png.h>

#include <algorithm>
#include <cctype>
#include <csetjmp>
#include <cstring>

#include "copse/base/error.h"
#include "copse/io/input.h"
#include "copse/io/npy.h"

namespace copse {
namespace {

constexpr std::string_view png_mark("\x89PNG\r\n\x1a\n", 8);
constexpr std::string_view jpeg_mark("\xff\xd8\xff", 3);
constexpr std::string_view npy_mark("\x93NUMPY", 6);

bool begins(std::span<const char> bytes, std::string_view mark) {
  return bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), bytes.begin());
}

// Before any memory is taken. Sizes come from the header and may be anything.
void check_size(double width, double height, const std::string& name, const ReadImageOptions& options) {
  if (width < 1 || height < 1) fail(name, "the picture has no pixels.");
  const double pixels = width * height;
  if (pixels > static_cast<double>(options.most_pixels)) {
    char sentence[200];
    std::snprintf(
        sentence, sizeof sentence,
        "the picture has %.0f x %.0f pixels, %.1f million; at most %.1f million are read. Scale it down first.", width,
        height, pixels / 1e6, static_cast<double>(options.most_pixels) / 1e6);
    fail(name, sentence);
  }
}

void make_room(Picture& picture, double width, double height, const std::string& name,
               const ReadImageOptions& options) {
  check_size(width, height, name, options);
  picture.width = static_cast<Index>(width);
  picture.height = static_cast<Index>(height);
  picture.rgb.resize(3 * static_cast<std::size_t>(picture.pixels()));
}

// PNG -----------------------------------------------------------------------------------------------------------------

ReadImage read_png(std::span<const char> bytes, const std::string& name, const ReadImageOptions& options) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  const auto refuse = [&] {
    const std::string reason = image.message;
    png_image_free(&image);
    fail(name, "this PNG file is damaged or ends before the picture is complete (" + reason + ").");
  };
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) refuse();
  ReadImage read;
  try {
    make_room(read.picture, image.width, image.height, name, options);
  } catch (...) {
    png_image_free(&image);
    throw;
  }
  if ((image.format & PNG_FORMAT_FLAG_ALPHA) != 0)
    read.notes.push_back("what is transparent in the picture was put on white.");
  if ((image.format & PNG_FORMAT_FLAG_LINEAR) != 0)
    read.notes.push_back("the picture has 16 bits a channel; the upper 8 are used.");
  // Numbers of 16 bits are taken as they are written, as those of 8 bits are.
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  image.format = PNG_FORMAT_RGB;
  const png_color white = {255, 255, 255};
  if (png_image_finish_read(&image, &white, read.picture.rgb.data(), 0, nullptr) == 0) refuse();
  return read;
}

// The numbers as they stand in the file need libpng's lower level.
struct PngBytes {
  std::span<const char> bytes;
  std::size_t place = 0;
  char message[128] = {};
};

void next_png_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* source = static_cast<PngBytes*>(png_get_io_ptr(png));
  if (count > source->bytes.size() - source->place) png_error(png, "it ends early");
  std::memcpy(out, source->bytes.data() + source->place, count);
  source->place += count;
}

[[noreturn]] void png_failed(png_structp png, const char* message) {
  auto* source = static_cast<PngBytes*>(png_get_error_ptr(png));
  std::snprintf(source->message, sizeof source->message, "%s", message);
  png_longjmp(png, 1);
}

void png_warned(png_structp /*png*/, const char* /*message*/) {}

struct PngHeader {
  std::uint32_t width = 0, height = 0;
  int bits = 0, colour = 0;
};

// libpng leaves by longjmp: nothing with a destructor lives in these.
bool read_png_header(png_structp png, png_infop info, PngBytes* source, PngHeader* header) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_read_fn(png, source, next_png_bytes);
  png_read_info(png, info);
  int interlace = 0;
  png_get_IHDR(png, info, &header->width, &header->height, &header->bits, &header->colour, &interlace, nullptr,
               nullptr);
  png_set_packing(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool read_png_rows(png_structp png, png_bytep* rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

LabelPicture read_png_labels(std::span<const char> bytes, const std::string& name, const ReadImageOptions& options) {
  PngBytes source{.bytes = bytes};
  struct Reader {
    png_structp png = nullptr;
    png_infop info = nullptr;
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  } reader;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, png_failed, png_warned);
  if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) throw std::bad_alloc();
  const auto refuse = [&] {
    fail(name,
         "this PNG file is damaged or ends before the picture is complete (" + std::string(source.message) + ").");
  };
  PngHeader header;
  if (!read_png_header(reader.png, reader.info, &source, &header)) refuse();
  if (header.colour != PNG_COLOR_TYPE_GRAY && header.colour != PNG_COLOR_TYPE_PALETTE)
    fail(name, "a picture of labels has one number a pixel: a grey PNG file, or one with a palette.");
  check_size(header.width, header.height, name, options);
  const std::size_t width = header.width, height = header.height, sample = header.bits == 16 ? 2 : 1;
  std::vector<std::uint8_t> samples(width * height * sample);
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < height; ++y) rows[y] = samples.data() + y * width * sample;
  if (!read_png_rows(reader.png, rows.data())) refuse();
  LabelPicture picture{.width = header.width, .height = header.height};
  picture.labels.reserve(width * height);
  for (std::size_t p = 0; p < width * height; ++p)
    picture.labels.push_back(sample == 1 ? samples[p] : 256 * samples[2 * p] + samples[2 * p + 1]);
  return picture;
}

// JPEG ----------------------------------------------------------------------------------------------------------------

struct JpegErrors {
  jpeg_error_mgr manager;  // first, so that libjpeg's pointer to it is one to this
  std::jmp_buf leave;
  char message[JMSG_LENGTH_MAX] = {};
  bool ended_early = false;
  bool damaged = false;
};

[[noreturn]] void jpeg_failed(j_common_ptr jpeg) {
  auto* errors = reinterpret_cast<JpegErrors*>(jpeg->err);
  jpeg->err->format_message(jpeg, errors->message);
  std::longjmp(errors->leave, 1);
}

// Level -1 is a warning: libjpeg goes on with grey where data are missing. Copse does not.
void jpeg_warned(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  auto* errors = reinterpret_cast<JpegErrors*>(jpeg->err);
  const int code = jpeg->err->msg_code;
  if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER) errors->ended_early = true;
  if (code == JWRN_HUFF_BAD_CODE || code == JWRN_BOGUS_PROGRESSION || code == JWRN_MUST_RESYNC) errors->damaged = true;
}

// libjpeg leaves by longjmp: nothing with a destructor lives in these.
bool read_jpeg_header(jpeg_decompress_struct* jpeg, JpegErrors* errors, std::span<const char> bytes) {
  if (setjmp(errors->leave)) return false;
  jpeg_create_decompress(jpeg);
  jpeg_mem_src(jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(jpeg, TRUE);
  const bool four = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
  jpeg->out_color_space = four ? JCS_CMYK : JCS_RGB;
  return true;
}

bool read_jpeg_rows(jpeg_decompress_struct* jpeg, JpegErrors* errors, std::uint8_t* rgb, std::uint8_t* four_row) {
  if (setjmp(errors->leave)) return false;
  jpeg_start_decompress(jpeg);
  const std::size_t width = jpeg->output_width;
  const bool four = jpeg->output_components == 4;
  // Adobe's programs write inverted inks, and mark the file.
  const bool inverted = jpeg->saw_Adobe_marker;
  while (jpeg->output_scanline < jpeg->output_height) {
    std::uint8_t* out = rgb + 3 * width * jpeg->output_scanline;
    JSAMPROW row = four ? four_row : out;
    jpeg_read_scanlines(jpeg, &row, 1);
    if (!four) continue;
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        const int light = inverted ? four_row[4 * x + c] : 255 - four_row[4 * x + c];
        const int key = inverted ? four_row[4 * x + 3] : 255 - four_row[4 * x + 3];
        out[3 * x + c] = static_cast<std::uint8_t>((light * key + 127) / 255);
      }
    }
  }
  jpeg_finish_decompress(jpeg);
  return true;
}

ReadImage read_jpeg(std::span<const char> bytes, const std::string& name, const ReadImageOptions& options) {
  JpegErrors errors;
  struct Reader {
    jpeg_decompress_struct jpeg;
    ~Reader() { jpeg_destroy_decompress(&jpeg); }
  } reader;
  std::memset(&reader.jpeg, 0, sizeof reader.jpeg);
  reader.jpeg.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = jpeg_failed;
  errors.manager.emit_message = jpeg_warned;
  const auto refuse = [&] { fail(name, "this JPEG file is damaged (" + std::string(errors.message) + ")."); };
  if (!read_jpeg_header(&reader.jpeg, &errors, bytes)) refuse();
  ReadImage read;
  make_room(read.picture, reader.jpeg.image_width, reader.jpeg.image_height, name, options);
  std::vector<std::uint8_t> row;
  if (reader.jpeg.out_color_space == JCS_CMYK) {
    row.resize(4 * static_cast<std::size_t>(read.picture.width));
    read.notes.push_back("the picture has four inks (CMYK), which were multiplied out to red, green and blue.");
  }
  if (!read_jpeg_rows(&reader.jpeg, &errors, read.picture.rgb.data(), row.data())) refuse();
  if (errors.ended_early) fail(name, "this JPEG file ends before the picture is complete.");
  if (errors.damaged) fail(name, "this JPEG file is damaged.");
  return read;
}

// PPM and PGM ---------------------------------------------------------------------------------------------------------

class NetpbmReader {
 public:
  NetpbmReader(std::span<const char> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  ReadImage read(const ReadImageOptions& options) {
    const char kind = bytes_[1];  // 2 and 5: grey; 3 and 6: colours; 2 and 3 as text
    const bool text = kind == '2' || kind == '3';
    const int channels = kind == '3' || kind == '6' ? 3 : 1;
    place_ = 2;
    const double width = number("the width"), height = number("the height"), largest = number("the largest value");
    if (largest < 1 || largest > 65535) fail(name_, "the largest value of a PPM file must be between 1 and 65535.");
    if (!text && (place_ >= bytes_.size() || !is_space(bytes_[place_++]))) ends();
    ReadImage read;
    check_size(width, height, name_, options);
    const std::size_t sample = largest > 255 ? 2 : 1;
    const double needed = width * height * channels * (text ? 2.0 : static_cast<double>(sample)) - (text ? 1 : 0);
    if (static_cast<double>(bytes_.size() - place_) < needed) ends();
    make_room(read.picture, width, height, name_, options);
    if (sample == 2) read.notes.push_back("the picture has 16 bits a channel; the upper 8 are used.");
    for (Index p = 0; p < read.picture.pixels(); ++p) {
      for (int c = 0; c < channels; ++c) {
        double value = 0;
        if (text) {
          value = number("a pixel");
        } else {
          for (std::size_t b = 0; b < sample; ++b) value = 256 * value + static_cast<unsigned char>(bytes_[place_++]);
        }
        if (value > largest) fail(name_, "a pixel is above the largest value that this PPM file declares.");
        const auto byte = static_cast<std::uint8_t>(value * 255 / largest + 0.5);
        if (channels == 3)
          read.picture.pixel(p)[static_cast<std::size_t>(c)] = byte;
        else
          std::ranges::fill(read.picture.pixel(p), byte);
      }
    }
    return read;
  }

 private:
  static bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
  [[noreturn]] void ends() const { fail(name_, "this PPM file ends before the picture is complete."); }

  // A whole number after spaces and comments.
  double number(const char* what) {
    while (place_ < bytes_.size() && (is_space(bytes_[place_]) || bytes_[place_] == '#')) {
      if (bytes_[place_] == '#') {
        while (place_ < bytes_.size() && bytes_[place_] != '\n') ++place_;
      } else {
        ++place_;
      }
    }
    if (place_ >= bytes_.size()) ends();
    double value = 0;
    const std::size_t begin = place_;
    while (place_ < bytes_.size() && bytes_[place_] >= '0' && bytes_[place_] <= '9')
      value = std::min(1e12, 10 * value + (bytes_[place_++] - '0'));
    if (place_ == begin) fail(name_, std::string("this PPM file has no number where ") + what + " should be.");
    return value;
  }

  std::span<const char> bytes_;
  const std::string& name_;
  std::size_t place_ = 0;
};

}  // namespace

bool is_png(std::span<const char> bytes) { return begins(bytes, png_mark); }

ReadImage read_image(std::span<const char> bytes, const std::string& name, const ReadImageOptions& options) {
  if (is_png(bytes)) return read_png(bytes, name, options);
  if (begins(bytes, jpeg_mark)) return read_jpeg(bytes, name, options);
  if (bytes.size() > 2 && bytes[0] == 'P' && std::strchr("2356", bytes[1]) != nullptr)
    return NetpbmReader(bytes, name).read(options);
  fail(name, "this is no picture that copse reads: a PNG, JPEG, PPM or PGM file.");
}

ReadImage read_image(const std::filesystem::path& path, const ReadImageOptions& options) {
  const Input input = Input::open(path);
  return read_image(input.bytes(), input.name(), options);
}

LabelPicture read_labels(std::span<const char> bytes, const std::string& name, const ReadImageOptions& options) {
  if (is_png(bytes)) return read_png_labels(bytes, name, options);
  if (!begins(bytes, npy_mark))
    fail(name, "this is no picture of labels: a grey PNG file, or a .npy of whole numbers.");
  const NpyArray array = parse_npy(bytes, name);
  if (array.shape.size() != 2 || !array.type.is_whole_number() || array.fortran)
    fail(name, "a .npy of labels has two axes, height x width, and whole numbers in rows.");
  check_size(static_cast<double>(array.shape[1]), static_cast<double>(array.shape[0]), name, options);
  LabelPicture picture{.width = array.shape[1], .height = array.shape[0]};
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(array.count()));
  convert(array, 0, array.count(), numbers.data());
  picture.labels.assign(numbers.begin(), numbers.end());
  return picture;
}

LabelPicture read_labels(const std::filesystem::path& path, const ReadImageOptions& options) {
  const Input input = Input::open(path);
  return read_labels(input.bytes(), input.name(), options);
}

}  // namespace copse
