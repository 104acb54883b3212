// Decoding of .copse files, one thread, from the page cache: GB/s of plain entries (row number and value), and bytes
// per entry in the file. Word counts, word weights, and cells whose genes are drawn uniformly.
#include "copse/io/copse_file.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "copse/generate/corpus.h"
#include "copse/generate/uniform_sparse.h"

namespace copse {
namespace {

enum { counts, weights, cells };

template <class T>
SparseMatrix<T> data(std::int64_t kind) {
  if (kind == cells) {
    auto x = std::get<SparseMatrix<T>>(
        generate_uniform_sparse<T>({.features = 30000, .items = 4000, .density = 0.05, .seed = 1}).values);
    for (T& value : x.values) value = static_cast<T>(1 + static_cast<int>(value * value * 9));
    return x;
  }
  const CorpusOptions options{
      .documents = 60000, .terms = 50000, .terms_per_document = 100, .counts = kind == counts, .seed = 1};
  return std::get<SparseMatrix<T>>(generate_corpus<T>(options).data.values);
}

template <class T>
void decode(benchmark::State& state) {
  const auto path = std::filesystem::temp_directory_path() / ("copse-bench-" + std::to_string(::getpid()) + ".copse");
  write_copse<T>(path, {.values = data<T>(state.range(0))});
  const CopseFile file(path);
  std::filesystem::remove(path);
  ItemBlock<T> block;
  for (auto _ : state) {
    for (Index b = 0; b < file.blocks(); ++b) {
      file.read(b, block);
      benchmark::DoNotOptimize(block.values.data());
    }
  }
  state.SetBytesProcessed(state.iterations() * file.entries() *
                          static_cast<std::int64_t>(sizeof(RowIndex) + sizeof(T)));
  state.counters["bytes_per_entry"] = file.bytes_read() / static_cast<double>(file.entries());
  state.counters["entries"] = static_cast<double>(file.entries());
}

BENCHMARK(decode<float>)->ArgName("kind")->Arg(counts)->Arg(weights)->Arg(cells)->Unit(benchmark::kMillisecond);
BENCHMARK(decode<double>)->ArgName("kind")->Arg(counts)->Arg(weights)->Arg(cells)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace copse
