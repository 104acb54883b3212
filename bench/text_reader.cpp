// Raw text to counts, for the file of documents that COPSE_BENCH_TEXT names; bytes are those of the texts.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "copse/base/parallel.h"
#include "copse/text/corpus.h"

namespace copse {
namespace {

const char* path_of(benchmark::State& state) {
  const char* path = std::getenv("COPSE_BENCH_TEXT");
  if (path == nullptr) state.SkipWithError("COPSE_BENCH_TEXT names no file; text.py sets it");
  return path;
}

// Everything: read, decompress, cut, choose, count.
void count(benchmark::State& state) {
  const char* path = path_of(state);
  if (path == nullptr) return;
  Index bytes = 0;
  with_threads(static_cast<int>(state.range(0)), nullptr, [&] {
    for (auto _ : state) {
      const auto reader = DocumentSource(path).open();
      bytes += read_corpus<float>(*reader, TextOptions{}).text_bytes;
    }
  });
  state.SetBytesProcessed(bytes);
}

// Reading alone, and cutting into words alone.
void read(benchmark::State& state) {
  const char* path = path_of(state);
  if (path == nullptr) return;
  std::size_t bytes = 0;
  Document document;
  for (auto _ : state) {
    const auto reader = DocumentSource(path).open();
    while (reader->next(document)) bytes += document.text.size();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

void cut(benchmark::State& state) {
  const char* path = path_of(state);
  if (path == nullptr) return;
  std::vector<std::string> texts;
  Document document;
  const auto reader = DocumentSource(path).open();
  while (texts.size() < 20000 && reader->next(document)) texts.push_back(document.text);
  std::size_t bytes = 0, words = 0;
  Tokenizer tokenizer;
  for (auto _ : state) {
    for (const std::string& text : texts) {
      words += tokenizer.tokenize(text).size();
      bytes += text.size();
    }
  }
  benchmark::DoNotOptimize(words);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

BENCHMARK(count)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(read)->Unit(benchmark::kMillisecond);
BENCHMARK(cut)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace copse
