#include "copse/run/choose_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "copse/base/error.h"
#include "copse/base/random.h"
#include "copse/choose/sketch.h"
#include "copse/model/record_log.h"
#include "copse/model/run_bytes.h"
#include "copse/run/survey_method.h"

namespace copse {
namespace {

// Three groups of items, each with features of its own; enough features that components are sketched.
Dataset<float> groups() {
  Random random(2);
  Matrix<float> values(60, 540);
  for (Index j = 0; j < values.rows(); ++j) {
    for (Index i = 0; i < values.cols(); ++i) {
      const Index block = i < 100 ? 0 : i < 260 ? 1 : 2;
      values(j, i) = block == j % 3 ? static_cast<float>(0.5 + random.uniform()) : 0;
    }
  }
  return {.values = std::move(values)};
}

ChooseRunOptions options_of(const std::string& method) {
  ChooseRunOptions options;
  options.method = &survey_method(method);
  options.survey.ks = {2, 3};
  options.survey.runs = 3;
  options.survey.null = Null::shuffled;
  options.survey.kinds = {RunKind::split, RunKind::null_split, RunKind::resample};
  if (method == "nmf") options.survey.kinds.push_back(RunKind::perturbed);
  return options;
}

class ChooseRun : public ::testing::Test {
 protected:
  ChooseRun() {
    std::string name = ::testing::TempDir() + "copse-choose-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~ChooseRun() override { std::filesystem::remove_all(folder_); }

  ChooseRunOptions kept() const {
    ChooseRunOptions options = options_of("nmf");
    options.run_log = folder_ + "/runs";
    options.worker_logs = folder_ + "/worker-";
    return options;
  }

  // Takes up the runs of a survey of which one was changed.
  template <class Change>
  void resume_with(const Change& change) {
    const Dataset<float> data = groups();
    ChooseRunOptions options = kept();
    run_survey(data, options);
    std::uint64_t mark = 0;
    {
      std::ifstream log(options.run_log, std::ios::binary);
      log.seekg(8);
      log.read(reinterpret_cast<char*>(&mark), sizeof mark);
    }
    std::vector<RunRecord> records;
    read_records(options.run_log, mark,
                 [&](std::int64_t, const std::string& bytes) { records.push_back(unpacked(bytes)); });
    {
      RecordLog log(options.run_log, mark, false);
      bool changed = false;
      for (RunRecord& record : records) {
        if (!changed && record.key.kind == RunKind::perturbed && record.key.k == 3) {
          change(record);
          changed = true;
        }
        log.append(packed(record));
      }
      ASSERT_TRUE(changed);
    }
    options.resume = true;
    run_survey(data, options);
  }

  std::string folder_;
};

TEST(PackedRun, ComesBack) {
  RunRecord record{
      .key = {RunKind::perturbed, 2, 19}, .values = {.25}, .components = Matrix<float>(2, 3), .seconds = 2};
  record.components(1, 2) = 0.5F;
  EXPECT_EQ(unpacked(packed(record)), record);
  record.values.push_back(1);
  EXPECT_THROW(unpacked(packed(record)), InputError);
  record.values.pop_back();
  record.key.k = 3;
  EXPECT_THROW(unpacked(packed(record)), InputError);
  record.key = {static_cast<RunKind>(static_cast<int>(last_run_kind) + 1), 2, 0};
  EXPECT_THROW(unpacked(packed(record)), InputError);
}

TEST_F(ChooseRun, TakesUpPerturbedRunsAndRefusesThoseThatNoSurveyHas) {
  EXPECT_NO_THROW(resume_with([](RunRecord&) {}));
  EXPECT_THROW(resume_with([](RunRecord& record) { record.labels.assign(60, 0); }), InputError);
  EXPECT_THROW(resume_with([](RunRecord& record) { record.components = Matrix<float>(3, 540); }), InputError);
  EXPECT_THROW(resume_with([](RunRecord& record) { record.components(2, 5) = 1e30F; }), InputError);
  EXPECT_THROW(resume_with([](RunRecord& record) { record.components(2, 5) = NAN; }), InputError);
}

TEST_F(ChooseRun, OtherPerturbationsAreOfAnotherSurvey) {
  const Dataset<float> data = groups();
  ChooseRunOptions options = kept();
  run_survey(data, options);
  options.resume = true;
  EXPECT_NO_THROW(run_survey(data, options));
  options.survey.perturbation = 0.03;
  EXPECT_THROW(run_survey(data, options), InputError);
}

// The persistence of each method that has components: high at the planted number, and of as many clusters as it chose.
TEST(WholeSurvey, TellsWhichClustersPersist) {
  for (const std::string method : {"nmf", "tree", "spherical-kmeans", "bisecting", "kmeans", "symnmf"}) {
    const ChooseRunOptions options = options_of(method);
    const SurveyReport report = run_whole_survey(groups(), options);
    const Persistence& found = report.persistence;
    EXPECT_EQ(report.verdict.k, 3) << method;
    if (method == "kmeans" || method == "symnmf") {
      EXPECT_TRUE(found.values.empty()) << method;
      continue;
    }
    EXPECT_EQ(found.ks, options.survey.ks);
    ASSERT_EQ(found.values.size(), 3u) << method;
    EXPECT_EQ(found.topics.size(), 3u);
    for (const std::vector<double>& values : found.values) EXPECT_GT(values[1], 0.98) << method;
  }
}

}  // namespace
}  // namespace copse
