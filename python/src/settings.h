// Options of the library from dictionaries, under the names and with the words that result.json has.
#pragma once

#include "copse/base/error.h"
#include "copse/result/fields.h"
#include "python/src/bind.h"

namespace copse::python {

// Throws InvalidArgument for a value that is no setting.
Settings to_settings(const nb::dict& values);
nb::dict to_dict(const Settings& settings);

// Fields that have no value stay as they are. Throws InvalidArgument for a name that is no field.
template <class Options>
void take(const nb::dict& values, Options& options) {
  const Settings settings = to_settings(values);
  std::size_t taken = 0;
  visit_fields(options, [&](const char* name, auto& field) {
    const Setting* setting = find_setting(settings, name);
    if (setting == nullptr) return;
    from_setting(name, *setting, field);
    ++taken;
  });
  if (taken != settings.size()) throw InvalidArgument("There is an option that nothing knows.");
}

// A sentence that speaks of options of the program speaks of parameters here: --min-words is min_words.
std::string in_python(std::string sentence);

}  // namespace copse::python
