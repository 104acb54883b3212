// copse evaluate, of pictures: segments or boundaries against those that people drew.
#pragma once

#include <string>
#include <vector>

#include "apps/copse/commands/options.h"

namespace copse {

// Whether a file is a picture of labels: a PNG, or a .npy with two axes.
bool is_label_picture(const std::string& path);

// Boundary precision, recall and F, region covering and variation of information; the means over all people of the last
// two. With `map` the first file has strengths of boundaries, and the best F over its thresholds is found.
int evaluate_pictures(const std::string& found, const std::vector<std::string>& truths, bool map,
                      const OutputOptions& output);

}  // namespace copse
