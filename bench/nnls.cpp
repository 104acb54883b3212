// Rows per second of the NNLS solvers, on the Gram matrix of a planted, correlated factor. For HALS also the
// multiply-adds per second (2 flops each), to be set against the `peak` line of the same run.
#include "copse/nnls/nnls.h"

#include <benchmark/benchmark.h>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/gram.h"

namespace copse {
namespace {

template <class T>
struct Problem {
  Matrix<double> gram;
  Matrix<T> rhs;
  Matrix<T> start;
};

// B has 2000 rows of which each column uses a tenth, over a shared background; half of the truth is zero.
template <class T>
Problem<T> problem(Index n, Index k) {
  Random random(1);
  Matrix<T> b(2000, k);
  for (Index i = 0; i < b.rows(); ++i) {
    const double background = 0.1 * random.uniform();
    for (Index c = 0; c < k; ++c)
      b(i, c) = static_cast<T>(background + (random.uniform() < 0.1 ? random.uniform() : 0));
  }
  Problem<T> p{copse::gram(b), Matrix<T>(n, k), Matrix<T>(n, k)};
  std::vector<double> truth(static_cast<std::size_t>(k));
  for (Index i = 0; i < n; ++i) {
    for (double& value : truth) value = random.uniform() < 0.5 ? 0 : random.uniform();
    for (Index c = 0; c < k; ++c) {
      double sum = p.gram(c, c) * 0.1 * random.normal();
      for (Index d = 0; d < k; ++d) sum += p.gram(c, d) * truth[static_cast<std::size_t>(d)];
      p.rhs(i, c) = static_cast<T>(sum);
      p.start(i, c) = static_cast<T>(random.uniform());
    }
  }
  return p;
}

template <class T>
void hals(benchmark::State& state) {
  const Index n = 150000;
  const Index k = state.range(0);
  const auto p = problem<T>(n, k);
  Matrix<T> g = p.start;
  const HalsOptions options{.sweeps = static_cast<int>(state.range(1))};
  HalsReport report;
  for (auto _ : state) {
    sweep_hals(p.gram, p.rhs, g, options, state.range(2) ? &report : nullptr);
    benchmark::ClobberMemory();
  }
  const auto count = static_cast<double>(state.iterations());
  state.counters["rows"] = benchmark::Counter(count * n, benchmark::Counter::kIsRate);
  state.counters["flops"] =
      benchmark::Counter(count * n * 2 * k * k * (options.sweeps + state.range(2)), benchmark::Counter::kIsRate);
}
BENCHMARK(hals<float>)
    ->ArgNames({"k", "sweeps", "report"})
    ->UseRealTime()->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond)
    ->ArgsProduct({{2, 10, 20, 40, 80}, {1, 4}, {0, 1}});
BENCHMARK(hals<double>)
    ->ArgNames({"k", "sweeps", "report"})
    ->UseRealTime()->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond)
    ->ArgsProduct({{10, 40}, {1}, {0, 1}});

}  // namespace
}  // namespace copse
