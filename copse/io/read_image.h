// Pictures in files: PNG, JPEG and PPM, told apart by their first bytes.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "copse/io/picture.h"

namespace copse {

struct ReadImageOptions {
  Index most_pixels = 100'000'000;  // a picture with more is refused before any memory is taken
};

struct ReadImage {
  Picture picture;
  std::vector<std::string> notes;  // sentences that the user should see
};

// Any of them becomes three bytes a pixel: grey counts three times, a palette is looked up, 16 bits lose their lower 8,
// what is transparent lies on white, and CMYK is multiplied out. Throws InputError with a sentence for anything that is
// no picture, ends early, is damaged, or is too large.
ReadImage read_image(const std::filesystem::path& path, const ReadImageOptions& options = {});
// The same for a file that is already in memory; its name is used for sentences.
ReadImage read_image(std::span<const char> bytes, const std::string& name, const ReadImageOptions& options = {});

// The numbers of a grey PNG (1 to 16 bits), of a palette's places, or of a .npy of whole numbers with two axes, as they
// stand in the file. Throws InputError for anything else.
LabelPicture read_labels(const std::filesystem::path& path, const ReadImageOptions& options = {});
LabelPicture read_labels(std::span<const char> bytes, const std::string& name, const ReadImageOptions& options = {});

// Whether a file begins as a PNG file does.
bool is_png(std::span<const char> bytes);

}  // namespace copse
