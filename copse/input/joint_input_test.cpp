#include "copse/input/joint_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "copse/base/error.h"
#include "copse/graph/normalize.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using ::testing::HasSubstr;

class JointInputTest : public ::testing::Test {
 protected:
  JointInputTest() {
    std::filesystem::create_directories(folder_);
    data_.values = testing::to_sparse(testing::random_integer_dense<double>(6, 4, 1));
  }
  ~JointInputTest() override { std::filesystem::remove_all(folder_); }

  std::string written(const std::string& text) const {
    const std::string path = folder_ / "links.tsv";
    std::ofstream(path) << text;
    return path;
  }
  Graph<double> graph(const JointInput& options) {
    notes_.clear();
    return joint_graph<double>(options, {data_, names_, kept_}, 2, 1e9, {}, notes_);
  }
  // Of normalized links, listed between places in the prepared data.
  static SparseMatrix<double> expected(const std::vector<Edge>& edges) {
    return normalized<double>(graph_from_edges<double>(4, edges).weights, 0.1);
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
  // Five items, of which the second took no part.
  const std::vector<std::string> names_ = {"a", "b", "c", "d", "e"};
  const std::vector<Index> kept_ = {0, 2, 3, 4};
  Dataset<double> data_;
  std::vector<std::string> notes_;
};

TEST_F(JointInputTest, LinksAreMatchedByName) {
  const Graph<double> found =
      graph({.links = written("e\ta\t1\nd\tc\t3\nc\td\t1\nb\ta\t1\nx\ta\t1\nx\ty\t1\nz\tz\t1\n")});
  EXPECT_EQ(found.weights, expected({{3, 0, 1}, {2, 1, 4}}));
  EXPECT_THAT(notes_, ::testing::Contains(HasSubstr("2 links left out, which name 3 ids that are not among")));
  EXPECT_THAT(notes_, ::testing::Contains(HasSubstr("1 link left out, of documents that take no part in the fit")));
}

TEST_F(JointInputTest, ItemsWithoutAnEdgeAreCounted) {
  graph({.links = written("a c\n")});
  EXPECT_THAT(notes_, ::testing::Contains(HasSubstr("2 of 4 documents without a link or neighbour")));
}

TEST_F(JointInputTest, SeveralGraphsAreAddedUp) {
  const std::string links = written("a c\nc e\n");
  const SparseMatrix<double> one = testing::to_sparse(testing::to_dense(graph({.links = links}).weights));
  const SparseMatrix<double> other = graph({.neighbours = NeighbourGraph::words}).weights;
  const auto both = testing::to_dense(graph({.links = links, .neighbours = NeighbourGraph::words}).weights);
  const auto a = testing::to_dense(one), b = testing::to_dense(other);
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) EXPECT_DOUBLE_EQ(both(i, j), a(i, j) + b(i, j));
  }
}

TEST_F(JointInputTest, WhatDoesNotFitIsRefused) {
  EXPECT_THROW(graph({.links = written("x y\n")}), InputError);
  EXPECT_THROW(
      joint_graph<double>({.neighbours = NeighbourGraph::words}, {data_, names_, kept_}, 1000000000, 1.0, {}, notes_),
      InputError);
}

}  // namespace
}  // namespace copse
