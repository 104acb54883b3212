// The result of a segmentation whose files are damaged, by values or by bytes, is summed up and made a page of, or
// refused with a sentence.
#include <limits>
#include <nlohmann/json.hpp>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/write_image.h"
#include "copse/report/segment_report.h"
#include "copse/run/segment_run.h"
#include "tests/fuzz/fuzz_folder.h"
#include "tests/fuzz/fuzz_json.h"

namespace copse::fuzz {
namespace {

constexpr const char* parts[] = {"segmentations.npy", "picture.png", "overlay.png", "segments.png", "boundaries.png"};

struct Base {
  Base() {
    Picture picture;
    picture.width = 12;
    picture.height = 10;
    for (Index y = 0; y < picture.height; ++y) {
      for (Index x = 0; x < picture.width; ++x) {
        for (const int value : {x < 6 ? 200 : 30, y < 5 ? 180 : 20, 90})
          picture.rgb.push_back(static_cast<std::uint8_t>(value));
      }
    }
    SegmentRunOptions options;
    options.path = "picture.ppm";
    options.segments = 3;
    options.segment.rank = 4;
    options.segment.superpixels = 6;
    options.segment.graph.radius = 3;
    SegmentResult result = run_segment(options, picture);
    {
      OutputFolder made(folder.path() / "made", false);
      write_result(made, result, false);
    }
    for (const char* name : parts) files.push_back(read_file(folder.path() / "made" / name));
    json = Json::parse(read_file(folder.path() / "made" / "result.json"));
  }
  Folder folder;
  std::vector<std::string> files;
  Json json;
};

}  // namespace
}  // namespace copse::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  using namespace copse::fuzz;
  static const Base base;
  Bytes bytes(data, size);
  const std::filesystem::path folder = base.folder.path() / "damaged";
  std::filesystem::create_directories(folder);
  const std::size_t chosen = bytes.byte() % (2 * std::size(parts));
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    std::string file = base.files[i];
    if (i == chosen) {
      for (std::size_t left = bytes.byte() % 8; left-- > 0;) file[bytes.below(file.size())] = char(bytes.byte());
      if (bytes.byte() % 4 == 0) file.resize(bytes.below(file.size()));
    }
    write_file(folder / parts[i], file);
  }
  Json json = base.json;
  for (std::size_t left = bytes.byte() % 4; left-- > 0;) damage(bytes, json);
  write_file(folder / "result.json", json.dump(-1, ' ', false, Json::error_handler_t::replace));
  with_threads(1, nullptr, [&] {
    try {
      const StoredResult stored(folder.string());
      read_segment_summary(stored);
      segment_page(stored);
    } catch (const InputError&) {
    } catch (const InvalidArgument&) {
    }
  });
  return 0;
}
