#include <gtest/gtest.h>

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

}  // namespace
}  // namespace copse
