// The forms in which words stand in the documents of a result whose words were counted by their stems.
#pragma once

#include <string>
#include <vector>

#include "copse/model/model_items.h"

namespace copse {

// For each feature what stands for it in the excerpts besides its name, ascending; empty where no stems were made.
std::vector<std::vector<std::string>> word_forms(const ModelItems& items);

}  // namespace copse
