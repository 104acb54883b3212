#include "copse/report/result_json.h"

#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace copse {
namespace {

using Json = nlohmann::json;

RunReport example() {
  RunReport report;
  report.command = "factor";
  report.settings = {{"affine", true},
                     {"runs", std::int64_t(3)},
                     {"time_limit", std::numeric_limits<double>::infinity()},
                     {"solver", std::string("hals")}};
  report.seed = std::numeric_limits<std::uint64_t>::max();
  report.k = 2;
  report.stop_reason = StopReason::interrupted;
  report.seconds = {.read = 1, .prepare = 2, .solve = 3, .write = 4, .total = 10};
  report.run_errors = {0.5, 0.25};
  report.topics = {{.items = 3, .top_features = {{"caf\xC3\xA9", 0.5}, {"bad \xFF byte", 0.25}}}, {}};
  report.history = {{.number = 1, .relative_error = 0.5, .projected_gradient_ratio = 1, .seconds = 0.1}};
  return report;
}

TEST(RunReport, HasTheKeysThatProgramsRelyOn) {
  const Json json = Json::parse(to_json(example()));
  for (const char* key : {"command", "seed", "threads", "k", "rows", "cols", "nonzeros", "iterations", "relative_error",
                          "projected_gradient_ratio", "stop_reason", "seconds", "peak_memory_bytes"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["seed"], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(json["stop_reason"], "interrupted");
  EXPECT_EQ(json["seconds"], Json::parse(R"({"read":1,"prepare":2,"solve":3,"write":4,"total":10})"));
  EXPECT_EQ(json["settings"], Json::parse(R"({"affine":true,"runs":3,"time_limit":null,"solver":"hals"})"));
  EXPECT_EQ(json["topics"][0]["top_features"][0]["feature"], "caf\xC3\xA9");
  EXPECT_EQ(json["history"][0]["iteration"], 1);
}

TEST(RunReport, HasMeasuresOnlyWhereTheTruthIsKnown) {
  RunReport report = example();
  EXPECT_FALSE(Json::parse(to_json(report)).contains("measures"));
  report.measures = ClusteringMeasures{.items = 4, .clusters = 2, .classes = 2, .accuracy = 0.75};
  const Json measures = Json::parse(to_json(report))["measures"];
  for (const char* key : {"accuracy", "nmi", "purity", "entropy", "ari"}) EXPECT_TRUE(measures.contains(key)) << key;
  EXPECT_EQ(measures["accuracy"], 0.75);
}

TEST(RunReport, TablesHaveOneLinePerEntryWhateverTheNames) {
  std::string table = assignments_header(false);
  append_line({"two\twords\n", "1", 0.1f}, false, table);
  append_line({"b", "-1", 0}, false, table);
  EXPECT_EQ(table, "item\tcluster\tweight\ntwo words \t1\t0.1\nb\t-1\t0\n");
  const RunReport report = example();
  EXPECT_EQ(topics_tsv(report.topics),
            "cluster\trank\tfeature\tweight\n0\t1\tcaf\xC3\xA9\t0.5\n0\t2\tbad \xFF byte\t0.25\n");
}

TEST(RunReport, TablesHaveColumnsForNamesAndStabilityWhereTheyAreKnown) {
  std::string table = assignments_header(true);
  append_line({"a", "1", 1, 0.25}, true, table);
  append_line({"b", "0", 1}, true, table);
  EXPECT_EQ(table, "item\tcluster\tweight\tstability\na\t1\t1\t0.25\nb\t0\t1\t\n");
  RunReport report = example();
  report.topics[0].label = "a\tname";
  report.topics[0].stability = 0.5;
  EXPECT_EQ(
      topics_tsv(report.topics),
      "cluster\trank\tfeature\tweight\tlabel\n0\t1\tcaf\xC3\xA9\t0.5\ta name\n0\t2\tbad \xFF byte\t0.25\ta name\n");
  const Json json = Json::parse(to_json(report));
  EXPECT_EQ(json["topics"][0]["stability"], 0.5);
  EXPECT_FALSE(json["topics"][1].contains("label") || json["topics"][1].contains("stability"));
}

}  // namespace
}  // namespace copse
