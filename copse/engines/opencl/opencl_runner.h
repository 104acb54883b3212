// What runs on an OpenCL device: its kernels, and sparse matrices that stay there or are streamed through it. For this
// folder only; empty in a build without OpenCL.
#pragma once

#ifdef COPSE_OPENCL
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/stopwatch.h"
#include "copse/engines/opencl/device.h"
#include "copse/matrix/sparse.h"

namespace copse::opencl {

// Rows of A in compressed form times a row-major matrix of k columns. 32 lanes share a row: `columns` of them a column
// each, and as many such groups as there is room for take every other entry. Sums of groups are added in their order.
// A chunk may begin or end inside a row, so the result is added to what is there.
inline constexpr const char* source = R"(
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double Real;
#else
typedef float Real;
#endif
__kernel void product(const int k, const int columns, __global const int* offsets,
                      __global const int* indices, __global const Real* values, __global const Real* b,
                      __global Real* y, const int first_row, __local Real* sums) {
  const int lane = get_local_id(0), row = get_group_id(0);
  const int column = lane % columns, group = lane / columns, groups = get_local_size(0) / columns;
  const int begin = offsets[row], end = offsets[row + 1];
  for (int first = 0; first < k; first += columns) {
    Real sum = 0;
    const int c = first + column;
    if (c < k) {
      for (int p = begin + group; p < end; p += groups) sum += values[p] * b[(size_t)indices[p] * k + c];
    }
    sums[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (group == 0 && c < k) {
      for (int g = 1; g < groups; ++g) sum += sums[g * columns + column];
      y[(size_t)(first_row + row) * k + c] += sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
// One item per lane: its coefficients from its products with the two columns, as TwoColumns has them.
__kernel void pair_step(const int items, __global const Real* products, __global Real* h, const int regular,
                        const Real scale1, const Real scale2, const Real cosine, const Real inside1, const Real inside2,
                        const Real bias) {
  const int j = get_global_id(0);
  if (j >= items) return;
  const Real u = scale1 * products[2 * j], v = scale2 * products[2 * j + 1];
  const Real x1 = u - cosine * v, x2 = v - cosine * u;
  const Real edge1 = fmax(u, (Real)0), edge2 = fmax(v, (Real)0);
  const int inside = regular && x1 >= 0 && x2 >= 0, first = edge1 >= bias * edge2;
  h[2 * j] = inside ? x1 * inside1 : first ? edge1 * scale1 : 0;
  h[2 * j + 1] = inside ? x2 * inside2 : first ? 0 : edge2 * scale2;
}
__kernel void group_step(const int items, __global const Real* products, __global const char* in_first,
                         __global Real* h) {
  const int j = get_global_id(0);
  if (j >= items) return;
  h[2 * j] = in_first[j] ? products[2 * j] : 0;
  h[2 * j + 1] = in_first[j] ? 0 : products[2 * j + 1];
}
// h1 h1, h1 h2, h2 h2 and h'products, of as many neighbouring items per lane.
__kernel void pair_sums(const int items, const int each, const int blocks, __global const Real* h,
                        __global const Real* products, __global Real* sums) {
  const int block = get_global_id(0);
  if (block >= blocks) return;
  Real a = 0, b = 0, c = 0, fitted = 0;
  for (int j = block * each; j < min(items, (block + 1) * each); ++j) {
    const Real h1 = h[2 * j], h2 = h[2 * j + 1];
    a += h1 * h1, b += h1 * h2, c += h2 * h2;
    fitted += h1 * products[2 * j] + h2 * products[2 * j + 1];
  }
  sums[4 * block] = a, sums[4 * block + 1] = b, sums[4 * block + 2] = c, sums[4 * block + 3] = fitted;
}
__kernel void copy(__global const Real* from, __global Real* to) { to[get_global_id(0)] = from[get_global_id(0)]; }
)";
inline constexpr std::size_t lanes = 32;

inline std::vector<cl::Device> devices() {
  std::vector<cl::Device> all;
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {  // the loader finds no driver
    return all;
  }
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> some;
    try {
      platform.getDevices(CL_DEVICE_TYPE_ALL, &some);
    } catch (const cl::Error&) {
      continue;
    }
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

inline cl::Device device_at(int number) {
  const std::vector<cl::Device> all = devices();
  if (all.empty())
    throw InvalidArgument(
        "there is no OpenCL device: no driver is installed (on Debian, pocl-opencl-icd runs on the CPU).");
  if (number < 0 || number >= static_cast<int>(all.size()))
    throw InvalidArgument("there is no OpenCL device " + std::to_string(number) + "; the last one is " +
                          std::to_string(all.size() - 1) + " (copse devices lists them).");
  return all[static_cast<std::size_t>(number)];
}

inline OpenClDevice facts_of(const cl::Device& device, int number) {
  OpenClDevice facts{.number = number,
                     .name = device.getInfo<CL_DEVICE_NAME>(),
                     .platform = cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>(),
                     .kind = {}};
  const cl_device_type type = device.getInfo<CL_DEVICE_TYPE>();
  facts.kind = (type & CL_DEVICE_TYPE_GPU) != 0 ? "GPU" : (type & CL_DEVICE_TYPE_CPU) != 0 ? "CPU" : "accelerator";
  facts.memory = static_cast<double>(device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>());
  facts.largest_buffer = static_cast<double>(device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
  facts.cache = static_cast<double>(device.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>());
  facts.units = static_cast<int>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  facts.double_precision = device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0;
  return facts;
}

[[noreturn]] inline void refuse(const cl::Error& error) {
  throw InvalidArgument(std::string("the OpenCL device failed: ") + error.what() + " gave error " +
                        std::to_string(error.err()) + ".");
}

// Runs `work`; what the device refuses becomes a sentence.
template <class Work>
void or_refuse(const Work& work) {
  try {
    work();
  } catch (const cl::Error& error) {
    refuse(error);
  }
}

// One device with the program for T.
template <class T>
struct Runner {
  explicit Runner(int number)
      : device(device_at(number)),
        facts(facts_of(device, number)),
        context(device),
        compute(context, device),
        transfer(context, device) {
    if (sizeof(T) == 8 && !facts.double_precision)
      throw InvalidArgument("the OpenCL device " + facts.name +
                            " has no double precision; `precision` float runs on it.");
    program = cl::Program(context, source);
    try {
      program.build({device}, sizeof(T) == 8 ? "-DDOUBLE" : "");
    } catch (const cl::Error&) {
      throw InvalidArgument("the OpenCL device " + facts.name +
                            " cannot compile the kernels: " + program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device));
    }
    product = cl::Kernel(program, "product");
    copy = cl::Kernel(program, "copy");
  }

  cl::Buffer buffer(std::size_t bytes) const { return {context, CL_MEM_READ_WRITE, std::max<std::size_t>(bytes, 16)}; }

  // Enqueues the product of the rows of one chunk, after `ready`.
  void multiply(Index rows, Index k, const cl::Buffer& offsets, const cl::Buffer& indices, const cl::Buffer& values,
                const cl::Buffer& b, const cl::Buffer& y, Index first_row, const std::vector<cl::Event>& ready,
                cl::Event* done) {
    if (rows == 0) return;
    int columns = 1;
    while (columns < k && columns < static_cast<int>(lanes)) columns *= 2;
    cl_uint i = 0;
    product.setArg(i++, static_cast<cl_int>(k));
    product.setArg(i++, static_cast<cl_int>(columns));
    product.setArg(i++, offsets);
    product.setArg(i++, indices);
    product.setArg(i++, values);
    product.setArg(i++, b);
    product.setArg(i++, y);
    product.setArg(i++, static_cast<cl_int>(first_row));
    product.setArg(i++, cl::Local(lanes * sizeof(T)));
    compute.enqueueNDRangeKernel(product, cl::NullRange, cl::NDRange(static_cast<std::size_t>(rows) * lanes),
                                 cl::NDRange(lanes), &ready, done);
  }

  cl::Device device;
  OpenClDevice facts;
  cl::Context context;
  cl::CommandQueue compute, transfer;
  cl::Program program;
  cl::Kernel product, copy;
};

// The rows of A, of which each chunk holds at most `most` entries; a row may go on in the next chunk.
struct Chunk {
  Index first_row = 0, rows = 0, first_entry = 0, entries = 0;
};

inline std::vector<Chunk> cut(std::span<const Index> offsets, Index most_entries, Index most_rows) {
  std::vector<Chunk> chunks;
  const Index rows = static_cast<Index>(offsets.size()) - 1, end = offsets.back();
  Index row = 0, entry = offsets.front();
  while (row < rows) {
    Chunk chunk{.first_row = row, .rows = 0, .first_entry = entry, .entries = 0};
    while (row < rows && chunk.rows < most_rows) {
      const Index part = std::min(offsets[static_cast<std::size_t>(row) + 1] - entry, most_entries - chunk.entries);
      chunk.entries += part;
      entry += part;
      ++chunk.rows;
      if (entry < offsets[static_cast<std::size_t>(row) + 1]) break;  // it is full; the row goes on
      ++row;
    }
    chunks.push_back(chunk);
    if (entry == end && row >= rows) break;
  }
  return chunks;
}

// Offsets of the rows of a chunk, from 0, clipped to its entries.
inline std::vector<cl_int> offsets_in(std::span<const Index> offsets, const Chunk& chunk) {
  std::vector<cl_int> local(static_cast<std::size_t>(chunk.rows) + 1);
  for (Index r = 0; r <= chunk.rows; ++r) {
    const Index offset = offsets[static_cast<std::size_t>(chunk.first_row + r)] - chunk.first_entry;
    local[static_cast<std::size_t>(r)] = static_cast<cl_int>(std::clamp<Index>(offset, 0, chunk.entries));
  }
  return local;
}

// A in compressed rows on the host, and on the device where it fits.
template <class T>
class Factor {
 public:
  Factor(SparseView<T> a, Runner<T>& runner, double budget) : a_(a), runner_(runner) {
    const double entry = sizeof(T) + sizeof(RowIndex), rows = static_cast<double>(a.cols);
    resident_ = static_cast<double>(a.nonzeros()) * entry + 8 * rows <= budget;
    // Two buffers of a quarter each leave as much for what else the device holds.
    const double share = resident_ ? budget : budget / 4;
    const double most = std::min({share / 2 / entry, runner.facts.largest_buffer / sizeof(T), 1e9});
    most_entries_ = std::max<Index>(1, static_cast<Index>(most));
    most_rows_ = std::max<Index>(1, static_cast<Index>(std::min(share / 2 / 4, 1e9)) - 1);
  }

  bool is_resident() const { return resident_; }
  Index rows() const { return a_.cols; }
  Index cols() const { return a_.rows; }
  Index entries() const { return a_.nonzeros(); }

  // y += A b on the device; returns the bytes of A that were sent.
  double multiply(Index column_blocks, Index k, const cl::Buffer& b, const cl::Buffer& y) {
    double sent = 0;
    for (const Part& part : parts(column_blocks)) sent += multiply(part, k, b, y);
    runner_.compute.finish();
    return sent;
  }

 private:
  struct Uploaded {
    cl::Buffer offsets, indices, values;
  };
  struct Part {
    std::span<const Index> offsets;
    std::span<const RowIndex> indices;
    std::span<const T> values;
    std::vector<Chunk> chunks;
    mutable std::vector<Uploaded> uploaded;
    SparseMatrix<T> copy;  // behind the spans, where they are not those of A itself
  };

  // Consecutive submatrices, each with the entries of some columns.
  const std::vector<Part>& parts(Index blocks) {
    std::vector<Part>& found = parts_[blocks];
    if (!found.empty()) return found;
    found.resize(static_cast<std::size_t>(blocks));
    for (Index c = 0; c < blocks; ++c) {
      Part& part = found[static_cast<std::size_t>(c)];
      if (blocks == 1) {
        part.offsets = a_.offsets;
        part.indices = a_.indices;
        part.values = a_.values;
      } else {
        const Index begin = a_.rows * c / blocks, end = a_.rows * (c + 1) / blocks;
        SparseMatrix<T>& copy = part.copy;
        for (Index j = 0; j < a_.cols; ++j) {
          for (Index p = a_.offsets[static_cast<std::size_t>(j)]; p < a_.offsets[static_cast<std::size_t>(j) + 1];
               ++p) {
            const RowIndex column = a_.indices[static_cast<std::size_t>(p)];
            if (column < begin || column >= end) continue;
            copy.indices.push_back(column);
            copy.values.push_back(a_.values[static_cast<std::size_t>(p)]);
          }
          copy.offsets.push_back(static_cast<Index>(copy.indices.size()));
        }
        part.offsets = copy.offsets;
        part.indices = copy.indices;
        part.values = copy.values;
      }
      part.chunks = cut(part.offsets, most_entries_, most_rows_);
    }
    return found;
  }

  Uploaded room(const Chunk& most) const {
    return {runner_.buffer(4 * static_cast<std::size_t>(most.rows + 1)),
            runner_.buffer(sizeof(RowIndex) * static_cast<std::size_t>(most.entries)),
            runner_.buffer(sizeof(T) * static_cast<std::size_t>(most.entries))};
  }

  // Starts sending a chunk after `free`; the offsets stay with the caller until it is sent.
  double send(const Part& part, const Chunk& chunk, const std::vector<cl_int>& offsets, const Uploaded& to,
              const std::vector<cl::Event>& free, std::vector<cl::Event>& ready) {
    const auto entries = static_cast<std::size_t>(chunk.entries), first = static_cast<std::size_t>(chunk.first_entry);
    const auto write = [&](const cl::Buffer& buffer, std::size_t bytes, const void* from) {
      if (bytes == 0) return;
      cl::Event sent;
      runner_.transfer.enqueueWriteBuffer(buffer, CL_FALSE, 0, bytes, from, &free, &sent);
      ready.push_back(sent);
    };
    write(to.offsets, 4 * offsets.size(), offsets.data());
    write(to.indices, sizeof(RowIndex) * entries, part.indices.data() + first);
    write(to.values, sizeof(T) * entries, part.values.data() + first);
    runner_.transfer.flush();
    return static_cast<double>(4 * offsets.size() + (sizeof(RowIndex) + sizeof(T)) * entries);
  }

  double multiply(const Part& part, Index k, const cl::Buffer& b, const cl::Buffer& y) {
    double sent = 0;
    if (resident_) {
      if (part.uploaded.empty()) {
        for (const Chunk& chunk : part.chunks) {
          part.uploaded.push_back(room(chunk));
          const std::vector<cl_int> offsets = offsets_in(part.offsets, chunk);
          std::vector<cl::Event> ready;
          sent += send(part, chunk, offsets, part.uploaded.back(), {}, ready);
          runner_.transfer.finish();
        }
      }
      for (std::size_t i = 0; i < part.chunks.size(); ++i) {
        const Uploaded& chunk = part.uploaded[i];
        runner_.multiply(part.chunks[i].rows, k, chunk.offsets, chunk.indices, chunk.values, b, y,
                         part.chunks[i].first_row, {}, nullptr);
      }
      return sent;
    }
    // While one buffer is computed with, the other is filled.
    Chunk most;
    for (const Chunk& chunk : part.chunks) {
      most.rows = std::max(most.rows, chunk.rows);
      most.entries = std::max(most.entries, chunk.entries);
    }
    const Uploaded buffers[2] = {room(most), room(most)};
    std::vector<cl_int> offsets[2];
    std::vector<cl::Event> used[2];  // when a buffer is free again
    for (std::size_t i = 0; i < part.chunks.size(); ++i) {
      const Chunk& chunk = part.chunks[i];
      if (!used[i % 2].empty()) cl::Event::waitForEvents(used[i % 2]);  // its offsets are ours again
      offsets[i % 2] = offsets_in(part.offsets, chunk);
      std::vector<cl::Event> ready;
      sent += send(part, chunk, offsets[i % 2], buffers[i % 2], {}, ready);
      cl::Event done;
      runner_.multiply(chunk.rows, k, buffers[i % 2].offsets, buffers[i % 2].indices, buffers[i % 2].values, b, y,
                       chunk.first_row, ready, &done);
      runner_.compute.flush();
      used[i % 2] = {done};
    }
    runner_.compute.finish();
    return sent;
  }

  SparseView<T> a_;
  Runner<T>& runner_;
  bool resident_ = false;
  Index most_entries_ = 1, most_rows_ = 1;
  std::map<Index, std::vector<Part>> parts_;
};

inline double seconds_of(const std::function<void()>& work) {
  work();  // once before: memory is taken, code is made ready
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const Stopwatch watch;
    work();
    best = std::min(best, watch.seconds());
  }
  return best;
}

template <class T>
OpenClSpeed measure(Runner<T>& runner) {
  OpenClSpeed speed;
  const auto count = static_cast<std::size_t>(std::min(runner.facts.largest_buffer / 4, 16e6) / sizeof(T)) / 64 * 64;
  const std::size_t bytes = count * sizeof(T);
  std::vector<T> host(count, T(1));
  const cl::Buffer one = runner.buffer(bytes), two = runner.buffer(bytes);
  const auto rate = [](double moved, double seconds) { return moved / std::max(seconds, 1e-9); };
  const auto moved = static_cast<double>(bytes);
  speed.to_device =
      rate(moved, seconds_of([&] { runner.transfer.enqueueWriteBuffer(one, CL_TRUE, 0, bytes, host.data()); }));
  speed.from_device =
      rate(moved, seconds_of([&] { runner.transfer.enqueueReadBuffer(one, CL_TRUE, 0, bytes, host.data()); }));
  runner.copy.setArg(0, one);
  runner.copy.setArg(1, two);
  speed.memory =
      rate(2 * moved, seconds_of([&] {
             runner.compute.enqueueNDRangeKernel(runner.copy, cl::NullRange, cl::NDRange(count), cl::NDRange(lanes));
             runner.compute.finish();
           }));
  // 64 entries a row, all of a few columns.
  const Index rows = static_cast<Index>(count / 64), k = 2;
  SparseMatrix<T> a{.rows = 64, .cols = rows};
  for (Index j = 0; j < rows; ++j) {
    for (RowIndex i = 0; i < 64; ++i) a.indices.push_back(i);
    a.offsets.push_back(64 * (j + 1));
  }
  a.values.assign(a.indices.size(), T(1));
  Factor<T> factor(a, runner, 1e18);
  const cl::Buffer b = runner.buffer(64 * k * sizeof(T)),
                   y = runner.buffer(static_cast<std::size_t>(rows * k) * sizeof(T));
  speed.sparse = rate(static_cast<double>(a.nonzeros()) * (sizeof(T) + sizeof(RowIndex)),
                      seconds_of([&] { factor.multiply(1, k, b, y); }));
  return speed;
}

}  // namespace copse::opencl

#endif
