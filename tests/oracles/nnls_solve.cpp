// Solves the NNLS problem on stdin and writes g to stdout, for nnls_test.py to compare with SciPy. Arguments: solver,
// k, n. Input: gram (k x k) and right-hand sides (n x k) as raw doubles.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "copse/nnls/nnls.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string solver = argv[1];
  const copse::Index k = std::atoll(argv[2]);
  const copse::Index n = std::atoll(argv[3]);
  copse::Matrix<double> gram(k, k), rhs(n, k), g;
  for (copse::Matrix<double>* matrix : {&gram, &rhs}) {
    const std::size_t size = matrix->values().size();
    if (std::fread(matrix->data(), sizeof(double), size, stdin) != size) return 1;
  }
  if (solver == "active-set") {
    solve_active_set(gram, rhs, g);
  } else if (solver == "pivoting") {
    solve_pivoting(gram, rhs, g);
  } else if (solver == "rank2") {
    solve_rank2(gram, rhs, g);
  } else {
    return 2;
  }
  return std::fwrite(g.data(), sizeof(double), g.values().size(), stdout) == g.values().size() ? 0 : 1;
}
