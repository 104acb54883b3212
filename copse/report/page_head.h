// What every kind of page has.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "copse/options/settings.h"

namespace copse {

// What every kind of page says first and at its foot.
struct PageHead {
  std::string title;         // of the report: the name of the data
  std::string command = {};  // the line that made it
  Settings settings = {};
  std::vector<std::pair<std::string, std::string>> facts = {};  // versions, seconds, measures
  std::vector<std::string> notes = {};                          // sentences for the reader, shown at the top
  std::string survey = {};                                      // how k was chosen: JSON as in result.json, or empty
};

}  // namespace copse
