#include "copse/model/result_json.h"

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
  report.topics = {{.size = 3, .words = {{0, 0.5, "caf\xC3\xA9"}, {1, 0.25, "bad \xFF byte"}}}, {}};
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

TEST(RunReport, SaysOfTopicsOnlyWhatIsKnown) {
  RunReport report = example();
  report.topics[0].stability = 0.5;
  const Json topics = Json::parse(to_json(report))["topics"];
  EXPECT_EQ(topics[0]["stability"], 0.5);
  EXPECT_EQ(topics[0]["items"], 3);
  EXPECT_FALSE(topics[1].contains("label") || topics[1].contains("stability"));
  EXPECT_EQ(topics[1]["top_features"], Json::array());
}

TEST(RunReport, CommunitiesHaveTheirEdges) {
  RunReport report = example();
  report.graph.emplace().modularity = 0.25;
  report.topics = {{.size = 4, .representatives = {{7, 2.5, "hub"}}, .community = CommunityFacts{.inside = 6}},
                   {.size = 2, .community = CommunityFacts{.neighbours = {{0, 1.5}}}}};
  const Json json = Json::parse(to_json(report));
  EXPECT_FALSE(json.contains("topics"));
  EXPECT_EQ(json["modularity"], 0.25);
  EXPECT_EQ(json["communities"][0]["central"], Json::parse(R"([{"item":"hub","weight":2.5}])"));
  EXPECT_EQ(json["communities"][0]["inside"], 6);
  EXPECT_EQ(json["communities"][1]["neighbours"], Json::parse(R"([{"cluster":0,"weight":1.5}])"));
  EXPECT_FALSE(json["communities"][0].contains("top_features"));
}

TEST(RunReport, ComesBack) {
  RunReport report = example();
  report.kind = "flat";
  report.version = "1.2";
  report.line = "copse factor x";
  report.objective = 3.5;
  report.run_objectives = {3.5, 4};
  report.measures = ClusteringMeasures{.items = 4, .accuracy = 0.75};
  report.consensus = ConsensusOfRuns{.runs = 5, .groups = {0, -1}, .shares = {0.5}};
  report.notes = {"a note"};
  const RunReport back = report_in(nlohmann::ordered_json::parse(to_json(report)));
  // What is written once more is what was read, but for what the model or the next run tells.
  EXPECT_EQ(back.kind, "flat");
  EXPECT_EQ(back.settings, report.settings);
  EXPECT_EQ(back.consensus->groups, report.consensus->groups);
  EXPECT_EQ(back.history.size(), 1u);
  EXPECT_EQ(back.seconds.solve, 3);
  EXPECT_EQ(back.seconds.write, 0);
  Json before = Json::parse(to_json(report)), after = Json::parse(to_json(back));
  for (Json* json : {&before, &after}) {
    for (const char* told : {"topics", "seconds", "peak_memory_bytes"}) json->erase(told);
  }
  EXPECT_EQ(before, after);
}

TEST(RunReport, ForgivesWhatIsOfAnotherType) {
  auto json = nlohmann::ordered_json::parse(to_json(example()));
  json["seed"] = -1;
  json["runs"] = 7;
  json["seconds"] = {{"solve", "long"}, {"read", 2}};
  json["history"] = {1, {{"iteration", 1e300}, {"seconds", 2}}};
  json["notes"] = {"fine", 3};
  const RunReport back = report_in(json);
  EXPECT_EQ(back.seed, 0u);
  EXPECT_EQ(back.seconds.read, 2);
  EXPECT_EQ(back.seconds.solve, 0);
  ASSERT_EQ(back.history.size(), 2u);
  EXPECT_EQ(back.history[1].number, 0);
  EXPECT_EQ(back.history[1].seconds, 2);
  EXPECT_TRUE(back.notes.empty());
}

}  // namespace
}  // namespace copse
