// A project outside the tree that uses an installed copse: finds the two groups among six items.
#include <copse/copse.h>

#include <cstdio>
#include <vector>

int main() {
  // Four words, six documents; row j is document j. The first three are about trees, the others about ships.
  const std::vector<std::vector<double>> counts = {{3, 2, 0, 0}, {4, 3, 0, 0}, {2, 2, 0, 0},
                                                   {0, 0, 5, 1}, {0, 0, 9, 2}, {0, 0, 4, 1}};
  copse::Matrix<double> items(6, 4);
  for (copse::Index j = 0; j < 6; ++j) {
    for (copse::Index i = 0; i < 4; ++i) items(j, i) = counts[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
  }

  const copse::DenseData<double> x(items);
  const auto result = copse::factorize(x, {.rank = 2, .seed = 1});

  std::printf("relative error %.3f after %zu iterations\n", result.relative_error, result.history.size());
  std::vector<int> cluster;
  for (copse::Index j = 0; j < 6; ++j) {
    cluster.push_back(result.h(j, 0) > result.h(j, 1) ? 0 : 1);
    std::printf("document %lld: cluster %d\n", static_cast<long long>(j + 1), cluster.back());
  }
  const int trees = cluster[0];
  return cluster == std::vector<int>{trees, trees, trees, 1 - trees, 1 - trees, 1 - trees} ? 0 : 1;
}
