// Options of the library from dictionaries, under the names and with the words that result.json has.
#pragma once

#include "copse/base/error.h"
#include "copse/input/options.h"
#include "copse/methods/options.h"
#include "python/src/bind.h"

namespace copse::python {

// Throws InvalidArgument for a value that is no setting.
Settings to_settings(const nb::dict& values);
nb::dict to_dict(const Settings& settings);

// Fields that have no value stay as they are. Throws InvalidArgument for a name that is no field.
template <class Options>
void take(const nb::dict& values, Options& options) {
  take_given(to_settings(values), bound(options));
}

// A sentence with the names of its options as parameters have them.
std::string in_python(const std::string& sentence);

}  // namespace copse::python
