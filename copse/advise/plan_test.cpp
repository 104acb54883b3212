#include "copse/advise/plan.h"

#include <gtest/gtest.h>

namespace copse {
namespace {

constexpr Speed speed{.entry = 2e-9, .row = 1e-7, .fetch = 1e-9, .reads_per_level = 10, .reads_per_split = 20};

PlanOptions flat(int processes) {
  return {.job = {.clusters = 6, .memory_limit = 1e12, .samples = false, .engine = Engine::automatic},
          .processes = processes,
          .iterations = 10};
}

TEST(Plan, OfFlatClustersIsTheHandCalculation) {
  const PlannedFile file = planned_file(1024, 9976, 1'000'000, Precision::single);
  const Plan alone = plan_run(file, speed, flat(1));
  EXPECT_EQ(alone.engine, "memory");
  EXPECT_EQ(alone.memory, estimate_memory(file.summary, flat(1).job, Precision::single).total());
  EXPECT_EQ(alone.bytes_read, file.bytes);
  EXPECT_EQ(alone.traffic.bytes, 0);
  // 1e6 entries and 11,000 rows, ten times.
  EXPECT_NEAR(alone.cpu_seconds, 10 * (2e-3 + 1.1e-3), 1e-12);
  EXPECT_EQ(alone.seconds, alone.cpu_seconds);

  const Plan four = plan_run(file, speed, flat(4));
  EXPECT_EQ(four.engine, "mpi");
  EXPECT_NEAR(four.cpu_seconds, alone.cpu_seconds / 4, 1e-12);
  EXPECT_EQ(four.iteration.bytes, 36864 + 2976);  // traffic_test.cpp
  // Both factors go to all in the end.
  EXPECT_NEAR(four.traffic.bytes, 10 * four.iteration.bytes + 3.0 / 4 * 11'000 * 6 * 4, 1e-6);
  EXPECT_NEAR(four.seconds, four.cpu_seconds + four.traffic.seconds, 1e-12);
}

TEST(Plan, LeavesInTheFileWhatDoesNotFit) {
  const PlannedFile file = planned_file(1024, 99'760, 100'000'000, Precision::single);
  PlanOptions options = flat(1);
  options.job.memory_limit = 400e6;
  const Plan plan = plan_run(file, speed, options);
  EXPECT_EQ(plan.engine, "disk");
  EXPECT_TRUE(plan.problem.empty()) << plan.problem;
  EXPECT_EQ(plan.file_reads, 13);
  EXPECT_EQ(plan.bytes_read, 13 * file.bytes);
  EXPECT_NEAR(plan.cpu_seconds, 10 * (0.2 + 0.0100784) + 13 * 0.1, 1e-9);
  options.job.memory_limit = 30e6;
  EXPECT_NE(plan_run(file, speed, options).problem.find("`memory_limit` allows 30 MB"), std::string::npos);
  // With enough processes the share of each fits.
  options.job.memory_limit = 400e6;
  options.processes = 16;
  EXPECT_FALSE(plan_run(file, speed, options).in_file);
}

TEST(Plan, PutsCoefficientsIntoScratchFilesBeforeItRefuses) {
  const PlannedFile many_items = planned_file(1024, 1'000'000, 10'000'000, Precision::single);
  PlanOptions options = flat(1);
  options.job.clusters = 50;
  options.job.engine = Engine::disk;
  options.job.memory_limit = 4e9;
  const Plan roomy = plan_run(many_items, speed, options);
  EXPECT_EQ(roomy.spilled, 0);
  options.job.memory_limit = 400e6;
  const Plan narrow = plan_run(many_items, speed, options);
  EXPECT_TRUE(narrow.problem.empty()) << narrow.problem;
  EXPECT_GE(narrow.spilled, 3 * 1e6 * 50 * 4);
  EXPECT_LT(narrow.memory, roomy.memory - narrow.spilled / 2);
  // Where W is as large, nothing is gained.
  const PlannedFile square = planned_file(1'000'000, 1'000'000, 10'000'000, Precision::single);
  EXPECT_EQ(plan_run(square, speed, options).spilled, 0);
  EXPECT_FALSE(plan_run(square, speed, options).problem.empty());
}

TEST(Plan, OfATreeCountsLevels) {
  const PlannedFile file = planned_file(1024, 9976, 1'000'000, Precision::single);
  PlanOptions options{.job = {.gives = Gives::tree, .clusters = 8, .memory_limit = 1e12}};
  // Ten reads on each of four levels.
  EXPECT_NEAR(plan_run(file, speed, options).cpu_seconds, 4 * 10 * 1e6 * 2e-9, 1e-12);
  options.processes = 2;
  EXPECT_GT(plan_run(file, speed, options).traffic.bytes, 0);
}

TEST(Plan, MeasuresThisMachine) {
  const PlannedFile file = planned_file(2000, 50'000, 2'000'000, Precision::single);
  const Speed flat_speed = measure_speed(file, "", {}, flat(1));
  EXPECT_GT(flat_speed.entry, 1e-11);
  EXPECT_LT(flat_speed.entry, 1e-6);
  EXPECT_GT(flat_speed.row, 1e-10);
  const Speed tree = measure_speed(file, "", {}, {.job = {.gives = Gives::tree, .clusters = 5, .memory_limit = 1e12}});
  EXPECT_GE(tree.reads_per_split, 1);
  EXPECT_GE(tree.reads_per_level, 1);
}

}  // namespace
}  // namespace copse
