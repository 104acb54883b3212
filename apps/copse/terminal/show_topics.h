// The topics of a result as text or JSON.
#pragma once

#include <optional>
#include <string>

#include "copse/base/index.h"

namespace copse {

struct ShowOptions {
  std::string folder;
  std::optional<std::string> topic;  // none: all of them
  Index documents = 5;
  Index words = 10;
  bool json = false;
  bool all = false;     // more than a screen, on a terminal
  bool prompt = false;  // a text that asks for better names
};

// Throws InputError for a folder without a result, InvalidArgument for a topic that is not there.
std::string show_result(const ShowOptions& options);

}  // namespace copse
