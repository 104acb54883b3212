#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <set>
#include <vector>

#include "copse/kernels/gram.h"
#include "copse/nnls/nnls.h"
#include "tests/support/nnls.h"

namespace copse {
namespace {

using testing::expect_exact;
using testing::nnls_problems;

TEST(Pivoting, IsExactOnEveryKindOfProblem) {
  for (Index k : {1, 2, 3, 4, 5, 6, 20, 70}) {
    expect_exact<double>(solve_pivoting<double>, nnls_problems(k, 40));
    expect_exact<float>(solve_pivoting<float>, nnls_problems(k, 40));
  }
}

TEST(Pivoting, IsExactForNoneOneAndManyRightHandSides) {
  for (Index n : {0, 1, 1500}) expect_exact<double>(solve_pivoting<double>, nnls_problems(4, n));
}

// With few and with many coordinates; an item is placed alone or among others.
TEST(Pivoting, GivesARowTheSameBitsInAnyCompany) {
  for (Index k : {5, 70}) {
    for (const testing::NnlsProblem& problem : nnls_problems(k, 37)) {
      const Matrix<double> products = gram(problem.b);
      const Matrix<float> rhs = testing::right_hand_sides<float>(problem);
      Matrix<float> together;
      solve_pivoting(products, rhs, together);
      for (Index row = 0; row < rhs.rows(); ++row) {
        Matrix<float> alone_rhs(1, k), alone;
        std::ranges::copy(rhs.row(row), alone_rhs.row(0).begin());
        solve_pivoting(products, alone_rhs, alone);
        ASSERT_TRUE(std::ranges::equal(alone.row(0), together.row(row))) << problem.name << ", row " << row;
      }
    }
  }
}

// Exchanging all infeasible coordinates at once never ends here; the backup rule does.
TEST(Pivoting, EndsWhereFullExchangesGoInCircles) {
  testing::NnlsProblem problem{"circle", Matrix<double>(3, 3), Matrix<double>(3, 1)};
  const double b[] = {2, 0, 1, 2, 1, 0, 3, 3, -3};
  std::ranges::copy(b, problem.b.values().begin());
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> columns(b);
  const Eigen::Vector3d rhs(1, 4, -5);
  const Eigen::Vector3d y = columns.transpose().fullPivLu().solve(rhs);  // B'y = rhs
  std::copy(y.begin(), y.end(), problem.y.values().begin());

  const Eigen::Matrix3d gram = columns.transpose() * columns;
  std::set<std::vector<Index>> seen;
  std::vector<Index> passive;
  while (seen.insert(passive).second) {
    Eigen::Vector3d g = Eigen::Vector3d::Zero();
    if (!passive.empty()) {
      const Eigen::MatrixXd part = gram(passive, passive);
      g(passive) = part.fullPivLu().solve(Eigen::VectorXd(rhs(passive)));
    }
    const Eigen::Vector3d gradient = gram * g - rhs;
    std::vector<Index> next;
    for (Index c = 0; c < 3; ++c) {
      const bool was_passive = std::ranges::count(passive, c) > 0;
      const bool infeasible = was_passive ? g(c) < -1e-9 : gradient(c) < -1e-9;
      if (was_passive != infeasible) next.push_back(c);
    }
    ASSERT_NE(next, passive) << "full exchanges reach the solution";
    passive = next;
  }
  expect_exact<double>(solve_pivoting<double>, {problem});
  expect_exact<float>(solve_pivoting<float>, {problem});
}

}  // namespace
}  // namespace copse
