// Runs that a team makes are those that one process makes.
#include "copse/run/shared_runs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/generate/corpus.h"
#include "copse/kernels/in_memory.h"
#include "tests/support/thread_team.h"

namespace copse {
namespace {

template <class T>
SparseMatrix<T> planted() {
  const Planted<T> corpus =
      generate_corpus<T>({.documents = 400, .terms = 150, .k = 6, .terms_per_document = 20, .seed = 8});
  return std::get<SparseMatrix<T>>(corpus.data.values);
}

TEST(SpreadRuns, AreThoseOfOneProcess) {
  const auto x = planted<float>();
  for (const NmfOptions& options :
       {NmfOptions{.rank = 6, .start = Start::random, .runs = 5, .max_iterations = 15},
        {.rank = 4, .start = Start::random, .runs = 4, .max_iterations = 5, .seed = 3, .affine = true},
        {.rank = 4, .start = Start::random, .runs = 3, .max_iterations = 6, .alpha = 0.1, .beta = 0.01}}) {
    const auto expected = factorize(*in_memory(SparseMatrix<float>(x)), options);
    // Every rank may have the best one: more members than runs are among them.
    for (const int size : {1, 2, 3, 7}) {
      testing::with_team(size, [&](const Team& team) {
        const auto own = in_memory(SparseMatrix<float>(x));
        const auto found = spread_runs(*own, options, team);
        if (team.rank() > 0) {
          EXPECT_EQ(found.w.rows() + found.h.rows(), 0);
          return;
        }
        EXPECT_EQ(found.w, expected.w);
        EXPECT_EQ(found.h, expected.h);
        EXPECT_EQ(found.baseline, expected.baseline);
        EXPECT_EQ(found.penalty, expected.penalty);
        EXPECT_EQ(found.run_errors, expected.run_errors);
        EXPECT_EQ(found.best_run, expected.best_run);
        EXPECT_EQ(found.objective, expected.objective);
        EXPECT_EQ(found.relative_error, expected.relative_error);
        EXPECT_EQ(found.stop_reason, expected.stop_reason);
        ASSERT_EQ(found.history.size(), expected.history.size());
        EXPECT_EQ(found.history.back().relative_error, expected.history.back().relative_error);
      });
    }
  }
}

// Whoever is stopped, all end alike: with what there is, or without anything.
TEST(SpreadRuns, StopTogether) {
  const auto x = planted<double>();
  for (const bool at_once : {false, true}) {
    testing::with_team(3, [&](const Team& team) {
      NmfOptions options{.rank = 3, .start = Start::random, .runs = 6, .max_iterations = 30};
      Cancellation stop;
      if (at_once) stop.request();
      if (!at_once && team.rank() == 1) options.progress = [](const Iteration& now) { return now.number < 2; };
      with_threads(1, &stop, [&] {
        const auto own = in_memory(SparseMatrix<double>(x));
        if (at_once) {
          EXPECT_THROW(spread_runs(*own, options, team), Cancelled);
          return;
        }
        const auto found = spread_runs(*own, options, team);
        if (team.rank() > 0) return;
        EXPECT_EQ(found.stop_reason, StopReason::interrupted);
        EXPECT_EQ(found.run_errors.size(), 5u);  // all but run 4, which the second member did not begin
        EXPECT_EQ(found.h.rows(), x.cols);
        EXPECT_EQ(*std::ranges::min_element(found.run_errors), found.run_errors[found.best_run]);
      });
    });
  }
}

}  // namespace
}  // namespace copse
