// An OpenCL device, and how fast it is.
#pragma once

#include <string>

namespace copse {

struct OpenClDevice {
  int number = 0;  // what --device opencl:N takes
  std::string name;
  std::string platform;
  std::string kind;           // "GPU", "CPU" or "accelerator"
  double memory = 0;          // bytes
  double largest_buffer = 0;  // bytes
  double cache = 0;           // bytes of the cache of its memory; 0: none, or not told
  int units = 0;              // that compute at the same time
  bool double_precision = false;
};

// Bytes per second, measured.
struct OpenClSpeed {
  double memory = 0;  // reading and writing of the device's own memory
  double sparse = 0;  // reading of a sparse matrix by the kernel of the products, with factors that stay in caches
  double to_device = 0;
  double from_device = 0;
};

}  // namespace copse
