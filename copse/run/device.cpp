#include "copse/run/device.h"

#include <fmt/format.h>

#include <charconv>

#include "copse/base/error.h"

namespace copse {

int opencl_number(const std::string& device) {
  if (device == "opencl") return 0;
  constexpr std::string_view start = "opencl:";
  int number = -1;
  if (device.starts_with(start)) {
    const char* const end = device.data() + device.size();
    const auto [stop, error] = std::from_chars(device.data() + start.size(), end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  throw InvalidArgument("the device \"" + device +
                        "\" is not known; opencl and opencl:N are (copse devices lists them).");
}

template <class T>
std::unique_ptr<OpenClData<T>> on_device(const std::string& device, const Dataset<T>& dataset) {
  const int number = opencl_number(device);
  const auto* const sparse = std::get_if<SparseMatrix<T>>(&dataset.values);
  if (sparse == nullptr) throw InvalidArgument("a device multiplies sparse matrices, and this one is dense.");
  return std::make_unique<OpenClData<T>>(*sparse, OpenClOptions{.device = number});
}

std::string explain_device(const std::string& device, const OpenClTimes& times) {
  return fmt::format(
      "{}: {} products took {:.3g} s, and the model of the device says {:.3g} s; {:.3g} MB of the matrix were sent.",
      device, times.products, times.measured, times.predicted, times.bytes_sent / 1e6);
}

template std::unique_ptr<OpenClData<float>> on_device(const std::string&, const Dataset<float>&);
template std::unique_ptr<OpenClData<double>> on_device(const std::string&, const Dataset<double>&);

}  // namespace copse
