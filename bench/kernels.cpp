// The kernels beside what the machine can do. Sparse products count the bytes of the sparse arrays and of the result,
// once each, and no reads of the factor, as a share of the read bandwidth that this program measures between the runs
// with the same number of threads; all count flops (2 per multiply-add) as a share of the measured peak.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/frequent_rows.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/sliced_transpose.h"

namespace copse {
namespace {

constexpr Index words_per_item = 100;

// Items of 100 words drawn by Zipf's law (frequency ~ 1 / rank), of which some 75 differ. Word numbers are scattered:
// as in a vocabulary in alphabetical order, frequent words are not neighbours.
SparseMatrix<float> word_matrix(Index words, Index items) {
  std::vector<std::vector<RowIndex>> columns(static_cast<std::size_t>(items));
  parallel_for(items, [&](Index j) {
    Random random(1, static_cast<std::uint64_t>(j));
    auto& column = columns[static_cast<std::size_t>(j)];
    for (Index n = 0; n < words_per_item; ++n) {
      const auto rank = static_cast<Index>(std::pow(static_cast<double>(words), random.uniform()));
      column.push_back(static_cast<RowIndex>(rank * 7919 % words));
    }
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    column.shrink_to_fit();
  });
  SparseMatrix<float> x{.rows = words, .cols = items};
  for (const auto& column : columns) x.offsets.push_back(x.offsets.back() + static_cast<Index>(column.size()));
  x.indices.resize(static_cast<std::size_t>(x.offsets.back()));
  x.values.assign(x.indices.size(), 0.1f);
  parallel_for(items, [&](Index j) {
    const auto& column = columns[static_cast<std::size_t>(j)];
    std::copy(column.begin(), column.end(), x.indices.begin() + x.offsets[j]);
  });
  return x;
}

// Made once per size; only the last is kept.
const SparseMatrix<float>& matrix(Index millions) {
  static Index made = 0;
  static SparseMatrix<float> x;
  if (made != millions) {
    x = {};
    x = millions == 1    ? word_matrix(20011, 14000)
        : millions == 10 ? word_matrix(60013, 138000)
                         : word_matrix(149011, 765000);
    made = millions;
  }
  return x;
}

// With the copies that a run makes on its first iterations.
const SparseData<float>& data(Index millions) {
  static Index made = 0;
  static std::unique_ptr<SparseData<float>> x;
  if (made != millions) {
    x = nullptr;
    x = std::make_unique<SparseData<float>>(matrix(millions));
    Matrix<float> out;
    x->times(Matrix<float>(x->cols(), 2), out);
    x->transpose_times(Matrix<float>(x->rows(), 2), out);
    made = millions;
  }
  return *x;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Work>
double seconds(const Work& work) {
  const double begin = now();
  work();
  return now() - begin;
}

template <class Work>
double least_seconds(const Work& work) {
  double best = seconds(work);
  for (int repeat = 0; repeat < 5; ++repeat) best = std::min(best, seconds(work));
  return best;
}

// Bytes per second of a streaming sum over 256 MB, once.
double read_once() {
  static const Buffer<std::uint64_t> numbers(std::size_t(1) << 25, 1);
  const double time = seconds([&] {
    benchmark::DoNotOptimize(
        sum_blocks(Index(numbers.size()), Index(1) << 18, std::uint64_t(0), [&](Index i, Index end) {
          std::uint64_t sums[8] = {};
          for (; i < end; i += 8) {
#pragma GCC unroll 8
            for (int u = 0; u < 8; ++u) sums[u] += numbers[static_cast<std::size_t>(i + u)];
          }
          return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
        }));
  });
  return static_cast<double>(numbers.size() * sizeof(std::uint64_t)) / time;
}

double read_bandwidth(int threads) {
  double best = 0;
  with_threads(threads, nullptr, [&] {
    for (int repeat = 0; repeat < 10; ++repeat) best = std::max(best, read_once());
  });
  return best;
}

// Twelve independent chains of multiply-adds on vectors of 8 floats.
#if defined(__x86_64__)
__attribute__((target("avx2,fma")))
#endif
void multiply_add(Index rounds) {
  typedef float Vector __attribute__((vector_size(32)));
  Vector sums[12] = {}, factor = {};
  benchmark::DoNotOptimize(factor);
  for (Index round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int u = 0; u < 12; ++u) sums[u] = sums[u] * factor + factor;
  }
  for (auto& sum : sums) benchmark::DoNotOptimize(sum);
}

double peak_flops(int threads) {
  static std::map<int, double> measured;
  if (!measured.contains(threads)) {
    constexpr Index rounds = 2000000;
    with_threads(threads, nullptr, [&] {
      const double time = least_seconds([&] { parallel_for(8, [&](Index) { multiply_add(rounds); }); });
      measured[threads] = 8.0 * rounds * 12 * 8 * 2 / time;
    });
  }
  return measured[threads];
}

Matrix<float> random_factor(Index rows, Index k) {
  Matrix<float> f(rows, k);
  parallel_blocks(rows, 1024, [&](Index begin, Index end) {
    Random random(2, static_cast<std::uint64_t>(begin));
    for (Index e = begin * k; e < end * k; ++e) f.data()[e] = static_cast<float>(random.uniform());
  });
  return f;
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

// Runs the work as often as asked, in turns with a streaming sum: a shared machine changes its speed by the minute.
// The counters tell of the quickest run; of_read is its share of the quickest sum, typical_of_read that of the medians.
template <class Work>
void measure(benchmark::State& state, int threads, double bytes, double flops, const Work& work) {
  std::vector<double> times, speeds;
  with_threads(threads, nullptr, [&] {
    for (auto _ : state) {
      const double time = seconds(work);
      times.push_back(time);
      speeds.push_back(read_once());
      state.SetIterationTime(time);
    }
  });
  const double best = *std::min_element(times.begin(), times.end());
  state.counters["ms"] = best * 1e3;
  state.counters["GB/s"] = bytes / best * 1e-9;
  state.counters["of_read"] = bytes / best / *std::max_element(speeds.begin(), speeds.end());
  state.counters["typical_of_read"] = bytes / median(times) / median(speeds);
  state.counters["Gflop/s"] = flops / best * 1e-9;
  state.counters["of_peak"] = flops / best / peak_flops(threads);
}

void machine(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(read_bandwidth(threads) + peak_flops(threads));
  state.counters["read_GB/s"] = read_bandwidth(threads) * 1e-9;
  state.counters["peak_Gflop/s"] = peak_flops(threads) * 1e-9;
}

// `length`: of the factor that is read at random; `rows`: of the product.
template <class Multiply>
void sparse(benchmark::State& state, Index length, Index rows, const Multiply& multiply) {
  const Index k = state.range(1);
  const int threads = static_cast<int>(state.range(2));
  const auto f = random_factor(length, k);
  Matrix<float> out(rows, k);
  const auto entries = static_cast<double>(matrix(state.range(0)).nonzeros());
  const double bytes = 8 * entries + 8.0 * static_cast<double>(rows) + 4.0 * static_cast<double>(rows * k);
  measure(state, threads, bytes, 2 * entries * static_cast<double>(k), [&] { multiply(f, out); });
  state.counters["ns/entry"] = state.counters["ms"] * 1e6 / entries;
}
void transpose_times_w(benchmark::State& state) {
  const SparseData<float>& x = data(state.range(0));
  sparse(state, x.rows(), x.cols(), [&](const auto& w, auto& out) { x.transpose_times(w, out); });
}
void times_h(benchmark::State& state) {
  const SparseData<float>& x = data(state.range(0));
  sparse(state, x.cols(), x.rows(), [&](const auto& h, auto& out) { x.times(h, out); });
}

// What the machine allows at k = 2: the pairs of the factor at the row numbers, times the values, all into a few sums,
// with no columns and no product to write. `rows` says what is read: the rows as they are, the same with the frequent
// ones side by side, or only 1,024 of them, which stay in the nearest cache.
enum Rows { as_they_are, by_frequency, few };

#if defined(__x86_64__)
__attribute__((target("avx2,fma")))
#endif
float add_up_pairs(const RowIndex* i, const float* values, Index entries, const float* f) {
  typedef float Eight __attribute__((vector_size(32), aligned(4)));
  typedef double Four __attribute__((vector_size(32)));
  const auto* pairs = reinterpret_cast<const double*>(f);
  Eight lower = {}, upper = {};
  for (Index p = 0; p + 8 <= entries; p += 8, i += 8) {
    __builtin_prefetch(i + 512);
    __builtin_prefetch(values + p + 512);
    const Eight v = *reinterpret_cast<const Eight*>(values + p);
    const Four low = {pairs[i[0]], pairs[i[1]], pairs[i[4]], pairs[i[5]]};
    const Four high = {pairs[i[2]], pairs[i[3]], pairs[i[6]], pairs[i[7]]};
    lower += __builtin_shufflevector(v, v, 0, 0, 1, 1, 4, 4, 5, 5) * Eight(low);
    upper += __builtin_shufflevector(v, v, 2, 2, 3, 3, 6, 6, 7, 7) * Eight(high);
  }
  float sum = 0;
  for (int e = 0; e < 8; ++e) sum += lower[e] + upper[e];
  return sum;
}

void bare_gather(benchmark::State& state) {
  const SparseMatrix<float>& x = matrix(state.range(0));
  const Index rows = state.range(1);
  Buffer<RowIndex> numbers = x.indices;
  if (rows == few)
    for (RowIndex& number : numbers) number %= 1024;
  if (rows == by_frequency) {
    std::vector<Index> counts(static_cast<std::size_t>(x.rows)), order(counts.size()), ranks(counts.size());
    for (RowIndex i : x.indices) ++counts[i];
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return counts[a] > counts[b]; });
    for (std::size_t r = 0; r < order.size(); ++r) ranks[order[r]] = static_cast<Index>(r);
    for (RowIndex& number : numbers) number = static_cast<RowIndex>(ranks[number]);
  }
  const auto f = random_factor(x.rows, 2);
  const auto entries = static_cast<double>(x.nonzeros());
  measure(state, static_cast<int>(state.range(2)), 8 * entries, 4 * entries, [&] {
    benchmark::DoNotOptimize(sum_blocks(x.nonzeros(), 65536, 0.0f, [&](Index begin, Index end) {
      return add_up_pairs(numbers.data() + begin, x.values.data() + begin, end - begin, f.data());
    }));
  });
  state.counters["ns/entry"] = state.counters["ms"] * 1e6 / entries;
}

void gram_of_factor(benchmark::State& state) {
  const Index k = state.range(0);
  const int threads = static_cast<int>(state.range(1));
  const auto f = random_factor(765000, k);
  // Half of the products: the result is symmetric.
  measure(state, threads, 4.0 * static_cast<double>(f.rows() * k), static_cast<double>(f.rows() * k * (k + 1)),
          [&] { benchmark::DoNotOptimize(gram(f)); });
}

void dense_products(benchmark::State& state) {
  const Index rows = state.range(0), cols = state.range(1), k = state.range(2);
  const int threads = static_cast<int>(state.range(3));
  const auto items = random_factor(cols, rows), w = random_factor(rows, k), h = random_factor(cols, k);
  const DenseData<float> data(items);
  Matrix<float> out;
  const auto entries = static_cast<double>(rows * cols);
  measure(state, threads, 8 * entries, 4 * entries * static_cast<double>(k), [&] {
    data.transpose_times(w, out);
    data.times(h, out);
  });
}

// What the copies cost.
void transposition(benchmark::State& state) {
  const SparseView<float> x = matrix(state.range(0));
  measure(state, static_cast<int>(state.range(1)), 16.0 * static_cast<double>(x.nonzeros()), 0,
          [&] { benchmark::DoNotOptimize(SlicedTranspose<float>(x)); });
}
void renumbering(benchmark::State& state) {
  const SparseView<float> x = matrix(state.range(0));
  std::vector<RowIndex> order(static_cast<std::size_t>(x.rows));
  for (Index i = 0; i < x.rows; ++i) order[static_cast<std::size_t>(i * 7919 % x.rows)] = static_cast<RowIndex>(i);
  measure(state, static_cast<int>(state.range(1)), 8.0 * static_cast<double>(x.nonzeros()), 0,
          [&] { benchmark::DoNotOptimize(FrequentRows<float>(x, order)); });
}

constexpr auto unit = benchmark::kMillisecond;
BENCHMARK(machine)->ArgName("threads")->Arg(1)->Arg(2)->Iterations(1)->UseRealTime()->Unit(unit);
// Sizes outermost: each matrix is made once.
template <Index millions>
void all_k(benchmark::internal::Benchmark* b) {
  b->ArgNames({"millions", "k", "threads"})->UseManualTime()->Unit(unit)->MinTime(0.3);
  for (Index k : {1, 2, 4, 8, 40, 64}) {
    for (Index threads : {1, 2}) b->Args({millions, k, threads});
  }
}
BENCHMARK(transpose_times_w)->Apply(all_k<1>);
BENCHMARK(times_h)->Apply(all_k<1>);
BENCHMARK(transpose_times_w)->Apply(all_k<10>);
BENCHMARK(times_h)->Apply(all_k<10>);
BENCHMARK(transpose_times_w)->Apply(all_k<60>);
BENCHMARK(times_h)->Apply(all_k<60>);
BENCHMARK(bare_gather)
    ->ArgNames({"millions", "rows", "threads"})
    ->ArgsProduct({{60}, {as_they_are, by_frequency, few}, {1, 2}})
    ->UseManualTime()
    ->Unit(unit)
    ->MinTime(0.3);
BENCHMARK(transposition)->ArgNames({"millions", "threads"})->ArgsProduct({{60}, {1, 2}})->UseManualTime()->Unit(unit);
BENCHMARK(renumbering)->ArgNames({"millions", "threads"})->ArgsProduct({{60}, {1, 2}})->UseManualTime()->Unit(unit);
BENCHMARK(gram_of_factor)
    ->ArgNames({"k", "threads"})
    ->ArgsProduct({{2, 8, 40, 64}, {1, 2}})
    ->UseManualTime()
    ->Unit(unit);
BENCHMARK(dense_products)
    ->ArgNames({"rows", "cols", "k", "threads"})
    ->ArgsProduct({{5000}, {38}, {3}, {1, 2}})
    ->ArgsProduct({{64}, {1797}, {10}, {1, 2}})
    ->ArgsProduct({{4000}, {4000}, {2, 20, 64}, {1, 2}})
    ->UseManualTime()
    ->Unit(unit);

}  // namespace
}  // namespace copse
