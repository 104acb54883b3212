#include "copse/measure/coherence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

// [Kuang 2014, eq. 64] word by word; x is features x items.
double coherence_by_definition(const Matrix<double>& x, const std::vector<Index>& topic, double mu) {
  const auto documents_with = [&](Index a, Index b) {
    int count = 0;
    for (Index j = 0; j < x.cols(); ++j) count += x(a, j) != 0 && x(b, j) != 0;
    return count;
  };
  double sum = 0;
  for (std::size_t i = 0; i < topic.size(); ++i) {
    for (std::size_t j = i; j < topic.size(); ++j) {
      if (documents_with(topic[i], topic[i]) == 0 || documents_with(topic[j], topic[j]) == 0) continue;
      sum += std::log((documents_with(topic[i], topic[j]) + mu) / documents_with(topic[i], topic[i]));
    }
  }
  return sum;
}

TEST(Coherence, IsTheSumOfItsDefinition) {
  auto x = testing::random_integer_sparse<double>(30, 5000, 0.1, 2);
  for (std::size_t p = 0; p < x.values.size(); ++p) {
    if (p % 7 == 0) x.values[p] = 0;         // stored, and still zero
    if (x.indices[p] == 4) x.values[p] = 0;  // a feature that occurs nowhere
  }
  const auto dense = testing::to_dense(x);
  const std::vector<std::vector<Index>> topics{{3, 8, 1, 22, 9}, {8, 4, 3}, {4}, {}, {29}};
  const auto sparse_result = coherence(Dataset<double>{.values = x}, topics, {.terms = 4, .smoothing = 0.5});
  const auto dense_result =
      coherence(Dataset<double>{.values = testing::naive::transposed(dense)}, topics, {.terms = 4, .smoothing = 0.5});
  ASSERT_EQ(sparse_result.size(), topics.size());
  for (std::size_t t = 0; t < topics.size(); ++t) {
    auto topic = topics[t];
    if (topic.size() > 4) topic.resize(4);
    EXPECT_NEAR(sparse_result[t], coherence_by_definition(dense, topic, 0.5), 1e-9);
    EXPECT_EQ(sparse_result[t], dense_result[t]);
  }
}

TEST(Coherence, RefusesWhatCannotBe) {
  const Dataset<double> data{.values = testing::random_integer_sparse<double>(3, 3, 1, 1)};
  EXPECT_THROW(coherence(data, std::vector<std::vector<Index>>{{0, 3}}), InvalidArgument);
  EXPECT_THROW(coherence(data, std::vector<std::vector<Index>>{{0}}, {.smoothing = 0}), InvalidArgument);
}

}  // namespace
}  // namespace copse
