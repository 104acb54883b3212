// A tree that is stopped: by the clock, by whoever watches it, from outside.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/tree/tree.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

class Stop : public ::testing::Test {
 protected:
  Tree build(const TreeOptions& options) { return build_tree(*data_, options); }

  // The tree has so many leaves and is the beginning of the whole one.
  void expect_beginning(const Tree& tree, Index leaves) {
    const auto whole = build({.leaves = 12});
    ASSERT_EQ(tree.leaves, leaves);
    ASSERT_EQ(static_cast<Index>(tree.nodes.size()), 2 * leaves - 1);
    EXPECT_EQ(tree.partition(tree.splits()), whole.partition(tree.splits()));
  }

  const SparseMatrix<double> x_ = testing::random_integer_sparse<double>(60, 400, 0.1, 6);
  const std::unique_ptr<TreeData<double>> data_ = tree_data<double>(SparseView<double>(x_));
};

TEST_F(Stop, ATimeLimitGivesTheTreeSoFar) {
  const auto none = build({.leaves = 12, .time_limit = 1e-9});
  EXPECT_EQ(none.leaves, 1);
  EXPECT_EQ(none.stop_reason, StopReason::time_limit);
  // Time passes at four leaves.
  const auto wait = [](const TreeProgress& progress) {
    if (progress.leaves == 4) std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    return true;
  };
  const auto some = build({.leaves = 12, .time_limit = 2, .progress = wait});
  EXPECT_EQ(some.stop_reason, StopReason::time_limit);
  expect_beginning(some, 4);
  EXPECT_EQ(build({.leaves = 12, .time_limit = 1e6}).stop_reason, StopReason::converged);
  EXPECT_THROW(build({.leaves = 12, .time_limit = 0}), InvalidArgument);
}

TEST_F(Stop, WhoeverWatchesCanStop) {
  const auto tree = build({.leaves = 12, .progress = [](const TreeProgress& progress) { return progress.leaves < 5; }});
  EXPECT_EQ(tree.stop_reason, StopReason::interrupted);
  expect_beginning(tree, 5);
}

TEST_F(Stop, CancellationGivesTheTreeSoFar) {
  for (const Index leaves : {1, 2, 3, 7}) {
    Cancellation cancellation;
    TreeOptions options{.leaves = 12};
    options.progress = [&](const TreeProgress& progress) {
      if (progress.leaves == leaves) cancellation.request();
      return true;
    };
    Tree tree;
    const auto run = [&] { with_threads(2, &cancellation, [&] { tree = build(options); }); };
    if (leaves == 1) {
      EXPECT_THROW(run(), Cancelled);
    } else {
      run();
      EXPECT_EQ(tree.stop_reason, StopReason::interrupted);
      expect_beginning(tree, leaves);
    }
  }
}

TEST_F(Stop, AGrowthThatThrowsLeavesTheTreeAsItWas) {
  struct Refused {};
  auto tree = build({.leaves = 3});
  const auto before = tree;
  const auto expect_unchanged = [&] {
    EXPECT_EQ(tree.leaves, before.leaves);
    ASSERT_EQ(tree.nodes.size(), before.nodes.size());
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      EXPECT_EQ(tree.nodes[n].items, before.nodes[n].items);
      EXPECT_EQ(tree.nodes[n].topic, before.nodes[n].topic);
      EXPECT_EQ(tree.nodes[n].first, before.nodes[n].first);
      EXPECT_EQ(tree.nodes[n].leaf, before.nodes[n].leaf);
    }
  };
  const Index leaf = tree.leaf_nodes().front();
  for (const Index leaves : {3, 4, 5}) {
    TreeOptions options{.leaves = 4};
    options.progress = [&](const TreeProgress& progress) -> bool {
      if (progress.leaves == leaves) throw Refused();
      return true;
    };
    EXPECT_THROW(grow(tree, leaf, *data_, options), Refused);
    expect_unchanged();
  }
  Cancellation cancellation;
  cancellation.request();
  EXPECT_THROW(with_threads(2, &cancellation, [&] { grow(tree, leaf, *data_, {.leaves = 4}); }), Cancelled);
  expect_unchanged();
  for (const Index node : {Index(-1), Index(99), Index(0)})
    EXPECT_THROW(grow(tree, node, *data_, {.leaves = 4}), InvalidArgument);
  expect_unchanged();
}

TEST_F(Stop, AGrowthThatIsStoppedKeepsWhatItHas) {
  auto tree = build({.leaves = 3});
  Cancellation cancellation;
  TreeOptions options{.leaves = 4};
  options.progress = [&](const TreeProgress& progress) {
    if (progress.leaves == 5) cancellation.request();
    return true;
  };
  const Index leaf = tree.leaf_nodes().front();
  with_threads(2, &cancellation, [&] { grow(tree, leaf, *data_, options); });
  EXPECT_EQ(tree.leaves, 5);
  EXPECT_EQ(tree.stop_reason, StopReason::interrupted);
}

}  // namespace
}  // namespace copse
