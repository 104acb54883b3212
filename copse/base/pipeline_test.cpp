#include "copse/base/pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {
namespace {

TEST(Pipeline, KeepsItemsInOrderAndNeverUsesAPlaceTwiceAtOnce) {
  for (int threads : {1, 2, 5}) {
    for (Index slots : {1, 2, 7}) {
      std::vector<std::atomic<int>> owners(static_cast<std::size_t>(slots));
      std::vector<Index> item(static_cast<std::size_t>(slots)), worked(static_cast<std::size_t>(slots)), kept;
      Index count = 0;
      with_threads(threads, nullptr, [&] {
        pipeline(
            slots,
            [&](Index slot) {
              if (count == 500) return false;
              EXPECT_EQ(owners[static_cast<std::size_t>(slot)]++, 0);
              item[static_cast<std::size_t>(slot)] = count++;
              return true;
            },
            [&](Index slot) {
              worked[static_cast<std::size_t>(slot)] = 3 * item[static_cast<std::size_t>(slot)];
              if (item[static_cast<std::size_t>(slot)] % 5 == 0) std::this_thread::yield();
            },
            [&](Index slot) {
              kept.push_back(worked[static_cast<std::size_t>(slot)]);
              EXPECT_EQ(--owners[static_cast<std::size_t>(slot)], 0);
            });
      });
      ASSERT_EQ(kept.size(), 500u);
      for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], 3 * static_cast<Index>(i));
    }
  }
}

TEST(Pipeline, HandsOnExceptionsAndStopsWhenCancelled) {
  const auto nothing = [](Index) {};
  const auto forever = [](Index) { return true; };
  EXPECT_THROW(pipeline(
                   3, [](Index) -> bool { throw InvalidArgument("no"); }, nothing, nothing),
               InvalidArgument);
  EXPECT_THROW(pipeline(
                   3, forever, [](Index) { throw InvalidArgument("no"); }, nothing),
               InvalidArgument);
  EXPECT_THROW(pipeline(3, forever, nothing, [](Index) { throw InvalidArgument("no"); }), InvalidArgument);
  Cancellation cancellation;
  int kept = 0;
  EXPECT_THROW(with_threads(2, &cancellation,
                            [&] {
                              pipeline(3, forever, nothing, [&](Index) {
                                if (++kept == 5) cancellation.request();
                              });
                            }),
               Cancelled);
  EXPECT_EQ(kept, 5);
}

}  // namespace
}  // namespace copse
