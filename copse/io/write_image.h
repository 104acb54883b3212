// Pictures as PNG and as .npy, in memory.
#pragma once

#include <string>

#include "copse/io/picture.h"

namespace copse {

// The bytes of a PNG file.
std::string png_bytes(const Picture& picture);
// Grey with 16 bits a pixel (`bits` = 8: with 8). Throws InvalidArgument for a label that does not fit.
std::string png_bytes(const LabelPicture& picture, int bits = 16);

// The bytes of a .npy file: an array of height x width, of 32-bit whole numbers.
std::string npy_bytes(const LabelPicture& picture);

}  // namespace copse
