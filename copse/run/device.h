// Where the products of a run are computed, by name.
#pragma once

#include <memory>
#include <string>

#include "copse/engines/opencl/opencl.h"
#include "copse/matrix/dataset.h"

namespace copse {

// The number in "opencl" (0) or "opencl:N". Throws InvalidArgument for any other name.
int opencl_number(const std::string& device);

// Data whose products run on that device; `dataset` must outlive it. Throws InvalidArgument for a dense matrix, and as
// OpenClData does.
template <class T>
std::unique_ptr<OpenClData<T>> on_device(const std::string& device, const Dataset<T>& dataset);

// "opencl:0 (NAME): 120 products took 3.2 s, the model says 2.9 s; ..."
std::string explain_device(const std::string& device, const OpenClTimes& times);

}  // namespace copse
