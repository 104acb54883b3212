#include "copse/engines/opencl/opencl.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <span>

#include "copse/base/error.h"
#include "copse/base/stopwatch.h"
#include "copse/engines/opencl/opencl_runner.h"

namespace copse {

// T_L2 and T_global; a value has `value_bytes` where the thesis has four.
ProductModel model_product(Index rows, Index cols, Index entries, Index k, std::size_t value_bytes,
                           const OpenClDevice& device, const OpenClSpeed& speed, bool resident) {
  constexpr double lanes = 32;
  const double m = static_cast<double>(rows), n = static_cast<double>(cols), z = static_cast<double>(entries),
               width = static_cast<double>(k), value = static_cast<double>(value_bytes);
  const double matrix = z * (value + sizeof(RowIndex)) / speed.sparse;
  const double global = matrix + value * (z * width + m * width) / speed.memory;
  ProductModel model{.column_blocks = 1, .seconds_on_device = global};
  if (device.cache > 0) {
    const double blocks = std::ceil(value * n * width / device.cache);                       // (91)
    const double cached = matrix + value * (n * width + blocks * m * width) / speed.memory;  // (90)
    if (blocks > 1 && std::floor(z / (m * blocks)) >= lanes && cached < global)              // (93)
      model = {.column_blocks = static_cast<Index>(blocks), .seconds_on_device = cached};
  }
  if (!resident) model.seconds_of_transfer = z * (value + sizeof(RowIndex)) / speed.to_device;
  return model;
}

#ifdef COPSE_OPENCL

bool opencl_is_built() { return true; }

std::vector<OpenClDevice> opencl_devices() {
  std::vector<OpenClDevice> all;
  try {
    for (const cl::Device& device : opencl::devices())
      all.push_back(opencl::facts_of(device, static_cast<int>(all.size())));
  } catch (const cl::Error& error) {
    opencl::refuse(error);
  }
  return all;
}

OpenClSpeed measure_opencl(int device) {
  try {
    opencl::Runner<float> runner(device);
    return opencl::measure(runner);
  } catch (const cl::Error& error) {
    opencl::refuse(error);
  }
}

template <class T>
struct OpenClData<T>::State {
  State(SparseView<T> x, const OpenClOptions& options)
      : options(options),
        runner(options.device),
        speed(opencl::measure(runner)),
        transposed(transpose(x)),
        budget(options.memory > 0 ? options.memory : 0.75 * runner.facts.memory),
        by_item(x, runner, budget / 2),
        by_feature(transposed, runner, budget / 2) {}

  // out = A b
  void multiply(opencl::Factor<T>& a, const Matrix<T>& b, Matrix<T>& out) {
    const std::scoped_lock lock(mutex);
    const Index k = b.cols();
    out.reshape(a.rows(), k);
    const std::size_t b_bytes = sizeof(T) * static_cast<std::size_t>(b.rows() * k),
                      y_bytes = sizeof(T) * static_cast<std::size_t>(a.rows() * k);
    if (k == 0 || y_bytes == 0) return;
    const auto largest = static_cast<double>(std::max(b_bytes, y_bytes));
    if (largest > runner.facts.largest_buffer || static_cast<double>(b_bytes + y_bytes) > 0.75 * runner.facts.memory)
      throw InvalidArgument("the OpenCL device " + runner.facts.name + " is too small for factors with " +
                            std::to_string(k) + " columns: a buffer of " + std::to_string(b_bytes + y_bytes) +
                            " bytes does not fit.");
    try {
      const Stopwatch watch;
      const ProductModel model =
          model_product(a.rows(), a.cols(), a.entries(), k, sizeof(T), runner.facts, speed, a.is_resident());
      const cl::Buffer b_buffer = runner.buffer(b_bytes), y_buffer = runner.buffer(y_bytes);
      runner.compute.enqueueFillBuffer(y_buffer, T(0), 0, y_bytes);
      runner.compute.enqueueWriteBuffer(b_buffer, CL_TRUE, 0, b_bytes, b.data());
      const double sent =
          a.multiply(options.column_blocks > 0 ? options.column_blocks : model.column_blocks, k, b_buffer, y_buffer);
      runner.compute.enqueueReadBuffer(y_buffer, CL_TRUE, 0, y_bytes, out.data());
      ++so_far.products;
      so_far.measured += watch.seconds();
      so_far.bytes_sent += sent;
      so_far.predicted += std::max(model.seconds_on_device, model.seconds_of_transfer) +
                          static_cast<double>(b_bytes) / speed.to_device +
                          static_cast<double>(y_bytes) / speed.from_device;
    } catch (const cl::Error& error) {
      opencl::refuse(error);
    }
  }

  std::mutex mutex;
  OpenClOptions options;
  opencl::Runner<T> runner;
  OpenClSpeed speed;
  SparseMatrix<T> transposed;
  double budget;
  opencl::Factor<T> by_item, by_feature;
  OpenClTimes so_far;
};

template <class T>
OpenClData<T>::OpenClData(SparseView<T> x, const OpenClOptions& options) : SparseData<T>(x) {
  try {
    state_ = std::make_unique<State>(x, options);
  } catch (const cl::Error& error) {
    opencl::refuse(error);
  }
}

template <class T>
void OpenClData<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  state_->multiply(state_->by_feature, h, out);
}

template <class T>
void OpenClData<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  state_->multiply(state_->by_item, w, out);
}

template <class T>
OpenClTimes OpenClData<T>::times_so_far() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->so_far;
}

#else

namespace {
constexpr const char* missing =
    "this copse was built without OpenCL; a build with ocl-icd-opencl-dev and opencl-clhpp-headers has it.";
}

bool opencl_is_built() { return false; }
std::vector<OpenClDevice> opencl_devices() { return {}; }
OpenClSpeed measure_opencl(int) { throw InvalidArgument(missing); }

template <class T>
struct OpenClData<T>::State {};
template <class T>
OpenClData<T>::OpenClData(SparseView<T> x, const OpenClOptions&) : SparseData<T>(x) {
  throw InvalidArgument(missing);
}
template <class T>
void OpenClData<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  SparseData<T>::times(h, out);
}
template <class T>
void OpenClData<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  SparseData<T>::transpose_times(w, out);
}
template <class T>
OpenClTimes OpenClData<T>::times_so_far() const {
  return {};
}

#endif

template <class T>
OpenClData<T>::~OpenClData() = default;

template class OpenClData<float>;
template class OpenClData<double>;

}  // namespace copse
