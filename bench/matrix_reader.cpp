// Time to read the matrix file that COPSE_BENCH_MATRIX names, in this process, from the page cache.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "copse/base/parallel.h"
#include "copse/io/matrix_file.h"

namespace copse {
namespace {

template <class T>
void read_file(benchmark::State& state) {
  const char* path = std::getenv("COPSE_BENCH_MATRIX");
  if (path == nullptr) {
    state.SkipWithError("COPSE_BENCH_MATRIX names no file; read_matrix.py sets it");
    return;
  }
  with_threads(static_cast<int>(state.range(0)), nullptr, [&] {
    for (auto _ : state) benchmark::DoNotOptimize(read_matrix<T>(std::filesystem::path(path)));
  });
}

BENCHMARK(read_file<float>)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(read_file<double>)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace copse
