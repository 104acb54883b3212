// Rows per second of the NNLS solvers, on the Gram matrix of a planted, correlated factor. For HALS also flops per
// second; the peak is 32 (float) or 16 (double) flops per cycle and core with AVX2.
#include "copse/nnls/nnls.h"

#include <benchmark/benchmark.h>

#include <vector>

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

void count(benchmark::State& state, Index n, double flops_per_row) {
  const auto rows = static_cast<double>(state.iterations() * n);
  state.counters["rows"] = benchmark::Counter(rows, benchmark::Counter::kIsRate);
  if (flops_per_row > 0)
    state.counters["flops"] = benchmark::Counter(rows * flops_per_row, benchmark::Counter::kIsRate);
}

template <class T>
void hals(benchmark::State& state) {
  const Index k = state.range(0);
  const auto p = problem<T>(150000, k);
  Matrix<T> g = p.start;
  const HalsOptions options{.sweeps = static_cast<int>(state.range(1))};
  for (auto _ : state) sweep_hals(p.gram, p.rhs, g, options);
  count(state, g.rows(), static_cast<double>(2 * k * k * options.sweeps));
}

template <class T>
void projected_gradient_norm(benchmark::State& state) {
  const auto p = problem<T>(100000, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(squared_projected_gradient(p.gram, p.rhs, p.start));
  count(state, p.rhs.rows(), static_cast<double>(2 * state.range(0) * state.range(0)));
}

template <class T>
void multiplicative(benchmark::State& state) {
  const auto p = problem<T>(100000, state.range(0));
  Matrix<T> g = p.start;
  for (auto _ : state) update_multiplicative(p.gram, p.rhs, g);
  count(state, p.rhs.rows(), static_cast<double>(2 * state.range(0) * state.range(0)));
}

// From the start of the problem, or (warm) from the solution of a problem close by, as in a late iteration of NMF.
template <class T, class Solve>
void solve_from(benchmark::State& state, const Solve& solve) {
  const auto p = problem<T>(100000, state.range(0));
  Matrix<T> start = p.start;
  if (state.range(1)) {
    Matrix<T> nearby = p.rhs;
    Random random(2);
    for (T& value : nearby.values()) value *= static_cast<T>(1 + 0.02 * random.uniform());
    solve_pivoting(p.gram, nearby, start);
  }
  Matrix<T> g;
  for (auto _ : state) {
    state.PauseTiming();
    g = start;
    state.ResumeTiming();
    solve(p.gram, p.rhs, g);
  }
  count(state, p.rhs.rows(), 0);
}

template <class T>
void rank2(benchmark::State& state) {
  solve_from<T>(state, solve_rank2<T>);
}
template <class T>
void active_set(benchmark::State& state) {
  solve_from<T>(state, solve_active_set<T>);
}
template <class T>
void pivoting(benchmark::State& state) {
  solve_from<T>(state, solve_pivoting<T>);
}
template <class T>
void projected_gradient(benchmark::State& state) {
  solve_from<T>(state, [](const auto& gram, const auto& rhs, auto& g) { solve_projected_gradient(gram, rhs, g); });
}

void with_defaults(benchmark::internal::Benchmark* b) {
  b->UseRealTime()->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
}
void solvers(benchmark::internal::Benchmark* b) {
  with_defaults(b);
  b->ArgNames({"k", "warm"})->ArgsProduct({{10, 40}, {0, 1}});
}
void passes(benchmark::internal::Benchmark* b) {
  with_defaults(b);
  b->ArgNames({"k"})->Arg(10)->Arg(40);
}
void sweeps(benchmark::internal::Benchmark* b) {
  with_defaults(b);
  b->ArgNames({"k", "sweeps"})->ArgsProduct({{10, 40}, {1, 4}});
}

BENCHMARK(hals<float>)->Apply(sweeps);
BENCHMARK(hals<double>)->Apply(sweeps);
BENCHMARK(projected_gradient_norm<float>)->Apply(passes);
BENCHMARK(multiplicative<float>)->Apply(passes);
BENCHMARK(rank2<float>)->Apply(with_defaults)->Args({2, 0});
BENCHMARK(rank2<double>)->Apply(with_defaults)->Args({2, 0});
BENCHMARK(pivoting<float>)->Apply(solvers);
BENCHMARK(active_set<float>)->Apply(solvers);
BENCHMARK(projected_gradient<float>)->Apply(solvers);

}  // namespace
}  // namespace copse
