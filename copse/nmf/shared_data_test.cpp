// One factorization by a team whose members hold some of the items each.
#include "copse/kernels/shared_data.h"

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>

#include "copse/base/traffic.h"
#include "copse/generate/corpus.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/streamed_data.h"
#include "copse/nmf/clusters.h"
#include "copse/nmf/nmf.h"
#include "copse/nmf/sample_start.h"
#include "tests/support/blocked.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"
#include "tests/support/thread_team.h"

namespace copse {
namespace {

template <class T>
SparseMatrix<T> part_of(const SparseMatrix<T>& x, Index begin, Index end) {
  std::vector<Index> items(static_cast<std::size_t>(end - begin));
  std::iota(items.begin(), items.end(), begin);
  return select_columns<T>(x, items);
}

TEST(SharedData, MultipliesAsTheWholeMatrix) {
  const auto x = testing::random_integer_sparse<double>(57, 83, 0.2, 1);
  const auto dense = testing::to_dense(x);
  const auto w = testing::random_integer_dense<double>(57, 4, 2), h = testing::random_integer_dense<double>(83, 4, 3);
  for (const int size : {1, 2, 3, 7}) {
    testing::with_team(size, [&](const Team& team) {
      const auto starts = team.starts_of(83);
      const auto own = part_of(x, starts[team.rank()], starts[team.rank() + 1]);
      const SparseData<double> local{SparseView<double>(own)};
      const SharedData<double> shared(local, team);
      const Whole whole = shared.whole();
      EXPECT_EQ(whole.rows, 57);
      EXPECT_EQ(whole.cols, 83);
      EXPECT_EQ(whole.nonzeros, x.nonzeros());
      EXPECT_EQ(shared.squared_norm(), SparseData<double>(x).squared_norm());
      const auto rows = [](const Matrix<double>& all, Index first, Index count) {
        Matrix<double> part(count, all.cols());
        std::copy_n(all.data() + first * all.cols(), count * all.cols(), part.data());
        return part;
      };
      Matrix<double> out;
      shared.times(rows(h, whole.first_col, shared.cols()), out);
      EXPECT_EQ(shared.all_rows(out), testing::naive::times(dense, h));
      shared.transpose_times(rows(w, whole.first_row, shared.rows()), out);
      const Matrix<double> all = shared.all_items(out);  // for the first
      EXPECT_EQ(all, team.rank() == 0 ? testing::naive::transpose_times(dense, w) : Matrix<double>());
    });
  }
}

// The same factors for any size of the team.
TEST(SharedData, IsFactoredAsTheWholeMatrix) {
  const Planted<double> corpus =
      generate_corpus<double>({.documents = 1500, .terms = 200, .k = 5, .terms_per_document = 30, .seed = 3});
  const auto& x = std::get<SparseMatrix<double>>(corpus.data.values);
  for (const NmfOptions& options :
       {NmfOptions{.rank = 5, .max_iterations = 25, .tolerance = 0},
        {.rank = 5, .solver = Solver::pivoting, .max_iterations = 10},
        {.rank = 5, .start = Start::nndsvdar, .max_iterations = 10, .alpha = 0.1, .beta = 0.01},
        {.rank = 4, .start = Start::random, .runs = 2, .max_iterations = 8, .affine = true}}) {
    const auto expected = factorize(SparseData<double>{SparseView<double>(x)}, options);
    for (const int size : {1, 2, 3}) {
      for (const bool streamed : {false, true}) {
        testing::with_team(size, [&](const Team& team) {
          const auto starts = team.starts_of(x.cols, 256);
          const auto own = part_of(x, starts[team.rank()], starts[team.rank() + 1]);
          const testing::OddBlocks<double> blocks(own, 100);
          const SparseData<double> local{SparseView<double>(own)};
          const StreamedData<double> local_streamed(blocks);
          const SharedData<double> shared(streamed ? static_cast<const Data<double>&>(local_streamed) : local, team);
          const auto found = factorize(shared, options);
          EXPECT_NEAR(found.relative_error, expected.relative_error, 1e-8);
          EXPECT_EQ(found.stop_reason, expected.stop_reason);
          const Matrix<double> h = shared.all_items(found.h);
          EXPECT_EQ(cluster_items(h).labels,
                    team.rank() == 0 ? cluster_items(expected.h).labels : std::vector<Index>());
          const Matrix<double> w = shared.all_rows(found.w);
          for (std::size_t e = 0; e < w.values().size(); ++e) ASSERT_NEAR(w.values()[e], expected.w.values()[e], 1e-6);
        });
      }
    }
  }
}

// The sample of a team is that of one alone: the same items, the same random numbers for their features, of which some
// occur in none of them. Rows that share a step of hals decide together when it has made enough sweeps; a member's part
// of the sample begins inside such a group, so that starts differ by what the last sweep of a few rows changes.
TEST(SharedData, StartsFromTheSampleOfTheWholeMatrix) {
  const Planted<double> corpus =
      generate_corpus<double>({.documents = 3000, .terms = 4000, .k = 5, .terms_per_document = 30, .seed = 3});
  const auto& x = std::get<SparseMatrix<double>>(corpus.data.values);
  const NmfOptions options{.rank = 5};
  const auto expected = sample_start(SparseData<double>{SparseView<double>(x)}, options, 7).w;
  double largest = 0;
  Index empty = 0;
  for (const double value : expected.values()) largest = std::max(largest, value);
  for (Index i = 0; i < expected.rows(); ++i)
    empty += std::ranges::all_of(expected.row(i), [](double v) { return v == 0; });
  EXPECT_GT(empty, 100);
  for (const int size : {2, 3, 5}) {
    testing::with_team(size, [&](const Team& team) {
      const auto starts = team.starts_of(x.cols, 256);
      const auto own = part_of(x, starts[team.rank()], starts[team.rank() + 1]);
      const SparseData<double> local{SparseView<double>(own)};
      const SharedData<double> shared(local, team);
      const Matrix<double> w = shared.all_rows(sample_start(shared, options, 7).w);
      for (std::size_t e = 0; e < w.values().size(); ++e)
        ASSERT_NEAR(w.values()[e], expected.values()[e], 1e-4 * largest);
    });
  }
}

// An iteration sends W and X H' once, a rank's own part of them to all others, and a few sums of k x k and k numbers.
TEST(SharedData, SendsWhatTheFormulaSays) {
  const Index m = 3000, k = 6;
  const auto x = testing::random_integer_sparse<float>(m, 1024, 0.01, 3);
  for (const int size : {2, 3}) {
    std::vector<double> sent;
    std::mutex mutex;
    for (const int iterations : {10, 30}) {
      testing::with_team(size, [&](const Team& team) {
        const auto starts = team.starts_of(x.cols, rows_in_step);
        const auto own = part_of(x, starts[team.rank()], starts[team.rank() + 1]);
        const SparseData<float> local{SparseView<float>(own)};
        const SharedData<float> shared(local, team);
        factorize(
            shared,
            {.rank = k, .start = Start::random, .max_iterations = iterations, .tolerance = 0, .extrapolate = false});
        const std::lock_guard lock(mutex);
        if (team.rank() == 0) sent.push_back(team.bytes_sent());
      });
    }
    EXPECT_EQ((sent[1] - sent[0]) / 20, iteration_traffic(m, k, sizeof(float), size, {}).bytes);
  }
}

}  // namespace
}  // namespace copse
