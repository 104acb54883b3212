#include "copse/advise/explain.h"

#include <gmock/gmock.h>

#include "copse/base/error.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

RunToExplain flat_run(int processes) {
  RunToExplain run{.file = planned_file(1024, 9976, 1'000'000, Precision::single), .speed = {}, .options = {}};
  run.speed = {.entry = 2e-6, .row = 1e-4, .fetch = 1e-9, .reads_per_level = 10, .reads_per_split = 20};
  run.options = {.job = {.clusters = 6, .memory_limit = 1e12, .samples = false, .engine = Engine::automatic},
                 .processes = processes};
  return run;
}

// The line on a subject; empty if there is none.
std::string line_on(const std::vector<std::string>& lines, const std::string& subject) {
  for (const std::string& line : lines) {
    if (line.starts_with("explain: " + subject + ":")) return line;
  }
  return "";
}

TEST(Explain, ChargesForTheIterationsThatWereMade) {
  RunToExplain run = flat_run(1);
  start_clock(run);
  const auto lines = explain(run, {.iterations = 10});
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(line_on(lines, "memory"), Not(IsEmpty()));
  // 1e6 entries and 11,000 rows, ten times: 10 (2 + 1.1) s. It has taken next to nothing.
  EXPECT_THAT(line_on(lines, "solver"), AllOf(HasSubstr(in_seconds(31)), HasSubstr(counted(10, "iteration"))));
  EXPECT_THAT(line_on(lines, "solver"), HasSubstr(" 0.0"));
  EXPECT_THAT(line_on(explain(run, {.iterations = 1}), "solver"),
              AllOf(HasSubstr(in_seconds(3.1)), HasSubstr(counted(1, "iteration"))));
}

TEST(Explain, TellsReadsMessagesAndTheDevice) {
  const RunToExplain run = flat_run(4);
  const auto lines = explain(run, {.iterations = 10, .bytes_read = 5e6, .bytes_sent = 7e6});
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_THAT(line_on(lines, "reads"), HasSubstr(in_bytes(5e6)));
  EXPECT_THAT(line_on(lines, "messages"), HasSubstr(in_bytes(7e6)));
  EXPECT_THAT(line_on(lines, "device"), IsEmpty());
  const auto on_device =
      explain(run, {.device = OpenClTimes{.products = 12, .measured = 3, .predicted = 2, .bytes_sent = 9e6}});
  ASSERT_THAT(on_device, SizeIs(2));
  EXPECT_THAT(line_on(on_device, "solver"), IsEmpty());
  EXPECT_THAT(line_on(on_device, "device"), AllOf(HasSubstr(in_seconds(2)), HasSubstr(counted(12, "product")),
                                                  HasSubstr(in_seconds(3)), HasSubstr(in_bytes(9e6))));
}

}  // namespace
}  // namespace copse
