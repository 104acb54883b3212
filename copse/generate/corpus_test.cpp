#include "copse/generate/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace copse {
namespace {

template <class T>
const SparseMatrix<T>& matrix(const Planted<T>& planted) {
  return std::get<SparseMatrix<T>>(planted.data.values);
}

TEST(Corpus, HasTheSizeAndTheTermsPerDocument) {
  for (const double wanted : {20.0, 70.0, 150.0}) {
    const auto planted = generate_corpus<float>({.documents = 5000, .terms = 8000, .terms_per_document = wanted});
    const auto& x = matrix(planted);
    ASSERT_EQ(x.rows, 8000);
    ASSERT_EQ(x.cols, 5000);
    EXPECT_NEAR(static_cast<double>(x.nonzeros()) / 5000, wanted, 0.06 * wanted);
    EXPECT_TRUE(planted.parents.empty());
    for (Index d = 0; d < x.cols; ++d) {
      double squares = 0;
      for (Index p = x.offsets[d]; p < x.offsets[d + 1]; ++p) {
        ASSERT_GT(x.values[p], 0);
        if (p > x.offsets[d]) {
          ASSERT_LT(x.indices[p - 1], x.indices[p]);
        }
        squares += static_cast<double>(x.values[p]) * x.values[p];
      }
      if (x.offsets[d] < x.offsets[d + 1]) {
        ASSERT_NEAR(squares, 1, 1e-5);
      }
    }
  }
}

TEST(Corpus, WeighsItsCountsByTfIdf) {
  const CorpusOptions options{.documents = 2000, .terms = 1500, .terms_per_document = 40, .seed = 3};
  auto with_counts = options;
  with_counts.counts = true;
  const auto counted = generate_corpus<double>(with_counts), weighted = generate_corpus<double>(options);
  const auto &counts = matrix(counted), &x = matrix(weighted);
  EXPECT_EQ(counted.labels, weighted.labels);
  ASSERT_EQ(counts.offsets, x.offsets);
  ASSERT_EQ(counts.indices, x.indices);
  std::vector<double> holders(1500);
  for (const RowIndex i : counts.indices) ++holders[i];
  for (Index d = 0; d < x.cols; ++d) {
    double squares = 0;
    const auto weight = [&](Index p) { return counts.values[p] * std::log(2000 / holders[counts.indices[p]]); };
    for (Index p = x.offsets[d]; p < x.offsets[d + 1]; ++p) squares += weight(p) * weight(p);
    for (Index p = x.offsets[d]; p < x.offsets[d + 1]; ++p)
      ASSERT_NEAR(x.values[p], weight(p) / std::sqrt(squares), 1e-12);
  }
  for (const double count : counts.values) ASSERT_EQ(count, std::round(count));
}

TEST(Corpus, HasWordsThatFollowZipfsLaw) {
  // The most common words belong to no topic: their frequency is the background's.
  for (const double zipf : {0.8, 1.02}) {
    const auto planted =
        generate_corpus<double>({.documents = 20000, .terms = 20000, .zipf = zipf, .counts = true, .seed = 2});
    std::vector<double> totals(20000);
    const auto& x = matrix(planted);
    for (std::size_t p = 0; p < x.values.size(); ++p) totals[x.indices[p]] += x.values[p];
    double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
    constexpr int words = 100;
    for (int r = 0; r < words; ++r) {
      mean_x += std::log(r + 2.7) / words;
      mean_y += std::log(totals[r]) / words;
    }
    for (int r = 0; r < words; ++r) {
      xy += (std::log(r + 2.7) - mean_x) * (std::log(totals[r]) - mean_y);
      xx += std::pow(std::log(r + 2.7) - mean_x, 2);
    }
    EXPECT_NEAR(xy / xx, -zipf, 0.02);
  }
}

// The mean of each topic over the first `documents` documents, scaled to norm 1.
std::vector<std::vector<double>> topic_means(const Planted<double>& planted, Index k, Index documents) {
  const auto& x = matrix(planted);
  std::vector<std::vector<double>> means(static_cast<std::size_t>(k), std::vector<double>(x.rows));
  for (Index d = 0; d < documents; ++d) {
    for (Index p = x.offsets[d]; p < x.offsets[d + 1]; ++p) means[planted.labels[d]][x.indices[p]] += x.values[p];
  }
  for (auto& mean : means) {
    const double norm = std::sqrt(std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0));
    for (double& value : mean) value /= norm;
  }
  return means;
}

// Share of the documents of the second half that are nearest to the mean of their own topic in the first half.
double recovered(const Planted<double>& planted, Index k) {
  const auto& x = matrix(planted);
  const Index half = x.cols / 2;
  const auto means = topic_means(planted, k, half);
  double hits = 0;
  for (Index d = half; d < x.cols; ++d) {
    std::vector<double> cosine(static_cast<std::size_t>(k));
    for (Index c = 0; c < k; ++c) {
      for (Index p = x.offsets[d]; p < x.offsets[d + 1]; ++p) cosine[c] += x.values[p] * means[c][x.indices[p]];
    }
    hits += std::max_element(cosine.begin(), cosine.end()) - cosine.begin() == planted.labels[d];
  }
  return hits / static_cast<double>(x.cols - half);
}

TEST(Corpus, PlantsTopicsThatCanBeFound) {
  const CorpusOptions options{.documents = 6000, .terms = 5000, .k = 8, .seed = 4};
  auto without = options;
  without.strength = 0;
  EXPECT_GT(recovered(generate_corpus<double>(options), 8), 0.75);
  EXPECT_LT(recovered(generate_corpus<double>(without), 8), 0.35);
  const auto labels = generate_corpus<double>(options).labels;
  for (Index c = 0; c < 8; ++c) EXPECT_GT(std::count(labels.begin(), labels.end(), c), 6000 * 0.25 / 8 / 1.3);
}

TEST(Corpus, GroupsTopicsBelowParents) {
  const Index k = 7, branch = 3;
  const auto planted = generate_corpus<double>({.documents = 6000, .terms = 5000, .k = k, .branch = branch, .seed = 4});
  ASSERT_EQ(planted.parents.size(), planted.labels.size());
  for (std::size_t d = 0; d < planted.labels.size(); ++d) ASSERT_EQ(planted.parents[d], planted.labels[d] / branch);
  const auto means = topic_means(planted, k, 6000);
  double same = 0, different = 0, same_pairs = 0, different_pairs = 0;
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < a; ++b) {
      const double cosine = std::inner_product(means[a].begin(), means[a].end(), means[b].begin(), 0.0);
      (a / branch == b / branch ? same : different) += cosine;
      (a / branch == b / branch ? same_pairs : different_pairs) += 1;
    }
  }
  EXPECT_GT(same / same_pairs, different / different_pairs + 0.05);
}

TEST(Corpus, IsDefinedForOneTopicAndFewDocuments) {
  const auto planted = generate_corpus<float>({.documents = 3, .terms = 100, .k = 1, .terms_per_document = 10});
  EXPECT_EQ(planted.labels, (std::vector<Index>{0, 0, 0}));
  for (const float value : matrix(planted).values) EXPECT_TRUE(std::isfinite(value));
}

// In pieces of any size it is the same corpus, to the bit.
TEST(Corpus, ComesInPieces) {
  for (const bool counts : {false, true}) {
    const CorpusOptions options{
        .documents = 1500, .terms = 400, .k = 6, .branch = 2, .terms_per_document = 30, .counts = counts, .seed = 9};
    const auto whole = generate_corpus<float>(options);
    const auto& x = std::get<SparseMatrix<float>>(whole.data.values);
    for (const Index at_once : {1, 7, 512, 700, 1499, 1500, 9999}) {
      if (at_once == 1 && counts) continue;
      std::vector<Index> labels, sizes;
      std::vector<RowIndex> rows;
      std::vector<float> values;
      generate_corpus<float>(options, at_once, [&](const SparseMatrix<float>& part, std::span<const Index> topics) {
        ASSERT_EQ(part.rows, x.rows);
        ASSERT_EQ(part.cols, static_cast<Index>(topics.size()));
        EXPECT_LE(part.cols, at_once);
        labels.insert(labels.end(), topics.begin(), topics.end());
        rows.insert(rows.end(), part.indices.begin(), part.indices.end());
        values.insert(values.end(), part.values.begin(), part.values.end());
        for (Index j = 0; j < part.cols; ++j) sizes.push_back(part.offsets[j + 1] - part.offsets[j]);
      });
      EXPECT_EQ(labels, whole.labels);
      EXPECT_TRUE(std::ranges::equal(rows, x.indices));
      EXPECT_TRUE(std::ranges::equal(values, x.values));
      ASSERT_EQ(static_cast<Index>(sizes.size()), x.cols);
      for (Index j = 0; j < x.cols; ++j) ASSERT_EQ(sizes[j], x.offsets[j + 1] - x.offsets[j]);
    }
  }
}

}  // namespace
}  // namespace copse
