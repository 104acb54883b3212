#include "copse/io/read_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
// jpeglib.h needs <cstdio> before it.
// clang-format off
#include <jpeglib.h>

#include <cstdio>
// clang-format on
#include <png.h>

#include <cstdlib>
#include <cstring>

#include "copse/base/error.h"
#include "copse/io/write_image.h"

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Picture colours(Index width, Index height) {
  Picture picture{.width = width, .height = height};
  for (Index p = 0; p < width * height; ++p) {
    for (Index c = 0; c < 3; ++c) picture.rgb.push_back(static_cast<std::uint8_t>((37 * p + 91 * c + 5) % 256));
  }
  return picture;
}

// A PNG file as libpng itself makes it, of any format.
std::string png_file(png_uint_32 width, png_uint_32 height, png_uint_32 format, const void* pixels) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = format;
  png_alloc_size_t size = 0;
  EXPECT_TRUE(png_image_write_get_memory_size(image, size, 0, pixels, 0, nullptr));
  std::string bytes(size, '\0');
  EXPECT_TRUE(png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels, 0, nullptr));
  bytes.resize(size);
  return bytes;
}

std::string jpeg_file(int width, int height, int components, J_COLOR_SPACE space, std::uint8_t value) {
  jpeg_compress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.input_components = components;
  jpeg.in_color_space = space;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(width * components), value);
  JSAMPROW rows = row.data();
  for (int y = 0; y < height; ++y) jpeg_write_scanlines(&jpeg, &rows, 1);
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return file;
}

std::string refusal(std::string_view bytes, const ReadImageOptions& options = {}) {
  try {
    read_image(bytes, "x", options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ReadImage, PngComesBackAsItWasWritten) {
  for (const auto& [w, h] : {std::pair<Index, Index>{1, 1}, {7, 5}, {1, 40}, {33, 2}})
    EXPECT_EQ(read_image(png_bytes(colours(w, h)), "x").picture, colours(w, h));
}

TEST(ReadImage, GreyCountsThreeTimesAndTransparencyLiesOnWhite) {
  const std::uint8_t grey[] = {0, 100, 255};
  EXPECT_THAT(read_image(png_file(3, 1, PNG_FORMAT_GRAY, grey), "x").picture.rgb,
              ElementsAre(0, 0, 0, 100, 100, 100, 255, 255, 255));
  const std::uint8_t alpha[] = {10, 20, 30, 255, 10, 20, 30, 0};
  const ReadImage read = read_image(png_file(2, 1, PNG_FORMAT_RGBA, alpha), "x");
  EXPECT_THAT(read.picture.rgb, ElementsAre(10, 20, 30, 255, 255, 255));
  EXPECT_THAT(read.notes, ElementsAre(HasSubstr("white")));
}

TEST(ReadImage, SixteenBitsBecomeEight) {
  LabelPicture wide{3, 1, {0, 0x8000, 0xffff}};
  const ReadImage read = read_image(png_bytes(wide), "x");
  EXPECT_THAT(read.picture.rgb, ElementsAre(0, 0, 0, 128, 128, 128, 255, 255, 255));
  EXPECT_THAT(read.notes, ElementsAre(HasSubstr("16 bits")));
}

TEST(ReadImage, JpegInGreyColoursAndInks) {
  EXPECT_THAT(read_image(jpeg_file(1, 1, 1, JCS_GRAYSCALE, 77), "x").picture.rgb, ElementsAre(77, 77, 77));
  EXPECT_THAT(read_image(jpeg_file(1, 1, 3, JCS_RGB, 200), "x").picture.rgb, ElementsAre(200, 200, 200));
  // Adobe's inks are inverted: 200 of each leaves 200 * 200 / 255 of the light.
  const ReadImage inks = read_image(jpeg_file(9, 9, 4, JCS_CMYK, 200), "x");
  EXPECT_NEAR(inks.picture.rgb[0], 200 * 200 / 255, 2);
  EXPECT_THAT(inks.notes, ElementsAre(HasSubstr("CMYK")));
}

TEST(ReadImage, PpmAsTextAndAsBytes) {
  const std::string text = "P3 # a comment\n2 1\n# another\n255\n1 2 3  250 251 252\n";
  EXPECT_THAT(read_image(text, "x").picture.rgb, ElementsAre(1, 2, 3, 250, 251, 252));
  EXPECT_THAT(read_image(std::string("P6 1 2 255\nabcdef"), "x").picture.rgb,
              ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
  EXPECT_THAT(read_image(std::string("P2 2 1 10 0 10"), "x").picture.rgb, ElementsAre(0, 0, 0, 255, 255, 255));
  EXPECT_THAT(read_image(std::string("P5 1 1 65535\n\x80\x00", 15), "x").picture.rgb, ElementsAre(128, 128, 128));
}

TEST(ReadImage, EveryPieceOfAFileIsRefusedWithASentence) {
  for (const std::string& whole :
       {png_bytes(colours(20, 20)), jpeg_file(40, 40, 3, JCS_RGB, 9),
        std::string("P6 4 4 255\n") + std::string(48, 'x'), std::string("P3 2 1 255 1 2 3 4 5 6")}) {
    ASSERT_EQ(refusal(whole), "");
    for (std::size_t size = 0; size + 1 < whole.size(); size += 1 + size / 8) {
      // The last bytes of PNG and JPEG say that the picture ends; without them it is there, and libjpeg warns.
      const std::string sentence = refusal(std::string_view(whole).substr(0, size));
      EXPECT_THAT(sentence, HasSubstr("x: ")) << size << " of " << whole.size();
      EXPECT_TRUE(sentence.ends_with(".")) << sentence;
    }
  }
  EXPECT_THAT(refusal("hello"), HasSubstr("no picture"));
  EXPECT_THAT(refusal("P6 0 4 255\n"), HasSubstr("no pixels"));
  EXPECT_THAT(refusal("P3 1 1 255 1 2 300"), HasSubstr("above the largest"));
  EXPECT_THAT(refusal("P6 x"), HasSubstr("no number"));
}

TEST(ReadImage, TooLargeAPictureIsRefusedFromItsHeader) {
  // Only headers: were any memory taken for the pixels, the files would be too short.
  EXPECT_THAT(refusal("P6 20000 20000 255\n"), HasSubstr("20000 x 20000 pixels, 400.0 million"));
  EXPECT_THAT(refusal("P6 99999999999 99999999999 255\n"), HasSubstr("Scale it down"));
  EXPECT_THAT(refusal(png_bytes(colours(20, 20)), {.most_pixels = 399}), HasSubstr("20 x 20"));
  EXPECT_THAT(refusal(jpeg_file(20, 20, 3, JCS_RGB, 9), {.most_pixels = 399}), HasSubstr("20 x 20"));
  EXPECT_EQ(refusal(png_bytes(colours(20, 20)), {.most_pixels = 400}), "");
}

TEST(ReadLabels, NumbersComeBackFromPngAndNpy) {
  const LabelPicture labels{3, 2, {0, 1, 255, 256, 40000, 65535}};
  EXPECT_EQ(read_labels(png_bytes(labels), "x"), labels);
  EXPECT_EQ(read_labels(npy_bytes(labels), "x"), labels);
  const LabelPicture bytes{2, 1, {3, 255}};
  EXPECT_EQ(read_labels(png_bytes(bytes, 8), "x"), bytes);
  EXPECT_THROW(png_bytes(LabelPicture{1, 1, {65536}}), InvalidArgument);
  EXPECT_THROW(png_bytes(LabelPicture{1, 1, {-1}}), InvalidArgument);
}

TEST(ReadLabels, RefusesColours) {
  EXPECT_THROW(read_labels(png_bytes(colours(2, 2)), "x"), InputError);
  EXPECT_THROW(read_labels(std::string_view("hello"), "x"), InputError);
  EXPECT_THROW(read_labels(png_bytes(LabelPicture{2, 2, {1, 2, 3, 4}}), "x", {.most_pixels = 3}), InputError);
}

}  // namespace
}  // namespace copse
