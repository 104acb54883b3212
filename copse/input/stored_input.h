// How the data of a stored result was read and prepared.
#pragma once

#include <string>

#include "copse/input/input.h"
#include "copse/options/settings.h"

namespace copse {

// How the data was read and prepared. `vocabulary` is that of the model, or empty for a matrix: the same words are
// counted again. Documents of the result's own lie in `folder`.
InputOptions input_options_in(const Settings& settings, const std::string& vocabulary, const std::string& folder);

Settings settings_of(const InputOptions& options);

}  // namespace copse
