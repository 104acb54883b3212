#include "copse/input/stored_input.h"

#include "copse/input/options.h"

namespace copse {

Settings settings_of(const InputOptions& options) {
  Settings settings;
  add_settings(options, settings);
  return settings;
}

InputOptions input_options_in(const Settings& settings, const std::string& vocabulary, const std::string& folder) {
  InputOptions options;
  const bool own = find_setting(settings, "origin") != nullptr;
  if (!vocabulary.empty()) {
    options.documents.emplace();
    if (own) options.documents->own.emplace();
  }
  take_settings(settings, options);
  if (vocabulary.empty()) return options;
  if (own) options.path = folder + "/" + options.path;
  options.documents->vocabulary = parse_vocabulary(vocabulary, "the vocabulary of the model");
  return options;
}

}  // namespace copse
