#include "copse/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "copse/base/error.h"

namespace copse {
namespace {

TEST(ParallelFor, VisitsEachOnceWhateverTheNumberOfThreads) {
  for (int threads : {1, 2, 3, 8}) {
    std::vector<std::atomic<int>> visits(1000);
    with_threads(threads, nullptr, [&] {
      EXPECT_EQ(thread_count(), threads);
      parallel_for(1000, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
    });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
  }
}

TEST(SumBlocks, AddsInBlockOrderSoThatThreadsDoNotChangeABit) {
  const auto sum = [](int threads) {
    double total = 0;
    with_threads(threads, nullptr, [&] {
      total = sum_blocks(100003, 17, 0.0, [](Index begin, Index end) {
        double part = 0;
        for (Index i = begin; i < end; ++i) part += 1.0 / static_cast<double>(i + 1);
        return part;
      });
    });
    return total;
  };
  const double one = sum(1);
  EXPECT_NEAR(one, 12.090176, 1e-5);  // ln(100003) + Euler's constant
  for (int threads : {2, 3, 8}) EXPECT_EQ(sum(threads), one);
}

TEST(Cancellation, EndsLoopsAndTheLoopsInsideThem) {
  Cancellation cancellation;
  std::atomic<int> outer{0};
  EXPECT_THROW(with_threads(2, &cancellation,
                            [&] {
                              parallel_for(1000000, [&](Index) {
                                if (++outer == 5) cancellation.request();
                                parallel_for(10, [](Index) {});
                              });
                            }),
               Cancelled);
  EXPECT_LT(outer, 1000000);
}

TEST(Cancellation, OfOneRunLeavesAnotherAlone) {
  Cancellation stopped;
  stopped.request();
  EXPECT_THROW(with_threads(1, &stopped, [] { parallel_for(1, [](Index) {}); }), Cancelled);
  Cancellation other;
  EXPECT_NO_THROW(with_threads(1, &other, [] { parallel_for(10, [](Index) {}); }));
  EXPECT_NO_THROW(parallel_for(10, [](Index) {}));
}

TEST(ParallelFor, HandsOnExceptions) {
  EXPECT_THROW(parallel_for(100,
                            [](Index i) {
                              if (i == 50) throw InvalidArgument("no");
                            }),
               InvalidArgument);
}

}  // namespace
}  // namespace copse
