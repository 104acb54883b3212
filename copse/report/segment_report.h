// The files of a segmentation: labels, pictures to look at, result.json and the page.
#pragma once

#include <string>

#include "copse/describe/segment_result.h"
#include "copse/io/output_folder.h"
#include "copse/model/stored_result.h"

namespace copse {

// Writes labels.png (16 bits), labels.npy, segmentations.npy, picture.png, overlay.png, segments.png, boundaries.png,
// report.html (with `page`) and result.json, and commits the folder. Throws OutputError; nothing is written then.
void write_result(OutputFolder& folder, SegmentResult& result, bool page = true);

// result.json: the keys of every run, and `picture`, `levels` and `segments`.
std::string segment_json(const SegmentResult& result);

// From a folder. Throws InputError.
SegmentSummary read_segment_summary(const StoredResult& stored);
// The page again, from the files of the folder.
std::string segment_page(const StoredResult& stored, const std::string& title = "");

// The picture with the outlines of the segments; each pixel in the mean colour of its segment. `labels` has the size of
// the picture.
Picture outlined(const Picture& picture, const LabelPicture& labels);
Picture in_mean_colours(const Picture& picture, const LabelPicture& labels);

}  // namespace copse
