#include <span>

#include "copse/base/error.h"
#include "copse/io/read_image.h"
#include "copse/io/write_image.h"
#include "tests/fuzz/fuzz_reader.h"

// Any bytes give a picture that keeps its promises and survives a way through PNG, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  const std::span bytes(reinterpret_cast<const char*>(data), size);
  const ReadImageOptions options{.most_pixels = 1 << 18};
  try {
    const Picture picture = read_image(bytes, "x.png", options).picture;
    fuzz::require(picture.width > 0 && picture.height > 0 && picture.pixels() <= options.most_pixels);
    fuzz::require(static_cast<Index>(picture.rgb.size()) == 3 * picture.pixels());
    fuzz::require(read_image(png_bytes(picture), "y.png").picture == picture);
  } catch (const InputError&) {
  }
  try {
    const LabelPicture labels = read_labels(bytes, "x.png", options);
    fuzz::require(static_cast<Index>(labels.labels.size()) == labels.pixels() &&
                  labels.pixels() <= options.most_pixels);
  } catch (const InputError&) {
  }
  return 0;
}
