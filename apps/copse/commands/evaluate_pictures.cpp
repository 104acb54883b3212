#include "apps/copse/commands/evaluate_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"
#include "copse/base/error.h"
#include "copse/io/input.h"
#include "copse/io/read_image.h"
#include "copse/measure/boundaries.h"
#include "copse/measure/regions.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

constexpr int thresholds = 99;  // as the Berkeley benchmark has them

Json json_of(const BoundaryCounts& counts) {
  return {{"precision", counts.precision()},
          {"recall", counts.recall()},
          {"f", counts.f()},
          {"found", counts.found},
          {"found_matched", counts.found_matched},
          {"truth", counts.truth},
          {"truth_matched", counts.truth_matched}};
}

std::string text_of(const BoundaryCounts& counts) {
  return fmt::format("precision  {:.4f}\nrecall     {:.4f}\nf          {:.4f}\n", counts.precision(), counts.recall(),
                     counts.f());
}

// A byte is a strength from 0 to 1, and so are two.
std::vector<double> strengths_of(const LabelPicture& map) {
  const Index largest = *std::max_element(map.labels.begin(), map.labels.end());
  const double scale = largest > 255 ? 65535 : 255;
  std::vector<double> strength;
  for (const Index value : map.labels) strength.push_back(static_cast<double>(value) / scale);
  return strength;
}

}  // namespace

bool is_label_picture(const std::string& path) {
  if (path == "-") return false;
  const Input input = Input::open(path);
  return is_png(input.bytes()) || std::string_view(input.bytes().data(), input.bytes().size()).starts_with("\x93NUMPY");
}

int evaluate_pictures(const std::string& found, const std::vector<std::string>& truths, bool map,
                      const OutputOptions& output) {
  const LabelPicture labels = read_labels(found);
  const PixelShape shape{labels.width, labels.height};
  std::vector<LabelPicture> people;
  std::vector<Mask> boundaries;
  for (const std::string& path : truths) {
    people.push_back(read_labels(path));
    const LabelPicture& person = people.back();
    if (person.width != labels.width || person.height != labels.height) {
      throw InputError(fmt::format("{} has {} x {} pixels and {} has {} x {}; both must have the same.", found,
                                   labels.width, labels.height, path, person.width, person.height));
    }
    boundaries.push_back(boundaries_between(person.labels, shape));
  }
  Json json = {{"pixels", shape.pixels()}, {"people", people.size()}};
  std::string text;
  if (map) {
    std::vector<double> levels;
    for (int t = 1; t <= thresholds; ++t) levels.push_back(static_cast<double>(t) / (thresholds + 1));
    const std::vector<BoundaryPoint> curve = boundary_curve(strengths_of(labels), boundaries, shape, levels);
    const BoundaryPoint& best = best_point(curve);
    json.update(json_of(best.counts));
    json["threshold"] = best.threshold;
    json["curve"] = Json::array();
    for (const BoundaryPoint& point : curve) {
      Json entry = {{"threshold", point.threshold}};
      entry.update(json_of(point.counts));
      json["curve"].push_back(entry);
    }
    text = text_of(best.counts) + fmt::format("threshold  {:.2f}\n", best.threshold);
  } else {
    const BoundaryCounts counts = compare_boundaries(boundaries_between(labels.labels, shape), boundaries, shape);
    double covering = 0, information = 0;
    for (const LabelPicture& person : people) {
      covering += region_covering(labels.labels, person.labels) / static_cast<double>(people.size());
      information += variation_of_information(labels.labels, person.labels) / static_cast<double>(people.size());
    }
    std::vector<Index> different = labels.labels;
    std::ranges::sort(different);
    const auto segments = static_cast<Index>(std::unique(different.begin(), different.end()) - different.begin());
    json.update(json_of(counts));
    json["covering"] = covering;
    json["variation_of_information"] = information;
    json["segments"] = segments;
    text = text_of(counts) +
           fmt::format("covering   {:.4f}\nvariation  {:.4f} bits\nsegments   {}\n", covering, information, segments);
  }
  print_data(output.json ? json.dump(2) + "\n" : text + fmt::format("people     {}\n", people.size()));
  return 0;
}

}  // namespace copse
