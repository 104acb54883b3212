#include "copse/engines/opencl/opencl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "copse/base/error.h"
#include "copse/base/random.h"

namespace copse {
namespace {

using ::testing::HasSubstr;

template <class Call>
std::string sentence(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

class OpenCl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (opencl_devices().empty()) GTEST_SKIP() << "there is no OpenCL device here; pocl-opencl-icd is one";
  }
};

// Whole numbers, so that sums are exact in any order: one full item, one full feature, some empty ones.
template <class T>
SparseMatrix<T> uneven(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  SparseMatrix<T> x{.rows = rows, .cols = cols};
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      const bool full = j == cols / 3 || i == rows / 2;
      if (j % 5 == 2 || (!full && random.uniform() > 0.1)) continue;
      x.indices.push_back(static_cast<RowIndex>(i));
      x.values.push_back(static_cast<T>(1 + std::floor(random.uniform() * 4)));
    }
    x.offsets.push_back(static_cast<Index>(x.indices.size()));
  }
  return x;
}

template <class T>
Matrix<T> numbers(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  Matrix<T> b(rows, cols);
  for (T& value : b.values()) value = static_cast<T>(std::floor(random.uniform() * 8));
  return b;
}

template <class T>
Matrix<T> naive(const SparseMatrix<T>& x, const Matrix<T>& b, bool transposed) {
  Matrix<T> out(transposed ? x.cols : x.rows, b.cols());
  for (Index j = 0; j < x.cols; ++j) {
    for (Index p = x.offsets[static_cast<std::size_t>(j)]; p < x.offsets[static_cast<std::size_t>(j) + 1]; ++p) {
      const Index i = x.indices[static_cast<std::size_t>(p)];
      for (Index c = 0; c < b.cols(); ++c) {
        if (transposed) {
          out(j, c) += x.values[static_cast<std::size_t>(p)] * b(i, c);
        } else {
          out(i, c) += x.values[static_cast<std::size_t>(p)] * b(j, c);
        }
      }
    }
  }
  return out;
}

template <class T>
void expect_products(const SparseMatrix<T>& x, const OpenClOptions& options, std::initializer_list<Index> ks) {
  const OpenClData<T> data(x, options);
  Matrix<T> out;
  for (const Index k : ks) {
    const Matrix<T> w = numbers<T>(x.rows, k, 1), h = numbers<T>(x.cols, k, 2);
    data.transpose_times(w, out);
    EXPECT_EQ(out, naive(x, w, true)) << x.rows << " x " << x.cols << ", k = " << k;
    data.times(h, out);
    EXPECT_EQ(out, naive(x, h, false)) << x.rows << " x " << x.cols << ", k = " << k;
  }
}

TEST_F(OpenCl, ProductsOfOddSizes) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {1, 70}, {70, 1}, {37, 53}, {300, 211}}) {
    expect_products(uneven<float>(rows, cols, 3), {}, {1, 2, 3, 7, 31, 32, 33, 70});
  }
  expect_products(uneven<double>(300, 211, 3), {}, {1, 2, 5, 40});
}

// Buffers of a few entries: chunks end inside rows, and the huge row needs several.
TEST_F(OpenCl, StreamsThroughSmallBuffers) {
  const auto x = uneven<float>(120, 90, 4);
  for (const double memory : {900.0, 3000.0, 12000.0}) {
    expect_products(x, {.memory = memory}, {1, 2, 5, 33});
    const OpenClData<float> data(x, {.memory = memory});
    Matrix<float> out;
    for (int i = 0; i < 3; ++i) data.transpose_times(numbers<float>(120, 2, 1), out);
    EXPECT_GE(data.times_so_far().bytes_sent, 3 * 8.0 * static_cast<double>(x.nonzeros()));
    EXPECT_EQ(data.times_so_far().products, 3);
    EXPECT_GT(data.times_so_far().predicted, 0);
  }
}

TEST_F(OpenCl, WhatFitsIsSentOnce) {
  const auto x = uneven<float>(120, 90, 4);
  const OpenClData<float> data(x, {});
  Matrix<float> out;
  data.transpose_times(numbers<float>(120, 2, 1), out);
  const double sent = data.times_so_far().bytes_sent;
  EXPECT_GT(sent, 0);
  data.transpose_times(numbers<float>(120, 2, 1), out);
  EXPECT_EQ(data.times_so_far().bytes_sent, sent);
}

TEST_F(OpenCl, ColumnBlocksGiveTheSame) {
  for (const Index blocks : {2, 3, 50}) {
    expect_products(uneven<float>(120, 90, 5), {.column_blocks = blocks}, {1, 2, 9});
    expect_products(uneven<float>(120, 90, 5), {.memory = 2000, .column_blocks = blocks}, {2});
  }
}

TEST_F(OpenCl, MissingOrTooSmallDevices) {
  const auto x = uneven<float>(30, 20, 5);
  EXPECT_THAT(sentence([&] { OpenClData<float>(x, {.device = 99}); }), HasSubstr("there is no OpenCL device 99"));
  EXPECT_THAT(sentence([&] { measure_opencl(-1); }), HasSubstr("there is no OpenCL device -1"));
}

TEST_F(OpenCl, DevicesAreMeasured) {
  const OpenClSpeed speed = measure_opencl(0);
  for (const double rate : {speed.memory, speed.sparse, speed.to_device, speed.from_device}) EXPECT_GT(rate, 1e6);
  EXPECT_GT(opencl_devices()[0].memory, 1e6);
}

// [Kuang 2014, 6.5]: RCV1 is worth column blocks for k = 1, 2, 4, not for more than 6; Wikipedia never is.
TEST(OpenClModel, BlocksColumnsWhereTheThesisDoes) {
  const OpenClDevice device{.name = "", .platform = "", .kind = "", .cache = 1.5e6};
  const OpenClSpeed speed{.memory = 170e9, .sparse = 21.21e9, .to_device = 6e9, .from_device = 6e9};
  const auto blocks = [&](Index rows, Index cols, Index entries, Index k) {
    return model_product(rows, cols, entries, k, 4, device, speed, true).column_blocks;
  };
  // 149,113 terms x 764,751 documents with 59,851,107 entries; 2,361,566 terms x 4,126,013 articles, 468,558,693.
  for (const Index k : {1, 2, 4}) EXPECT_GT(blocks(149113, 764751, 59851107, k), 1);
  for (const Index k : {7, 16, 64}) EXPECT_EQ(blocks(149113, 764751, 59851107, k), 1);
  for (const Index k : {1, 2, 4, 8, 64}) EXPECT_EQ(blocks(2361566, 4126013, 468558693, k), 1);
  EXPECT_GT(model_product(100, 100, 1000, 2, 4, device, speed, false).seconds_of_transfer, 0);
}

}  // namespace
}  // namespace copse
