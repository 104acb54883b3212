#include "copse/choose/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "copse/base/random.h"
#include "copse/generate/corpus.h"
#include "copse/methods/method.h"

namespace copse {
namespace {

struct Values {
  double recurrence, box, shuffled;
};

// Rows for k = 2, 3, ...; every deviation is the same.
SurveyTable table_of(const std::vector<Values>& rows, double deviation) {
  SurveyTable table;
  const auto spread = [&](double centre) { return Spread{.count = 20, .centre = centre, .deviation = deviation}; };
  for (const auto& [own, box, shuffled] : rows) {
    SurveyRow row;
    row.k = static_cast<Index>(table.rows.size()) + 2;
    row.recurrence = spread(own);
    row.null_recurrence = spread(box);
    row.shuffled_recurrence = spread(shuffled);
    table.rows.push_back(row);
  }
  return table;
}

TEST(ChooseByRecurrence, TakesTheHighestAboveTheLargerChance) {
  EXPECT_EQ(choose_by_recurrence(table_of({{.8, .5, .1}, {.8, .1, .2}, {.7, .1, 0}}, .1)), 3);
  EXPECT_EQ(choose_by_recurrence(table_of({{.9, .1, .5}, {.8, .2, .1}, {.7, .5, 0}}, .1)), 2);  // .8, .75, .4
  EXPECT_EQ(choose_by_recurrence(table_of({{.8, .1, .3}, {.98, .5, .1}}, .1)), 3);
}

TEST(ChooseByRecurrence, WantsMoreThanADeviationAboveBothAndMoreThanATwentieth) {
  EXPECT_EQ(choose_by_recurrence(table_of({{.5, .39, 0}}, .1)), 2);
  EXPECT_EQ(choose_by_recurrence(table_of({{.5, .41, 0}}, .1)), 1);
  EXPECT_EQ(choose_by_recurrence(table_of({{.5, 0, .41}}, .1)), 1);
  EXPECT_EQ(choose_by_recurrence(table_of({{.06, 0, 0}}, 0)), 2);
  EXPECT_EQ(choose_by_recurrence(table_of({{.04, 0, 0}}, 0)), 1);
}

TEST(ChooseByRecurrence, SaysNothingWithoutSuchRuns) {
  EXPECT_EQ(choose_by_recurrence({}), std::nullopt);
  SurveyTable table = table_of({{.5, 0, 0}}, .1);
  table.rows[0].k = 1;
  EXPECT_EQ(choose_by_recurrence(table), std::nullopt);
  table = table_of({{.5, 0, 0}}, .1);
  table.rows[0].null_recurrence = {};
  EXPECT_EQ(choose_by_recurrence(table), std::nullopt);
}

// Rows as above with recurrences, and with strengths beside one kind of chance.
SurveyTable table_of(const std::vector<Values>& rows, const std::vector<std::pair<double, double>>& strengths) {
  SurveyTable table = table_of(rows, .01);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.rows[i].strength = Spread{.count = 20, .centre = strengths[i].first, .deviation = .01};
    table.rows[i].null_strength = Spread{.count = 20, .centre = strengths[i].second, .deviation = .01};
  }
  return table;
}

TEST(ChooseByHalves, TakesTheChoiceOfStrengthWhereClustersComeBackWell) {
  EXPECT_EQ(choose_by_halves(table_of({{1, 0, 0}, {.9, 0, 0}}, {{.9, .6}, {.9, .3}})), 3);
  // Not where they come back less than half as well,
  EXPECT_EQ(choose_by_halves(table_of({{1, 0, 0}, {.45, 0, 0}}, {{.9, .6}, {.9, .3}})), 2);
  // nor where the strength is next to that of chance,
  EXPECT_EQ(choose_by_halves(table_of({{1, 0, 0}, {.9, 0, 0}}, {{.6, .9}, {.34, .3}})), 2);
  // nor without recurrence.
  EXPECT_EQ(choose_by_halves(table_of({{.04, 0, 0}, {.04, 0, 0}}, {{.9, .6}, {.9, .3}})), 1);
}

// With one null only, as for sparse data; `returning` clusters come back.
SurveyTable with_one_null(SurveyTable table, const std::vector<double>& returning) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].shuffled_recurrence = {};
    table.rows[i].returning = Spread{.count = 20, .centre = returning[i]};
  }
  return table;
}

TEST(ChooseByReturning, CountsWhatOneMoreClusterLeavesStanding) {
  const auto count = [](const std::vector<double>& returning) {
    return choose_by_returning(
        with_one_null(table_of(std::vector<Values>(returning.size(), {.5, 0, 0}), .1), returning));
  };
  EXPECT_EQ(count({1.9, 2.9, 3.9, 3.6, 3.1}), 4);  // 4 and 5 leave 3.6
  EXPECT_EQ(count({1.9, 2.9, 3.9, 3.1, 3.0}), 3);  // 4 were an accident
  EXPECT_EQ(count({1.9, 2.9, 3.9, 4.9}), 5);       // still growing at the end
  EXPECT_EQ(count({.4, .3, .2}), 2);               // there are clusters, so two at least
  EXPECT_EQ(count({}), std::nullopt);
  SurveyTable grid = with_one_null(table_of({{.5, 0, 0}, {.5, 0, 0}}, .1), {9.2, 13});
  grid.rows[0].k = 10, grid.rows[1].k = 15;
  EXPECT_EQ(choose_by_returning(grid), 15);  // 13 is nearer to 15 than to 10
}

TEST(ChooseByHalves, CountsWhereThereIsOneNullUnlessStrengthIsAHalf) {
  const std::vector<Values> recurring = {{1, 0, 0}, {.9, 0, 0}, {.8, 0, 0}, {.7, 0, 0}};
  const std::vector<double> returning = {2, 3, 4, 4};
  const auto choice = [&](double strength) {
    return choose_by_halves(
        with_one_null(table_of(recurring, {{.5, .45}, {strength, strength - .2}, {.3, .3}, {.3, .3}}), returning));
  };
  EXPECT_EQ(choice(.6), 3);
  EXPECT_EQ(choice(.45), 4);
  SurveyTable none = with_one_null(table_of(std::vector<Values>(4, {.04, 0, 0}), .01), returning);
  EXPECT_EQ(choose_by_halves(none), 1);
}

Verdict verdict_on(const Dataset<float>& data, std::vector<Index> ks, int runs) {
  const auto method = clusterer_by<float>("nmf", NmfOptions{.tolerance = 1e-3});
  Survey<float> survey(
      data, *method,
      {.ks = std::move(ks), .kinds = {RunKind::split, RunKind::null_split}, .runs = runs, .hold_out = {}});
  std::vector<RunRecord> records;
  survey.perform(survey.plan(), [&](RunRecord record) { records.push_back(std::move(record)); });
  return decide(survey, records, tabulate(survey, records, Average::median), Average::median, Question::clusters);
}

// With so many topics the worst cluster is lost in every half, and the strength is that of chance.
TEST(Decide, FindsTheTopicsOfACorpus) {
  const auto planted = generate_corpus<float>({.documents = 600, .terms = 1500, .k = 12, .seed = 4});
  const Verdict verdict = verdict_on(planted.data, {2, 4, 8, 12, 16, 24}, 4);
  EXPECT_EQ(verdict.k, 12) << verdict.sentence;
  EXPECT_LT(verdict.sure, 0.5);  // of sparse data
  EXPECT_LE(verdict.least, 12);
  EXPECT_GE(verdict.most, 12);
  // Four runs give no p below 1/9: the sentence says so, and may not rule out what it does not.
  EXPECT_NE(verdict.sentence.find("the least that so few runs can show"), std::string::npos) << verdict.sentence;
  EXPECT_NE(verdict.sentence.find("No structure (k = 1) is not ruled out."), std::string::npos) << verdict.sentence;
}

// Where less than half of the draws agree, the sentence names the others.
TEST(Decide, NamesTheNumbersThatDrawsDisagreeOn) {
  const Dataset<float> data{.values = Matrix<float>(200, 5)};
  const auto method = clusterer_by<float>("nmf", NmfOptions{});
  const auto sentences = [&](const std::vector<Index>& ks) {
    std::vector<std::string> wide;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Survey<float> survey(data, *method, {.ks = ks, .runs = 10, .seed = seed, .hold_out = {}});
      std::vector<RunRecord> records;
      for (int number = 0; number < 10; ++number) {
        for (const Index k : ks) {
          Random random(seed, static_cast<std::uint64_t>(100 * number + k));
          const double value = 0.3 * static_cast<double>(1 + random.below(3));  // many draws are level
          records.push_back({.key = {RunKind::split, k, number}, .values = {0, 0, value, value, 2, 2}});
          for (const RunKind null : {RunKind::null_split, RunKind::shuffled_split})
            records.push_back({.key = {null, k, number}, .values = {0, 0, 0, 0, 1, 1}});
        }
      }
      const SurveyTable table = tabulate(survey, records, Average::median);
      const Verdict verdict = decide(survey, records, table, Average::median, Question::clusters);
      if (verdict.sure < 0.5) wide.push_back(verdict.sentence);
    }
    return wide;
  };
  const auto all_say = [](const std::vector<std::string>& wide, const std::vector<std::string>& beginnings) {
    EXPECT_FALSE(wide.empty());
    for (const std::string& sentence : wide) {
      EXPECT_TRUE(std::ranges::any_of(beginnings, [&](const std::string& one) { return sentence.starts_with(one); }))
          << sentence;
    }
  };
  all_say(sentences({2, 3}), {"2 clusters, or 3. ", "3 clusters, or 2. "});
  all_say(sentences({2, 4, 7}), {"2 clusters, or any number from 2 to 7. ", "4 clusters, or any number from 2 to 7. ",
                                 "7 clusters, or any number from 2 to 7. ", "2 clusters, or any number from 2 to 4. ",
                                 "4 clusters, or any number from 2 to 4. ", "4 clusters, or any number from 4 to 7. ",
                                 "7 clusters, or any number from 4 to 7. "});
}

// A verdict settles when its last runs did not change it and nearly all surveys drawn anew agree.
TEST(IsSettled, WantsTheSameVerdictAsBeforeTheLastRunsAndAgreement) {
  const SurveyOptions options{.ks = {2, 3}, .hold_out = {}};
  const auto records = [](int runs, const auto& third) {
    std::vector<RunRecord> list;
    for (int number = 0; number < runs; ++number) {
      const double other = third(number);
      list.push_back({.key = {RunKind::split, 2, number}, .values = {.7, .7, .7, .7, 2, 2}});
      list.push_back({.key = {RunKind::split, 3, number}, .values = {other, other, other, other, 3, 3}});
      for (const Index k : {2, 3}) {
        for (const RunKind null : {RunKind::null_split, RunKind::shuffled_split})
          list.push_back({.key = {null, k, number}, .values = {.1, .1, 0, 0, 1, 1}});
      }
    }
    return list;
  };
  const auto settled = [&](const std::vector<RunRecord>& list) {
    return is_settled(options, list, Average::mean, Question::clusters, 5);
  };
  EXPECT_TRUE(settled(records(10, [](int) { return .2; })));
  EXPECT_FALSE(settled(records(10, [](int number) { return number % 2 == 1 ? 1 : .38; })));  // half of the draws say 3
  EXPECT_FALSE(settled(records(10, [](int number) { return number < 5 ? .6 : 1.0; })));      // five runs ago it was 2
  EXPECT_FALSE(settled({}));
}

// Documents of one topic: every word by its frequency alone.
TEST(Decide, SeesNoClustersInWordsOfOneTopic) {
  Random random(6);
  SparseMatrix<float> words{.rows = 800, .cols = 400};
  std::vector<double> up_to;
  for (int i = 0; i < 800; ++i) up_to.push_back((up_to.empty() ? 0 : up_to.back()) + 1.0 / (i + 1));
  for (Index j = 0; j < words.cols; ++j) {
    std::map<Index, float> counts;
    const Index length = 20 + random.below(200);
    for (Index w = 0; w < length; ++w)
      ++counts[std::ranges::lower_bound(up_to, up_to.back() * random.uniform()) - up_to.begin()];
    for (const auto& [word, count] : counts) {
      words.indices.push_back(static_cast<RowIndex>(word));
      words.values.push_back(count);
    }
    words.offsets.push_back(static_cast<Index>(words.values.size()));
  }
  const Verdict verdict = verdict_on({.values = std::move(words)}, {2, 3, 5, 10, 20}, 5);
  EXPECT_EQ(verdict.k, 1) << verdict.sentence;
}

}  // namespace
}  // namespace copse
