// Walks the registry: what holds for every method, on data whose answer is known.
#include "copse/methods/method.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/generate/mixture.h"
#include "copse/graph/similarity.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/clustering.h"
#include "copse/methods/choices.h"
#include "copse/methods/place.h"
#include "copse/nmf/clusters.h"
#include "copse/tree/flatten.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

constexpr Index groups = 4;

// Documents of four topics with words of their own and a few common ones, their graph, and a picture of four fields:
// one of them is what a method reads.
struct Planted {
  Dataset<float> items;
  Graph<float> graph;
  std::vector<Index> labels;
  Plane strength;
  PixelShape shape{24, 20};
  std::vector<Index> fields;
};

Planted planted_data(Index n, std::uint64_t seed) {
  Matrix<float> counts(44, n);
  Planted planted;
  for (Index d = 0; d < n; ++d) {
    Random random(seed, static_cast<std::uint64_t>(d));
    planted.labels.push_back(d % groups);
    for (int word = 0; word < 40; ++word) {
      const bool common = random.uniform() < 0.1;
      counts(common ? 40 + random.below(4) : 10 * (d % groups) + random.below(10), d) += 1;
    }
  }
  planted.items.values = testing::to_sparse(counts);
  planted.graph = similarity_graph(planted.items);
  for (Index p = 0; p < planted.shape.pixels(); ++p) {
    const Index x = p % planted.shape.width, y = p / planted.shape.width;
    planted.strength.push_back(x == 8 || y == 10 ? 0.9F : 0.01F);
    planted.fields.push_back((x > 8) + 2 * (y > 10));
  }
  return planted;
}

struct Found {
  MethodResult<float> result;
  std::vector<Index> truth;
};

// k clusters of what the method reads.
Found found_by(const Method& method, const Planted& planted, Index k = groups) {
  MethodOptions options = options_for(method);
  options.k = k;
  options.seed = 3;
  const PixelLines lines{planted.strength, planted.strength, planted.shape};
  MethodData<float> data{.items = &planted.items, .picture = &lines};
  if (method.traits.reads_graph()) data.graph = &planted.graph;
  if (method.traits.reads == Reads::picture) data = {.picture = &lines};
  return {cluster_by(data, options), method.traits.reads == Reads::picture ? planted.fields : planted.labels};
}

TEST(Methods, HaveNamesAndMeaningsOfTheirOwn) {
  std::set<std::string> names, meanings;
  for (const Method* method : methods()) {
    EXPECT_TRUE(names.insert(method->name).second) << method->name;
    EXPECT_TRUE(meanings.insert(method->meaning).second) << method->name;
    EXPECT_FALSE(method->meaning.empty()) << method->name;
    EXPECT_EQ(&method_called(method->name), method);
    EXPECT_TRUE(method->fit) << method->name;
    EXPECT_NE(name_of(method->traits.gives), "");
  }
  EXPECT_THROW(method_called("no such method"), WrongOption);
  for (const char* command : {"factor", "tree", "graph", "segment", "cluster"})
    EXPECT_EQ(std::ranges::count_if(methods_of(command), &Method::by_default), 1) << command;
}

TEST(Methods, HaveOptionsThatSayWhatTheyMean) {
  for (const Method* method : methods()) {
    MethodOptions options = options_for(*method);
    std::set<std::string> names;
    for (const Option& row : bound(options).rows) {
      EXPECT_TRUE(names.insert(row.name).second) << method->name << " " << row.name;
      EXPECT_FALSE(row.meaning.empty()) << method->name << " " << row.name;
      const std::optional<Setting> value = row.get(&options);
      ASSERT_TRUE(value) << method->name << " " << row.name;
      // What it has by default can be given.
      EXPECT_NO_THROW(row.set(&options, *value)) << method->name << " " << row.name;
      EXPECT_EQ(row.get(&options), value) << method->name << " " << row.name;
    }
    EXPECT_THROW(take_given({{"no such option", 1.0}}, bound(options)), WrongOption);
    // Options of another method have no place here.
    MethodOptions other = options_for(*method);
    other.own = 3;
    for (const Option& row : method->rows)
      EXPECT_EQ(row.get(&other).has_value(), find_row(common_rows(), row.name) != nullptr) << row.name;
  }
}

// Results say what was asked for, and leave out what newer options have by default.
TEST(Methods, StoreWhatWasAskedFor) {
  for (const Method* method : methods()) {
    MethodOptions options = options_for(*method);
    Settings before, after;
    add_settings(options, before);
    EXPECT_EQ(text_setting(before, "method"), method->name);
    EXPECT_NE(find_setting(before, "runs"), nullptr);
    EXPECT_EQ(find_setting(before, "seed"), nullptr);
    MethodOptions unasked{.method = method};
    add_settings(unasked, after);
    EXPECT_EQ(before, after);
  }
  MethodOptions lda = options_for(method_called("lda"));
  take_given({{"alpha", 0.5}, {"move_prior", false}}, bound(lda));
  Settings settings;
  add_settings(lda, settings);
  EXPECT_EQ(*find_setting(settings, "alpha"), Setting(0.5));
  EXPECT_EQ(*find_setting(settings, "move_prior"), Setting(false));
  EXPECT_EQ(find_setting(settings, "beta"), nullptr);
}

TEST(Methods, FindPlantedClusters) {
  const Planted planted = planted_data(120, 3);
  for (const Method* method : methods()) {
    const auto [found, truth] = found_by(*method, planted);
    ASSERT_EQ(found.labels.size(), truth.size()) << method->name;
    EXPECT_EQ(found.k, groups) << method->name;
    std::set<Index> labels(found.labels.begin(), found.labels.end());
    labels.erase(-1);
    EXPECT_EQ(static_cast<Index>(labels.size()), groups) << method->name;
    EXPECT_EQ(*labels.rbegin(), groups - 1) << method->name;
    EXPECT_GT(compare_clusterings(found.labels, truth).nmi, 0.8) << method->name;
    EXPECT_FALSE(found.run_objectives.empty()) << method->name;
  }
}

// The naive twin: the largest weight tells the label, and the items of the fit are placed where they are.
TEST(Methods, PlaceItemsAsTheySay) {
  const Planted planted = planted_data(120, 3), others = planted_data(40, 8);
  for (const Method* method : methods()) {
    const auto [found, truth] = found_by(*method, planted);
    EXPECT_EQ(found.place, method->traits.place) << method->name;
    EXPECT_EQ(found.weights.rows() > 0, method->traits.soft) << method->name;
    for (Index j = 0; j < found.weights.rows(); ++j) {
      const auto row = found.weights.row(j);
      EXPECT_EQ(std::ranges::max_element(row) - row.begin(), found.labels[j]) << method->name;
    }
    if (found.w.cols() == 0) continue;
    ASSERT_EQ(found.w.rows(), planted.items.features()) << method->name;
    ASSERT_EQ(found.w.cols(), groups) << method->name;
    const auto placed = [&](const Dataset<float>& items) {
      return cluster_items(
                 weights_at<float>(*in_memory(items), {.by = *found.place, .w = found.w, .prior = found.prior}))
          .labels;
    };
    std::vector<Index> both = found.labels, known = placed(planted.items);
    EXPECT_GT(compare_clusterings(known, both).nmi, 0.9) << method->name;
    // New items join the cluster of their topic.
    const std::vector<Index> fresh = placed(others.items);
    std::vector<Index> all = found.labels, classes = truth;
    all.insert(all.end(), fresh.begin(), fresh.end());
    classes.insert(classes.end(), others.labels.begin(), others.labels.end());
    EXPECT_GT(compare_clusterings(all, classes).nmi, 0.8) << method->name;
  }
}

TEST(Methods, GiveTheSameBitsWithAnyNumberOfThreads) {
  const Planted planted = planted_data(120, 5);
  for (const Method* method : methods()) {
    std::optional<MethodResult<float>> alone;
    for (const int threads : {1, 3}) {
      with_threads(threads, nullptr, [&] {
        MethodResult<float> found = found_by(*method, planted).result;
        if (!alone) {
          alone = std::move(found);
          return;
        }
        EXPECT_EQ(found.labels, alone->labels) << method->name;
        EXPECT_EQ(found.w, alone->w) << method->name;
        EXPECT_EQ(found.weights, alone->weights) << method->name;
        EXPECT_EQ(found.objective, alone->objective) << method->name;
        EXPECT_EQ(found.extras, alone->extras) << method->name;
      });
    }
  }
}

// Another seed changes nothing where the registry says so.
TEST(Methods, NeedNoSeedWhereTheySaySo) {
  const Planted planted = planted_data(80, 6);
  const PixelLines lines{planted.strength, planted.strength, planted.shape};
  for (const Method* method : methods()) {
    if (method->traits.random) continue;
    MethodOptions options = options_for(*method);
    options.k = 3;
    const MethodData<float> data{.items = &planted.items, .graph = &planted.graph, .picture = &lines};
    const auto one = cluster_by(data, options);
    options.seed = 17;
    const auto other = cluster_by(data, options);
    EXPECT_EQ(one.labels, other.labels) << method->name;
    EXPECT_EQ(one.w, other.w) << method->name;
  }
}

TEST(Methods, CostMoreForMore) {
  for (const Method* method : methods()) {
    MethodOptions options = options_for(*method);
    options.k = 5;
    const Workload small{.items = 1000, .features = 500, .entries = 30000};
    const Workload large{.items = 2400, .features = 2000, .entries = 480000};
    const Cost little = method->cost(small, options), much = method->cost(large, options);
    EXPECT_GT(little.bytes, 0) << method->name;
    EXPECT_GT(little.operations, 0) << method->name;
    EXPECT_GT(much.bytes, little.bytes) << method->name;
    EXPECT_GT(much.operations, little.operations) << method->name;
    EXPECT_GT(much.seconds(), 0) << method->name;
    options.k = 10;
    EXPECT_GE(method->cost(small, options).bytes, little.bytes) << method->name;
  }
}

TEST(Methods, RefuseWhatTheyCannotRead) {
  const Planted planted = planted_data(40, 1);
  for (const Method* method : methods()) {
    MethodOptions options = options_for(*method);
    options.k = 4;
    EXPECT_THROW(cluster_by<float>({}, options), InvalidArgument) << method->name;
    const MethodData<float> data{.items = &planted.items, .graph = &planted.graph};
    options.k = 41;
    EXPECT_THROW(cluster_by(data, options), InvalidArgument) << method->name;
    options.k = 0;
    if (!method->traits.chooses_k) {
      EXPECT_THROW(cluster_by(data, options), InvalidArgument) << method->name;
    }
  }
}

template <class T>
void find_a_mixture() {
  const auto mixture = generate_mixture<T>({.k = groups, .features = 40, .items = 200, .seed = 3});
  std::vector<Edge> edges;
  for (RowIndex i = 0; i < 200; ++i) {
    for (RowIndex j = 0; j < i; ++j) {
      if (mixture.labels[i] == mixture.labels[j]) edges.push_back({i, j, 1.0});
    }
  }
  const Graph<T> graph = graph_from_edges<T>(200, edges);
  for (const char* name : {"kmeans", "spherical-kmeans", "hierarchical-kmeans", "bisecting", "kernel-kmeans",
                           "spectral", "yu-shi", "cluster-qr"}) {
    MethodOptions options = options_for(method_called(name));
    options.k = groups;
    options.runs = 5;
    options.seed = 2;
    const auto found = cluster_by<T>({.items = &mixture.data, .graph = &graph}, options);
    EXPECT_EQ(found.k, groups) << name;
    EXPECT_GT(compare_clusterings(found.labels, mixture.labels).ari, 0.9) << name;
  }
}

TEST(Methods, FindAMixtureInBothPrecisions) {
  find_a_mixture<float>();
  find_a_mixture<double>();
}

// Values that only some methods have.
TEST(Methods, SayMoreByName) {
  const Planted planted = planted_data(60, 2);
  const auto extra = [&](const char* name, const char* what) {
    return found_by(method_called(name), planted).result.extras.at(what);
  };
  EXPECT_EQ(std::get<std::vector<double>>(extra("lda", "alpha")).size(), 4u);
  EXPECT_EQ(std::get<std::vector<Index>>(extra("anchors", "anchors")).size(), 4u);
  EXPECT_EQ(std::get<Matrix<float>>(extra("xray", "coefficients")).rows(), 44);
  EXPECT_EQ(std::get<Matrix<float>>(extra("gnmf", "h")).rows(), 60);
  EXPECT_EQ(std::get<Matrix<float>>(extra("spectral", "vectors")).cols(), 4);
  EXPECT_TRUE(std::get<bool>(extra("spectral", "converged")));
  const auto exemplars = std::get<std::vector<Index>>(extra("affinity-propagation", "exemplars"));
  const auto found = found_by(method_called("affinity-propagation"), planted).result;
  for (std::size_t c = 0; c < exemplars.size(); ++c) EXPECT_EQ(found.labels[exemplars[c]], static_cast<Index>(c));
}

}  // namespace
}  // namespace copse
