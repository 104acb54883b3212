// Runs on graphs with planted communities: what they find, keep, read back and place.
#include "copse/run/graph_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/input/graph_memory.h"
#include "copse/run/graph_assign.h"

namespace copse {
namespace {

namespace fs = std::filesystem;

class GraphRun_ : public ::testing::Test {
 protected:
  GraphRun_() {
    folder_ = fs::path(::testing::TempDir()) /
              (std::string("graph_run_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  ~GraphRun_() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

// Cliques of `size` nodes, one edge from each to the next. Node n is called names(n).
template <class Names>
std::string cliques(Index count, Index size, const Names& names) {
  std::string text;
  const auto edge = [&](Index a, Index b) { text += names(a) + "\t" + names(b) + "\n"; };
  for (Index c = 0; c < count; ++c) {
    for (Index i = 0; i < size; ++i) {
      for (Index j = i + 1; j < size; ++j) edge(c * size + i, c * size + j);
    }
    if (c + 1 < count) edge(c * size, (c + 1) * size);
  }
  return text;
}

std::string number(Index n) { return std::to_string(n); }
std::string word(Index n) { return "node" + std::to_string(n); }

GraphRunOptions options_for(const std::string& path, Index k) {
  GraphRunOptions options;
  options.input.items.path = path;
  options.cluster.k = k;
  return options;
}

TEST_F(GraphRun_, FindsPlantedCommunitiesAndDescribesThem) {
  const auto result = run_graph<double>(options_for(file("edges.tsv", cliques(4, 6, word)), 4));
  ASSERT_EQ(result.report.topics.size(), 4u);
  for (Index i = 0; i < 24; ++i) EXPECT_EQ(result.model.labels[i], result.model.labels[i / 6 * 6]);
  const GraphFacts& facts = *result.report.graph;
  EXPECT_EQ(facts.nodes, 24);
  EXPECT_EQ(facts.edges, 4 * 15 + 3);
  EXPECT_EQ(facts.components, 1);
  EXPECT_EQ(facts.pieces, 0);
  // Of 63 edges 60 lie inside; two communities have one edge outwards, two have two.
  EXPECT_NEAR(facts.coverage, 60. / 63, 1e-12);
  double modularity = 60. / 63;
  for (const double degree : {31., 32., 32., 31.}) modularity -= (degree / 126) * (degree / 126);
  EXPECT_NEAR(facts.modularity, modularity, 1e-12);
  for (const Topic& topic : result.report.topics) {
    const CommunityFacts& community = topic.community.value();
    EXPECT_EQ(topic.size, 6);
    EXPECT_NEAR(community.inside, 15, 1e-12);
    EXPECT_NEAR(community.conductance, community.leaving / (30 + community.leaving), 1e-12);
    ASSERT_EQ(topic.representatives.size(), 6u);
    EXPECT_NEAR(topic.representatives.front().weight, 5, 1e-12);
    for (const auto& [other, weight] : community.neighbours) EXPECT_NEAR(weight, 1, 1e-12);
  }
}

TEST_F(GraphRun_, TakesNodesThatAreNumbersInTheirOrderAndTheTruthByTheirNumber) {
  // 23 comes first in the file, 3 has no edge, and the truth counts 25 nodes: two more than there are.
  std::string edges = "23\t22\n";
  const std::string all = cliques(4, 6, number);
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    const std::string line = all.substr(at, end - at);
    at = end + 1;
    const bool third = line.starts_with("3\t") || line.ends_with("\t3");
    if (!third && line != "22\t23") edges += line + "\n";
  }
  std::string truth;
  for (Index i = 0; i < 25; ++i) truth += "class" + std::to_string(i / 6) + "\n";
  GraphRunOptions options = options_for(file("edges.tsv", edges), 4);
  options.input.items.truth = file("truth.txt", truth);
  const auto result = run_graph<float>(options);
  ASSERT_EQ(result.model.items.item_names.size(), 25u);
  for (Index i = 0; i < 25; ++i) EXPECT_EQ(result.model.items.item_names[i], std::to_string(i));
  EXPECT_EQ(result.report.graph->isolated, 2);
  EXPECT_EQ(result.report.graph->pieces, 2);
  EXPECT_EQ(result.model.labels[3], 4);  // a cluster of its own
  EXPECT_EQ(result.model.labels[24], 5);
  // In the view pieces stand after the communities, and no reader sees them among these.
  ASSERT_EQ(result.view.nodes.size(), 7u);
  EXPECT_EQ(result.view.items[3].node, 5);
  EXPECT_EQ(result.view.nodes[5].size, 1);
  EXPECT_EQ(result.view.outline.children[0].size(), 4u);
  EXPECT_EQ(result.report.topics.size(), 4u);
  ASSERT_TRUE(result.report.measures.has_value());
  // Node 3 alone is not with its class; 24 is a class of its own.
  EXPECT_NEAR(result.report.measures->accuracy, 24. / 25, 1e-12);
  for (const Topic& topic : result.report.topics) EXPECT_EQ(topic.main_class_share, 1);

  // The same graph with numbers from 1.
  std::string shifted;
  for (const char* line = edges.c_str(); *line != '\0';) {
    char* after = nullptr;
    const long a = std::strtol(line, &after, 10), b = std::strtol(after, &after, 10);
    shifted += std::to_string(a + 1) + " " + std::to_string(b + 1) + "\n";
    line = after + 1;
  }
  options.input.items.path = file("from_one.txt", shifted);
  options.input.items.truth = file("truth24.txt", truth.substr(0, truth.rfind("class")));
  const auto from_one = run_graph<float>(options);
  EXPECT_EQ(from_one.model.items.item_names.front(), "1");
  EXPECT_EQ(from_one.model.items.item_names.back(), "24");
  EXPECT_NEAR(from_one.report.measures->accuracy, 23. / 24, 1e-12);
}

TEST_F(GraphRun_, TakesTheTruthByName) {
  std::string truth;
  for (Index i = 23; i >= 0; --i) {
    if (i != 5) truth += word(i) + "\tclass" + std::to_string(i / 6) + "\n";
  }
  truth += "stranger\tclass0\n";
  GraphRunOptions options = options_for(file("edges.tsv", cliques(4, 6, word)), 4);
  options.input.items.truth = file("truth.tsv", truth);
  const auto result = run_graph<double>(options);
  EXPECT_NEAR(result.report.measures->accuracy, 1, 1e-12);
  EXPECT_EQ(result.report.measures->items, 23);
}

TEST_F(GraphRun_, NamesNodesByAList) {
  std::string names;
  for (Index i = 0; i < 24; ++i) names += word(23 - i) + "\n";
  const std::string list = file("nodes.txt", names);
  GraphRunOptions options = options_for(file("edges.tsv", cliques(4, 6, number)), 4);
  options.input.nodes = list;  // numbers in the file: line i + 1 is the name of node i
  EXPECT_EQ(run_graph<double>(options).model.items.item_names.front(), "node23");
  options.input.items.path = file("words.tsv", cliques(4, 6, word));  // names in the file: their order
  const auto ordered = run_graph<double>(options);
  EXPECT_EQ(ordered.model.items.item_names.front(), "node23");
  EXPECT_NEAR(ordered.view.graph_nodes[23].inside, 5, 1e-12);
  options.input.items.path = file("other.tsv", cliques(4, 7, word));
  EXPECT_THROW(run_graph<double>(options), InputError);
}

TEST_F(GraphRun_, ComesBackFromItsFolder) {
  const std::string path = file("edges.tsv", cliques(5, 5, word) + "lonely\tpair\n");
  GraphResult result = run_graph<float>(options_for(path, 5));
  const std::string model = (folder_ / "model.safetensors").string();
  OutputFile out(model);
  write_model(out, result.model, result.report.settings);
  out.commit();
  const CommunityModel read = read_graph_model(Input::open(model));
  EXPECT_EQ(read.graph_of<float>().weights, result.model.graph_of<float>().weights);
  EXPECT_EQ(read.labels, result.model.labels);
  EXPECT_EQ(read.b, result.model.b);
  EXPECT_EQ(read.memberships, result.model.memberships);
  EXPECT_EQ(read.items.item_names, result.model.items.item_names);
  const TopicView view = view_of(read);
  EXPECT_EQ(view.nodes[1].label, result.view.nodes[1].label);
  EXPECT_EQ(view.labels(), result.view.labels());
}

TEST_F(GraphRun_, PlacesNewNodesByTheirEdges) {
  const auto result = run_graph<double>(options_for(file("edges.tsv", cliques(4, 6, word)), 4));
  NewItemsOptions items;
  items.path = file("new.tsv", "a\tnode0\t3\na\tnode7\t1\nb\tnode20\t2\nb\ta\t9\nnode0\tnode9\t5\n");
  const NewNodes<double> nodes = read_new_nodes<double>(items, result.report.settings, result.model);
  ASSERT_EQ(nodes.names, (std::vector<std::string>{"a", "b"}));
  const auto placed = place(result.model, nodes.weights);
  EXPECT_EQ(placed[0].cluster, std::to_string(result.model.labels[0]));
  EXPECT_NEAR(placed[0].weight, 0.75, 1e-12);
  EXPECT_EQ(placed[1].cluster, std::to_string(result.model.labels[20]));
  items.path = file("known.tsv", "node0\tnode1\n");
  EXPECT_THROW(read_new_nodes<double>(items, result.report.settings, result.model), InputError);
}

// Two far clouds in the plane, one item per line.
std::string clouds(Index each, std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (Index i = 0; i < 2 * each; ++i) {
    const double x = (i < each ? 3 : 9) + 0.5 * random.normal(), y = 4 + 0.5 * random.normal();
    text += std::to_string(x) + "," + std::to_string(y) + "\n";
  }
  return text;
}

TEST_F(GraphRun_, ClustersItemsThroughTheirNeighboursAndPlacesNewOnes) {
  for (const ItemSimilarity kind : {ItemSimilarity::self_tuning, ItemSimilarity::gaussian, ItemSimilarity::cosine}) {
    SCOPED_TRACE(static_cast<int>(kind));
    GraphRunOptions options = options_for(file("points.csv", clouds(40, 1)), 2);
    options.input.items.reading.items = Items::rows;
    options.input.items.reading.header = Presence::absent;
    options.input.items.reading.row_names = Presence::absent;
    options.input.similarity = kind;
    options.input.neighbours = 20;  // so many that each cloud is one piece
    options.input.sigma = kind == ItemSimilarity::gaussian ? 1 : 0;
    const auto result = run_graph<double>(options);
    ASSERT_EQ(result.model.nodes(), 80);
    for (Index i = 0; i < 80; ++i) EXPECT_EQ(result.model.labels[i], result.model.labels[i / 40 * 40]) << i;
    NewItemsOptions items;
    items.path = file("new.csv", clouds(5, 2));
    const NewNodes<double> nodes = read_new_nodes<double>(items, result.report.settings, result.model);
    const auto placed = place(result.model, nodes.weights);
    ASSERT_EQ(placed.size(), 10u);
    for (Index i = 0; i < 10; ++i) EXPECT_EQ(placed[i].cluster, std::to_string(result.model.labels[i / 5 * 40])) << i;
    // The edges are those to the nearest, as a search over all pairs finds them.
    const auto& known = std::get<Matrix<double>>(result.model.graph_of<double>().data.values);
    for (Index p = nodes.weights.offsets[0]; kind == ItemSimilarity::self_tuning && p < nodes.weights.offsets[1]; ++p) {
      const auto distance = [&](Index i) { return std::hypot(known(i, 0) - 3, known(i, 1) - 4); };
      EXPECT_LT(distance(nodes.weights.indices[p]), 2);
    }
  }
}

TEST_F(GraphRun_, RefusesWhatCannotBe) {
  const auto sentence = [&](const GraphRunOptions& options) -> std::string {
    try {
      run_graph<float>(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string edges = file("edges.tsv", cliques(2, 3, word));
  EXPECT_NE(sentence(options_for(edges, 7)).find("`clusters` 7 is too large"), std::string::npos);
  EXPECT_NE(sentence(options_for(file("loop.tsv", "a\ta\n"), 1)).find("no edges"), std::string::npos);
  EXPECT_NE(sentence(options_for(file("negative.tsv", "a\tb\t-1\n"), 1)).find("negative"), std::string::npos);
  EXPECT_NE(sentence(options_for(file("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n"), 1))
                .find("`similarity`"),
            std::string::npos);
  GraphRunOptions truth = options_for(edges, 2);
  truth.input.items.truth = file("truth.txt", "a\nb\n");
  EXPECT_NE(sentence(truth).find("2 lines, but the graph has 6 nodes"), std::string::npos);
  GraphRunOptions memory = options_for(edges, 2);
  memory.memory_limit = 1000;
  EXPECT_NE(sentence(memory).find("`memory_limit` allows"), std::string::npos);
}

TEST_F(GraphRun_, GivesTheBestSoFarWhenItIsStopped) {
  const std::string path = file("edges.tsv", cliques(8, 10, word));
  GraphRunOptions options = options_for(path, 8);
  options.cluster.runs = 3;
  options.cluster.start = GraphStart::random;
  options.cluster.tolerance = 0;
  Cancellation cancellation;
  int steps = 0;
  options.cluster.progress = [&](const SymIteration&) {
    if (++steps == 5) cancellation.request();
    return !cancellation.requested();
  };
  GraphResult result;
  with_threads(2, &cancellation, [&] { result = run_graph<double>(options); });
  EXPECT_EQ(result.report.stop_reason, StopReason::interrupted);
  EXPECT_EQ(result.model.labels.size(), 80u);
  EXPECT_TRUE(result.report.graph.has_value());
}

TEST_F(GraphRun_, DoesNotDependOnTheThreads) {
  const std::string path = file("edges.tsv", cliques(12, 9, word));
  GraphResult one, two;
  with_threads(1, nullptr, [&] { one = run_graph<float>(options_for(path, 12)); });
  with_threads(2, nullptr, [&] { two = run_graph<float>(options_for(path, 12)); });
  EXPECT_EQ(one.model.labels, two.model.labels);
  EXPECT_EQ(one.model.b, two.model.b);
}

TEST(GraphMemory, GrowsWithNodesEdgesAndCommunities) {
  const GraphSize size{1000, 5000, 0};
  const double base = graph_memory(size, 10, Precision::single);
  EXPECT_GT(graph_memory({2000, 5000, 0}, 10, Precision::single), base);
  EXPECT_GT(graph_memory({1000, 9000, 0}, 10, Precision::single), base);
  EXPECT_GT(graph_memory(size, 20, Precision::single), base);
  EXPECT_GT(graph_memory(size, 10, Precision::full), base);
}

}  // namespace
}  // namespace copse
