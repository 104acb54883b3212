#include "copse/choose/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "copse/generate/gene_expression.h"
#include "copse/methods/method.h"

namespace copse {
namespace {

RunRecord start(Index k, int number, double error, std::vector<std::int32_t> labels) {
  return {.key = {RunKind::start, k, number}, .values = {error, 0}, .labels = std::move(labels)};
}

TEST(ClusterFlows, CountItemsOfTheBestStartsInAnOrderThatFollows) {
  const std::vector<RunRecord> records{start(2, 0, .5, {1, 1, 1, 0, 0, 0}), start(2, 1, .4, {0, 0, 0, 0, 1, 1}),
                                       start(3, 0, .3, {2, 2, 1, 1, 0, -1}), start(5, 0, .2, {0, 1, 2, 3, 4, 4})};
  const auto flows = cluster_flows(records, {2, 3, 4, 5});
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].from, 2);
  EXPECT_EQ(flows[0].to, 3);
  // Of k = 3, cluster 2 and 1 come from the first and 0 from the second; 1 stands before 2 since both come whole.
  EXPECT_EQ(flows[0].counts, (std::vector<std::vector<Index>>{{2, 2, 0}, {0, 0, 1}}));
  EXPECT_EQ(flows[1].from, 3);
  EXPECT_EQ(flows[1].to, 5);
  Index items = 0;
  for (const auto& row : flows[1].counts) {
    for (const Index count : row) items += count;
  }
  EXPECT_EQ(items, 5);  // one item had no cluster at k = 3
  EXPECT_TRUE(cluster_flows({}, {2, 3}).empty());
}

TEST(ConsensusPicture, HasTheSharesOfItsItems) {
  const auto planted = generate_gene_expression<double>(
      {.k = 2, .features = 30, .nuisance_features = 5, .items_per_cluster = 12, .deviation = 0.1});
  const auto method = clusterer_by<double>("nmf", NmfOptions{.affine = true});
  Survey<double> survey(planted.data, *method, {.ks = {2}, .kinds = {RunKind::resample}, .runs = 8, .hold_out = {}});
  std::vector<RunRecord> records;
  survey.perform(survey.plan(), [&](RunRecord record) { records.push_back(std::move(record)); });
  const ConsensusPicture whole = consensus_picture(survey, records, 2, 100);
  ASSERT_EQ(whole.items.size(), 24u);
  for (std::size_t a = 0; a < 24; ++a) {
    for (std::size_t b = 0; b < 24; ++b) {
      // By hand, from the labels of the runs.
      double met = 0, together = 0;
      for (const RunRecord& record : records) {
        const auto places = survey.resampled_items(record.key.number);
        const auto label = [&](Index item) -> std::optional<std::int32_t> {
          for (std::size_t e = 0; e < places.size(); ++e) {
            if (survey.order()[places[e]] == item) return record.labels[e];
          }
          return {};
        };
        const auto one = label(whole.items[a]), other = label(whole.items[b]);
        met += one && other;
        together += one && other && *one == *other && *one >= 0;
      }
      const double share = a == b ? 1 : met == 0 ? 0.5 : together / met;
      EXPECT_NEAR(whole.percent[a * 24 + b], 100 * share, 0.51);
    }
    EXPECT_EQ(planted.labels[whole.items[a]] == planted.labels[whole.items[0]], whole.clusters[a] == whole.clusters[0]);
  }
  EXPECT_EQ(consensus_picture(survey, records, 2, 7).items.size(), 7u);
  EXPECT_TRUE(consensus_picture(survey, records, 3, 7).items.empty());
}

}  // namespace
}  // namespace copse
