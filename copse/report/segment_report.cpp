#include "copse/report/segment_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "copse/base/error.h"
#include "copse/image/regions.h"
#include "copse/io/input.h"
#include "copse/io/npy.h"
#include "copse/io/read_image.h"
#include "copse/io/write_image.h"
#include "copse/measure/boundaries.h"
#include "copse/model/result_file.h"
#include "copse/model/result_json.h"
#include "copse/options/wording.h"
#include "copse/report/page.h"
#include "copse/report/page_text.h"
#include "copse/report/result_page.h"
#include "copse/report/write_result.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

// Every segmentation is on the page, so that a reader can go through them, unless they take more than this.
constexpr std::size_t most_level_bytes = 8'000'000;

Json json_of(const SegmentSummary& summary) {
  Json segments = Json::array();
  const auto all = static_cast<double>(std::max<Index>(1, summary.shape.pixels()));
  for (const SegmentFacts& segment : summary.segments) {
    segments.push_back({{"segment", segments.size()},
                        {"pixels", segment.pixels},
                        {"share", static_cast<double>(segment.pixels) / all},
                        {"colour", {std::lround(segment.red), std::lround(segment.green), std::lround(segment.blue)}},
                        {"centre", {std::round(10 * segment.x) / 10, std::round(10 * segment.y) / 10}}});
  }
  return {{"picture",
           {{"width", summary.shape.width},
            {"height", summary.shape.height},
            {"working_width", summary.working.width},
            {"working_height", summary.working.height}}},
          {"levels", summary.levels},
          {"segments", segments}};
}

LabelPicture at_view_size(const Segmentations& all, std::size_t level, const Picture& picture) {
  const PixelShape shape{picture.width, picture.height};
  return {shape.width, shape.height, scaled_up(all.levels[level].labels, all.shape, shape)};
}

std::string data_uri(std::string_view png) {
  return "data:image/png;base64," + base64_of_bytes({reinterpret_cast<const std::uint8_t*>(png.data()), png.size()});
}

// What the page is made of, at the size of the view. web/src/segment_view.ts has the reader's side.
struct PagePictures {
  std::string picture, overlay, segments, boundaries;  // PNG
  std::vector<std::string> levels;                     // of the labels of every segmentation: PNG, 8 bits
};

// None where they would make the page too large, or have more segments than a byte can count.
std::vector<std::string> level_pictures(const Segmentations& all, const Picture& picture) {
  std::vector<std::string> levels;
  std::size_t bytes = 0;
  for (std::size_t level = 0; level < all.levels.size() && bytes <= most_level_bytes; ++level) {
    if (all.levels[level].segments > 256) return {};
    levels.push_back(png_bytes(at_view_size(all, level, picture), 8));
    bytes += levels.back().size();
  }
  return bytes > most_level_bytes ? std::vector<std::string>() : levels;
}

// All segmentations at the working size: an array of levels x height x width, of 16 bits.
std::string npy_bytes(const Segmentations& all) {
  const Index axes[] = {static_cast<Index>(all.levels.size()), all.shape.height, all.shape.width};
  std::string out = npy_header(std::endian::native == std::endian::little ? "<u2" : ">u2", false, axes);
  for (const Segmentation& level : all.levels) {
    for (const Index label : level.labels) {
      const auto number = static_cast<std::uint16_t>(label);
      out.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
  }
  return out;
}

// More than `copse segment` makes would take time and room on the page out of proportion to the file.
constexpr Index most_levels = 1000;

Segmentations read_segmentations(const Input& input) {
  const NpyArray array = parse_npy(input.bytes(), input.name());
  if (array.shape.size() != 3 || !array.type.is_whole_number() || array.fortran || array.count() == 0 ||
      array.shape[0] > most_levels)
    fail(input.name(), "this does not hold segmentations: levels x height x width.");
  Segmentations all;
  all.shape = {array.shape[2], array.shape[1]};
  for (Index level = 0; level < array.shape[0]; ++level) {
    const Index n = all.shape.pixels();
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
    convert(array, level * n, (level + 1) * n, numbers.data());
    std::vector<Index> labels(numbers.begin(), numbers.end());
    const Index segments = number_by_first_pixel(labels);
    all.levels.push_back({segments, std::move(labels)});
  }
  return all;
}

std::string page_of(const RunReport& report, const SegmentSummary& summary, const PagePictures& pictures,
                    const std::string& title) {
  const std::filesystem::path path(text_setting(report.settings, "picture"));
  PageHead head{
      .title = !title.empty() ? title
               : path.empty() ? "Segments"
                              : path.filename().string(),
      .command = "copse segment " + path.string(),
      .settings = report.settings,
      .facts = {{"version", "copse " + report.version},
                {"seed", std::to_string(report.seed)},
                {"graph", fmt::format("{}, {} entries", counted(report.rows, "pixel"), counted(report.nonzeros))}},
      .notes = report.notes};
  for (const auto& step : steps_of(report.seconds)) head.facts.push_back(step);
  Json json = json_of(head);
  json["kind"] = "segmentation";
  json.update(json_of(summary));
  json["pictures"] = {{"picture", data_uri(pictures.picture)},
                      {"overlay", data_uri(pictures.overlay)},
                      {"segments", data_uri(pictures.segments)},
                      {"boundaries", data_uri(pictures.boundaries)}};
  json["level_labels"] = Json::array();
  for (const std::string& level : pictures.levels) json["level_labels"].push_back(data_uri(level));
  return page_around(script_json(json));
}

// A number of result.json between two others. Throws as Json does for one that is missing.
double number_at(const Json& value, double least, double most) {
  const auto number = value.get<double>();
  if (!(number >= least && number <= most))
    throw InputError(fmt::format("the {} of a segmentation is out of range in result.json.", number));
  return number;
}
Index count_at(const Json& value) { return static_cast<Index>(number_at(value, 1, 0x1p31)); }

// A picture in the folder, which may come from elsewhere: what is no picture does not get into a page.
struct StoredPicture {
  StoredPicture(const StoredResult& stored, const char* name) {
    const Input input = open_in_result(stored.folder, name);
    bytes.assign(input.bytes().data(), input.bytes().size());
    picture = read_image(bytes, stored.folder + "/" + name).picture;
  }
  std::string bytes;
  Picture picture;
};

}  // namespace

Picture outlined(const Picture& picture, const LabelPicture& labels) {
  Picture out = picture;
  const Index w = labels.width, h = labels.height;
  for (Index y = 0; y < h; ++y) {
    for (Index x = 0; x < w; ++x) {
      const Index p = y * w + x, label = labels.labels[p];
      const bool edge = (x > 0 && labels.labels[p - 1] != label) || (x + 1 < w && labels.labels[p + 1] != label) ||
                        (y > 0 && labels.labels[p - w] != label) || (y + 1 < h && labels.labels[p + w] != label);
      if (!edge) continue;
      const auto pixel = out.pixel(p);
      pixel[0] = 255;
      pixel[1] = 32;
      pixel[2] = 32;
    }
  }
  return out;
}

Picture in_mean_colours(const Picture& picture, const LabelPicture& labels) {
  const Index most = *std::max_element(labels.labels.begin(), labels.labels.end()) + 1;
  std::vector<double> sum(static_cast<std::size_t>(3 * most), 0.0), count(static_cast<std::size_t>(most), 0.0);
  for (Index p = 0; p < picture.pixels(); ++p) {
    const auto pixel = picture.pixel(p);
    for (Index c = 0; c < 3; ++c) sum[3 * labels.labels[p] + c] += pixel[c];
    count[labels.labels[p]] += 1;
  }
  Picture out = picture;
  for (Index p = 0; p < picture.pixels(); ++p) {
    const Index label = labels.labels[p];
    for (Index c = 0; c < 3; ++c)
      out.pixel(p)[c] = static_cast<std::uint8_t>(std::lround(sum[3 * label + c] / count[label]));
  }
  return out;
}

std::string segment_json(const SegmentResult& result) {
  Json json = json_of(result.report);
  for (const char* absent :
       {"runs", "zero_share", "items_without_cluster", "topics", "history", "projected_gradient_ratio"})
    json.erase(absent);
  json.update(json_of(result.summary));
  return indented(json);
}

void write_result(OutputFolder& folder, SegmentResult& result, bool page) {
  const Stopwatch writing;
  result.report.kind = "segments";
  PagePictures pictures;
  const LabelPicture view = at_view_size(result.all, result.chosen, result.picture);
  pictures.picture = png_bytes(result.picture);
  pictures.overlay = png_bytes(outlined(result.picture, view));
  pictures.segments = png_bytes(in_mean_colours(result.picture, view));
  LabelPicture boundaries{view.width, view.height};
  for (const double value : boundary_map(result.all, {view.width, view.height}))
    boundaries.labels.push_back(std::lround(255 * value));
  pictures.boundaries = png_bytes(boundaries, 8);
  folder.add("labels.png").write(png_bytes(result.labels));
  folder.add("labels.npy").write(npy_bytes(result.labels));
  folder.add("segmentations.npy").write(npy_bytes(result.all));
  folder.add("picture.png").write(pictures.picture);
  folder.add("overlay.png").write(pictures.overlay);
  folder.add("segments.png").write(pictures.segments);
  folder.add("boundaries.png").write(pictures.boundaries);
  const auto html = [&] {
    pictures.levels = level_pictures(result.all, result.picture);
    return page_of(result.report, result.summary, pictures, "");
  };
  if (page) write_page(folder, result.report, html);
  finish_result(folder, writing, result.clock, result.report, [&] { return segment_json(result); });
}

SegmentSummary read_segment_summary(const StoredResult& stored) {
  const std::string path = stored.folder + "/result.json";
  try {
    const Input input = open_in_result(stored.folder, "result.json");
    const Json root = Json::parse(input.bytes().begin(), input.bytes().end());
    SegmentSummary summary;
    const Json& picture = root.at("picture");
    summary.shape = {count_at(picture.at("width")), count_at(picture.at("height"))};
    summary.working = {count_at(picture.at("working_width")), count_at(picture.at("working_height"))};
    for (const Json& level : root.at("levels")) summary.levels.push_back(count_at(level));
    if (summary.levels.empty()) throw InputError(path + " has no segmentation.");
    for (const Json& entry : root.at("segments")) {
      const auto colour = [&](int c) { return number_at(entry.at("colour").at(c), 0, 255); };
      const auto centre = [&](int c) { return number_at(entry.at("centre").at(c), -1, 0x1p31); };
      summary.segments.push_back({count_at(entry.at("pixels")), colour(0), colour(1), colour(2), centre(0), centre(1)});
    }
    return summary;
  } catch (const nlohmann::json::exception&) {
    throw InputError(path + " is not the result of a segmentation.");
  }
}

std::string segment_page(const StoredResult& stored, const std::string& title) {
  const StoredPicture picture(stored, "picture.png");
  const PagePictures pictures{.picture = picture.bytes,
                              .overlay = StoredPicture(stored, "overlay.png").bytes,
                              .segments = StoredPicture(stored, "segments.png").bytes,
                              .boundaries = StoredPicture(stored, "boundaries.png").bytes,
                              .levels = level_pictures(read_segmentations(stored.model), picture.picture)};
  return page_of(stored.report, read_segment_summary(stored), pictures, title);
}

}  // namespace copse
