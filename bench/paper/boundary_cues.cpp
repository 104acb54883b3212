// The boundary cues of pictures, for bench/fit_boundary.py: boundary_cues PICTURE OUT.npy ...
#include <cstdio>
#include <fstream>

#include "copse/base/error.h"
#include "copse/image/boundary_cue.h"
#include "copse/io/npy.h"
#include "copse/io/read_image.h"

int main(int argc, char** argv) {
  using namespace copse;
  try {
    for (int i = 1; i + 1 < argc; i += 2) {
      const Picture picture = read_image(argv[i]).picture;
      const PixelShape shape = shape_within({picture.width, picture.height}, 38400);
      const BoundaryCues cues = boundary_cues(lab_of(scaled_down(picture, shape)));
      const Index axes[] = {shape.height, shape.width, cue_orientations, static_cast<Index>(cue_count)};
      std::ofstream file(argv[i + 1], std::ios::binary);
      file << npy_header("<f4", false, axes);
      file.write(reinterpret_cast<const char*>(cues.values.data()),
                 static_cast<std::streamsize>(cues.values.size() * sizeof(CueVector)));
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
