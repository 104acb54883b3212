// The methods that the papers compare with, as functions of the module.
#pragma once

#include "python/src/bind.h"

namespace copse::python {

void bind_rivals(nb::module_& module);

}  // namespace copse::python
