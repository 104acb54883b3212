// Products with sparse data on an accelerator, through OpenCL. A build without OpenCL has the same functions, finds no
// device and says so.
#pragma once

#include <memory>
#include <vector>

#include "copse/engines/opencl/device.h"
#include "copse/kernels/in_memory.h"

namespace copse {

bool opencl_is_built();
// Those that are there, or none.
std::vector<OpenClDevice> opencl_devices();

// Throws InvalidArgument for a device that is not there.
OpenClSpeed measure_opencl(int device);

// [Kuang 2014, eqs. 71, 90-94] for A (rows x cols, with so many entries) times a matrix of cols x k.
struct ProductModel {
  Index column_blocks = 1;  // of A: more than one where its part of the dense matrix then stays in the cache
  double seconds_on_device = 0;
  double seconds_of_transfer = 0;  // of A, which is overlapped with computing; 0 where A stays on the device
};
ProductModel model_product(Index rows, Index cols, Index entries, Index k, std::size_t value_bytes,
                           const OpenClDevice& device, const OpenClSpeed& speed, bool resident);

struct OpenClOptions {
  int device = 0;
  double memory = 0;        // bytes of the device to use; 0: three quarters of what it has
  Index column_blocks = 0;  // 0: as the model says
};

// What the products took so far, beside what the model says of them.
struct OpenClTimes {
  Index products = 0;
  double measured = 0;
  double predicted = 0;
  double bytes_sent = 0;  // of the sparse matrix
};

// Sparse data whose two products run on a device. The matrix and its transpose are kept there where they fit, and are
// streamed through two buffers otherwise; the dense matrices of a product must fit. The same bits for the same device
// and options. Throws InvalidArgument for a device that is not there, too small, or without double precision.
template <class T>
class OpenClData : public SparseData<T> {
 public:
  OpenClData(SparseView<T> x, const OpenClOptions& options);
  ~OpenClData() override;

  void times(const Matrix<T>& h, Matrix<T>& out) const override;
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override;

  OpenClTimes times_so_far() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse
