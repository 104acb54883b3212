#include "copse/engines/opencl/opencl_pairs.h"

#include <mutex>

#include "copse/base/error.h"
#include "copse/base/stopwatch.h"
#include "copse/engines/opencl/opencl_runner.h"

namespace copse {

#ifdef COPSE_OPENCL

template <class T>
struct OpenClWorkshop<T>::State {
  explicit State(const OpenClOptions& options)
      : options(options),
        runner(options.device),
        speed(opencl::measure(runner)),
        step(runner.program, "pair_step"),
        group_step(runner.program, "group_step"),
        sums(runner.program, "pair_sums") {}

  double budget() const { return options.memory > 0 ? options.memory : 0.75 * runner.facts.memory; }

  std::mutex mutex;
  OpenClOptions options;
  opencl::Runner<T> runner;
  OpenClSpeed speed;
  cl::Kernel step, group_step, sums;
  OpenClTimes so_far;
};

template <class T>
OpenClWorkshop<T>::OpenClWorkshop(const OpenClOptions& options) {
  opencl::or_refuse([&] { state_ = std::make_unique<State>(options); });
}

template <class T>
OpenClTimes OpenClWorkshop<T>::times_so_far() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->so_far;
}

namespace {

constexpr Index items_per_sum = 256;

}  // namespace

template <class T>
struct OpenClPairs<T>::State {
  State(typename OpenClWorkshop<T>::State& workshop, SparseMatrix<T> given)
      : shop(workshop),
        x(std::move(given)),
        transposed(transpose(SparseView<T>(x))),
        by_item(x, shop.runner, shop.budget() / 2),
        by_feature(transposed, shop.runner, shop.budget() / 2) {
    const std::size_t pairs = 2 * sizeof(T) * static_cast<std::size_t>(std::max(x.rows, x.cols));
    if (static_cast<double>(pairs) > shop.runner.facts.largest_buffer)
      throw InvalidArgument("the OpenCL device " + shop.runner.facts.name + " is too small for " +
                            std::to_string(std::max(x.rows, x.cols)) + " pairs of numbers.");
    w = shop.runner.buffer(bytes(x.rows));
    xh = shop.runner.buffer(bytes(x.rows));
    h = shop.runner.buffer(bytes(x.cols));
    products = shop.runner.buffer(bytes(x.cols));
    blocks = (x.cols + items_per_sum - 1) / items_per_sum;
    partial = shop.runner.buffer(4 * sizeof(T) * static_cast<std::size_t>(blocks));
  }

  static std::size_t bytes(Index pairs) { return 2 * sizeof(T) * static_cast<std::size_t>(pairs); }
  bool is_empty() const { return x.rows == 0 || x.cols == 0; }

  // products = X'V for the two columns v.
  void project(const Matrix<T>& v) {
    auto& queue = shop.runner.compute;
    queue.enqueueWriteBuffer(w, CL_TRUE, 0, bytes(x.rows), v.data());
    queue.enqueueFillBuffer(products, T(0), 0, bytes(x.cols));
    multiply(by_item, w, products);
  }

  void run(cl::Kernel& kernel, Index items) {
    const std::size_t groups = (static_cast<std::size_t>(items) + opencl::lanes - 1) / opencl::lanes;
    shop.runner.compute.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups * opencl::lanes),
                                             cl::NDRange(opencl::lanes));
  }

  // X H' and the sums, for the h on the device, whose products with x are in `products`.
  OpenClSums finish(Matrix<T>& out) {
    auto& queue = shop.runner.compute;
    cl_uint i = 0;
    shop.sums.setArg(i++, static_cast<cl_int>(x.cols));
    shop.sums.setArg(i++, static_cast<cl_int>(items_per_sum));
    shop.sums.setArg(i++, static_cast<cl_int>(blocks));
    shop.sums.setArg(i++, h);
    shop.sums.setArg(i++, products);
    shop.sums.setArg(i++, partial);
    run(shop.sums, blocks);
    queue.enqueueFillBuffer(xh, T(0), 0, bytes(x.rows));
    multiply(by_feature, h, xh);
    out.reshape(x.rows, 2);
    std::vector<T> parts(static_cast<std::size_t>(4 * blocks));
    queue.enqueueReadBuffer(partial, CL_TRUE, 0, parts.size() * sizeof(T), parts.data());
    queue.enqueueReadBuffer(xh, CL_TRUE, 0, bytes(x.rows), out.data());
    OpenClSums sums;
    for (std::size_t b = 0; b < parts.size(); b += 4) {
      sums.a += static_cast<double>(parts[b]), sums.b += static_cast<double>(parts[b + 1]);
      sums.c += static_cast<double>(parts[b + 2]), sums.fitted += static_cast<double>(parts[b + 3]);
    }
    return sums;
  }

  // One read of the matrix, timed beside what the model says of it.
  template <class Read>
  OpenClSums timed(Matrix<T>& out, bool projects, const Read& read) {
    if (is_empty()) {
      out.reshape(x.rows, 2);
      std::ranges::fill(out.values(), T(0));
      return {};
    }
    const std::scoped_lock lock(shop.mutex);
    OpenClSums sums;
    opencl::or_refuse([&] {
      const Stopwatch watch;
      read();
      sums = finish(out);
      shop.so_far.measured += watch.seconds();
      if (projects) predict(by_item);
      predict(by_feature);
      shop.so_far.predicted +=
          static_cast<double>(bytes(x.rows)) * ((projects ? 1 / shop.speed.to_device : 0) + 1 / shop.speed.from_device);
    });
    return sums;
  }

  ProductModel model(const opencl::Factor<T>& a) const {
    return model_product(a.rows(), a.cols(), a.entries(), 2, sizeof(T), shop.runner.facts, shop.speed, a.is_resident());
  }
  void predict(const opencl::Factor<T>& a) {
    const ProductModel expected = model(a);
    ++shop.so_far.products;
    shop.so_far.predicted += std::max(expected.seconds_on_device, expected.seconds_of_transfer);
  }
  void multiply(opencl::Factor<T>& a, const cl::Buffer& b, const cl::Buffer& y) {
    const Index wanted = shop.options.column_blocks;
    shop.so_far.bytes_sent += a.multiply(wanted > 0 ? wanted : model(a).column_blocks, 2, b, y);
  }

  typename OpenClWorkshop<T>::State& shop;
  SparseMatrix<T> x, transposed;
  opencl::Factor<T> by_item, by_feature;
  cl::Buffer w, xh, h, products, partial;
  Index blocks = 0;
};

template <class T>
OpenClPairs<T>::OpenClPairs(const OpenClWorkshop<T>& workshop, SparseMatrix<T> x) {
  const std::scoped_lock lock(workshop.state().mutex);
  opencl::or_refuse([&] { state_ = std::make_unique<State>(workshop.state(), std::move(x)); });
}

template <class T>
OpenClSums OpenClPairs<T>::sweep(const Matrix<T>& w, const TwoColumns<T>& solve, Matrix<T>& xh) {
  return state_->timed(xh, true, [&] {
    state_->project(w);
    cl::Kernel& kernel = state_->shop.step;
    cl_uint i = 0;
    kernel.setArg(i++, static_cast<cl_int>(state_->x.cols));
    kernel.setArg(i++, state_->products);
    kernel.setArg(i++, state_->h);
    kernel.setArg(i++, static_cast<cl_int>(solve.regular()));
    for (const T number :
         {solve.scale1(), solve.scale2(), solve.cosine(), solve.inside1(), solve.inside2(), solve.bias()})
      kernel.setArg(i++, number);
    state_->run(kernel, state_->x.cols);
  });
}

template <class T>
OpenClSums OpenClPairs<T>::project(const Matrix<T>& v, const char* in_first, Matrix<T>& xh) {
  return state_->timed(xh, true, [&] {
    state_->project(v);
    auto& queue = state_->shop.runner.compute;
    if (in_first == nullptr) {
      queue.enqueueCopyBuffer(state_->products, state_->h, 0, 0, State::bytes(state_->x.cols));
      return;
    }
    const cl::Buffer groups = state_->shop.runner.buffer(static_cast<std::size_t>(state_->x.cols));
    queue.enqueueWriteBuffer(groups, CL_TRUE, 0, static_cast<std::size_t>(state_->x.cols), in_first);
    cl::Kernel& kernel = state_->shop.group_step;
    kernel.setArg(0, static_cast<cl_int>(state_->x.cols));
    kernel.setArg(1, state_->products);
    kernel.setArg(2, groups);
    kernel.setArg(3, state_->h);
    state_->run(kernel, state_->x.cols);
    queue.finish();  // while `groups` is there
  });
}

template <class T>
OpenClSums OpenClPairs<T>::spread(const Matrix<T>& h, Matrix<T>& xh) {
  return state_->timed(xh, false, [&] {
    auto& queue = state_->shop.runner.compute;
    queue.enqueueWriteBuffer(state_->h, CL_TRUE, 0, State::bytes(state_->x.cols), h.data());
    queue.enqueueFillBuffer(state_->products, T(0), 0, State::bytes(state_->x.cols));
  });
}

template <class T>
void OpenClPairs<T>::coefficients(Matrix<T>& h) const {
  h.reshape(state_->x.cols, 2);
  if (state_->is_empty()) {
    std::ranges::fill(h.values(), T(0));
    return;
  }
  const std::scoped_lock lock(state_->shop.mutex);
  opencl::or_refuse([&] {
    state_->shop.runner.compute.enqueueReadBuffer(state_->h, CL_TRUE, 0, State::bytes(state_->x.cols), h.data());
  });
}

#else

template <class T>
struct OpenClWorkshop<T>::State {};
template <class T>
struct OpenClPairs<T>::State {};
template <class T>
OpenClWorkshop<T>::OpenClWorkshop(const OpenClOptions& options) {
  measure_opencl(options.device);  // says why not
}
template <class T>
OpenClTimes OpenClWorkshop<T>::times_so_far() const {
  return {};
}
template <class T>
OpenClPairs<T>::OpenClPairs(const OpenClWorkshop<T>&, SparseMatrix<T>) {}
template <class T>
OpenClSums OpenClPairs<T>::sweep(const Matrix<T>&, const TwoColumns<T>&, Matrix<T>&) {
  return {};
}
template <class T>
OpenClSums OpenClPairs<T>::project(const Matrix<T>&, const char*, Matrix<T>&) {
  return {};
}
template <class T>
OpenClSums OpenClPairs<T>::spread(const Matrix<T>&, Matrix<T>&) {
  return {};
}
template <class T>
void OpenClPairs<T>::coefficients(Matrix<T>&) const {}

#endif

template <class T>
OpenClWorkshop<T>::~OpenClWorkshop() = default;
template <class T>
OpenClPairs<T>::~OpenClPairs() = default;

template class OpenClWorkshop<float>;
template class OpenClWorkshop<double>;
template class OpenClPairs<float>;
template class OpenClPairs<double>;

}  // namespace copse
