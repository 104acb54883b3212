#include "copse/advise/explain.h"

#include <gtest/gtest.h>

#include "copse/base/error.h"

namespace copse {
namespace {

RunToExplain flat_run(int processes) {
  RunToExplain run{.file = planned_file(1024, 9976, 1'000'000, Precision::single), .speed = {}, .options = {}};
  run.speed = {.entry = 2e-6, .row = 1e-4, .fetch = 1e-9, .reads_per_level = 10, .reads_per_split = 20};
  run.options = {.job = {.clusters = 6, .memory_limit = 1e12, .samples = false, .engine = Engine::automatic},
                 .processes = processes};
  return run;
}

bool begins(const std::string& line, const std::string& start) { return line.starts_with(start); }

TEST(Explain, ChargesForTheIterationsThatWereMade) {
  RunToExplain run = flat_run(1);
  start_clock(run);
  const auto lines = explain(run, {.iterations = 10});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(begins(lines[0], "explain: memory: at most ")) << lines[0];
  // 1e6 entries and 11,000 rows, ten times: 10 (2 + 1.1) s. It has taken next to nothing.
  EXPECT_TRUE(begins(lines[1], "explain: solver: 31 s of CPU planned for 10 iterations, 0.0")) << lines[1];
  EXPECT_TRUE(begins(explain(run, {.iterations = 1})[1], "explain: solver: 3.1 s of CPU planned for 1 iteration, "));
}

TEST(Explain, TellsReadsMessagesAndTheDevice) {
  const RunToExplain run = flat_run(4);
  const auto lines = explain(run, {.iterations = 10, .bytes_read = 5e6, .bytes_sent = 7e6});
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[2].find("planned, 5.0 MB read."), std::string::npos) << lines[2];
  EXPECT_NE(lines[3].find("planned, 7.0 MB sent."), std::string::npos) << lines[3];
  const auto on_device =
      explain(run, {.device = OpenClTimes{.products = 12, .measured = 3, .predicted = 2, .bytes_sent = 9e6}});
  ASSERT_EQ(on_device.size(), 2u);
  EXPECT_EQ(on_device[1], "explain: device: 2.0 s planned for 12 products, 3.0 s taken; 9.0 MB of the matrix sent.");
}

TEST(Explain, RefusesWhatNoPlanKnows) {
  InputOptions documents;
  documents.documents.emplace();
  EXPECT_THROW(plan_to_explain(documents, {}, Precision::single, 1, nullptr), InvalidArgument);
  EXPECT_THROW(plan_to_explain({}, {}, Precision::single, 1, "several runs"), InvalidArgument);
}

}  // namespace
}  // namespace copse
