// The methods that the papers compare with, as functions of the module.
#pragma once

#include "python/src/bind.h"

namespace copse::python {

void bind_clusters(nb::module_& module);  // K-means and its kin, spectral clustering
void bind_comparison(nb::module_& module);
void bind_methods(nb::module_& module);  // all of them by one call
void bind_rivals(nb::module_& module);   // topics, anchors, exemplars, factors with a graph

}  // namespace copse::python
