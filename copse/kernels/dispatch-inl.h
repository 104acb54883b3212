// The choice between instruction sets for kernels that have a twin for float and one for double.
#pragma once

#include <type_traits>

// HWY_EXPORT takes no templates. After COPSE_EXPORT(kernel), best_kernel<T>() is the one of kernel_float and
// kernel_double that fits T, for the best instruction set of this machine.
#define COPSE_EXPORT(kernel)                        \
  HWY_EXPORT(kernel##_float);                       \
  HWY_EXPORT(kernel##_double);                      \
  template <class T>                                \
  auto best_##kernel() {                            \
    if constexpr (std::is_same_v<T, float>) {       \
      return HWY_DYNAMIC_DISPATCH(kernel##_float);  \
    } else {                                        \
      return HWY_DYNAMIC_DISPATCH(kernel##_double); \
    }                                               \
  }
