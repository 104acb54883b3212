#include "copse/run/options.h"

#include <gmock/gmock.h>

#include <set>

#include "copse/base/error.h"
#include "copse/input/options.h"
#include "copse/methods/options.h"
#include "copse/run/segment_run.h"

namespace copse {
namespace {

// Every row that has a place is complete, and its default goes into it again.
template <class Options>
void check_rows(const char* struct_name, const Options& defaults = {}) {
  Options options = defaults;
  std::set<std::string> names;
  for (const Option& row : rows<Options>()) {
    SCOPED_TRACE(std::string(struct_name) + "." + row.name);
    const std::optional<Setting> value = row.value(&options);
    if (!value) continue;
    EXPECT_TRUE(names.insert(row.name).second) << "is there twice";
    if (row.is_hidden) {
      EXPECT_FALSE(row.spelled.empty());
      continue;
    }
    EXPECT_FALSE(row.meaning.empty());
    for (const Conflict& conflict : row.conflicts) {
      const Option* other = find_row(rows<Options>(), conflict.with.substr(0, conflict.with.find('=')));
      const std::size_t equals = conflict.with.find('=');
      const bool is_whole = find_row(rows<Options>(), "processes") != nullptr;  // a run, not a part of one
      if (!is_whole || other == nullptr || other->kind != OptionKind::choice || equals == std::string::npos) continue;
      EXPECT_THAT(other->words, testing::Contains(conflict.with.substr(equals + 1)));
    }
    if (row.kind == OptionKind::files) continue;
    const bool is_word = row.kind == OptionKind::choice && *value == Setting(std::string());
    const auto* whole = std::get_if<std::int64_t>(&*value);
    const auto* number = std::get_if<double>(&*value);
    const double given = whole != nullptr ? static_cast<double>(*whole) : number != nullptr ? *number : row.least;
    if (is_word || !(given >= row.least && given <= row.most)) continue;
    row.set(&options, *value);
    EXPECT_EQ(row.value(&options), value);
  }
}

TEST(RunOptions, RowsAreComplete) {
  check_rows<PrepareOptions>("PrepareOptions");
  check_rows<ReadOptions>("ReadOptions");
  check_rows<DocumentInputOptions>("DocumentInputOptions");
  check_rows<InputOptions>("InputOptions", matrix_at("x.mtx"));
  check_rows<InputOptions>("InputOptions", documents_at("docs"));
  check_rows<JointInput>("JointInput");
  check_rows<GraphInputOptions>("GraphInputOptions");
  check_rows<NmfOptions>("NmfOptions");
  check_rows<TreeOptions>("TreeOptions");
  check_rows<GraphClusterOptions>("GraphClusterOptions");
  check_rows<SegmentRunOptions>("SegmentRunOptions");
  check_rows<FlatRunOptions>("FlatRunOptions");
  check_rows<TreeRunOptions>("TreeRunOptions");
  check_rows<GraphRunOptions>("GraphRunOptions");
  check_rows<GraphTreeRunOptions>("GraphTreeRunOptions");
  check_rows<ClusterRunOptions>("ClusterRunOptions");
  check_rows<ChooseRunOptions>("ChooseRunOptions");
  check_rows<CompareOptions>("CompareOptions");
  check_rows<NewItemsOptions>("NewItemsOptions");
}

template <class Options>
std::string reason(const Options& options) {
  try {
    check_conflicts(options);
  } catch (const WrongOption& error) {
    return error.what();
  }
  return "";
}

TEST(RunOptions, WhatTheProgramStartsWithGoesTogether) {
  FlatRunOptions topics;
  topics.input = documents_at("docs");
  topics.exact_items = true;
  EXPECT_EQ(reason(topics), "");
  EXPECT_EQ(reason(FlatRunOptions{}), "");
  EXPECT_EQ(reason(TreeRunOptions{}), "");
  EXPECT_EQ(reason(GraphRunOptions{}), "");
  EXPECT_EQ(reason(GraphTreeRunOptions{}), "");
}

TEST(RunOptions, WhatDoesNotGoTogetherIsRefused) {
  FlatRunOptions flat;
  flat.dc = true;
  flat.consensus.runs = 5;
  EXPECT_THAT(reason(flat), testing::HasSubstr("`consensus`"));
  flat = {};
  flat.explain = true;
  EXPECT_EQ(reason(flat), "");
  flat.nmf.runs = 3;
  EXPECT_THAT(reason(flat), testing::HasSubstr("no plan knows of several runs"));
  flat = {};
  flat.input = documents_at("docs");
  flat.explain = true;
  EXPECT_THAT(reason(flat), testing::HasSubstr("the counting of documents"));
  flat = {};
  flat.nmf.loss = Loss::kullback_leibler;
  EXPECT_EQ(reason_against(flat, "engine=disk"), "the Kullback-Leibler loss needs all entries in memory");
  flat.engine = Engine::disk;
  EXPECT_THAT(reason(flat), testing::HasSubstr("`engine` disk"));
  flat = {};
  flat.joint.links = "links.tsv";
  flat.device = "opencl";
  EXPECT_THAT(reason(flat), testing::HasSubstr("`device`"));
  TreeRunOptions tree;
  tree.flat = false;
  tree.joint.vectors = "vectors.npy";
  EXPECT_THAT(reason(tree), testing::HasSubstr("`flat`"));
  GraphRunOptions graph;
  graph.input.similarity = ItemSimilarity::gaussian;
  EXPECT_THAT(reason(graph), testing::HasSubstr("requires `sigma`"));
  graph.input.sigma = 2;
  EXPECT_EQ(reason(graph), "");
  graph.input.similarity = ItemSimilarity::cosine;
  EXPECT_THAT(reason(graph), testing::HasSubstr("requires `similarity` gaussian"));
}

TEST(RunOptions, SettingsKeepWhatTheyWereCalled) {
  FlatRunOptions flat;
  flat.dc = true;
  flat.start_file = "model.safetensors";
  const Settings settings = run_settings(flat, Precision::single);
  EXPECT_EQ(text_setting(settings, "solver"), "dc");
  EXPECT_EQ(text_setting(settings, "start"), "model.safetensors");
  EXPECT_EQ(text_setting(settings, "precision"), "float");
  for (const char* none : {"stability", "consensus", "consensus_distance", "links", "sparse", "engine", "top"})
    EXPECT_EQ(find_setting(settings, none), nullptr) << none;
  TreeRunOptions tree;
  EXPECT_EQ(find_setting(run_settings(tree, Precision::single), "auto_leaves"), nullptr);
  tree.auto_leaves = true;
  EXPECT_EQ(*find_setting(run_settings(tree, Precision::single), "auto_leaves"), Setting(true));
}

}  // namespace
}  // namespace copse
