#include "tests/fuzz/fuzz_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  copse::fuzz::read_any_graph(data, size, "x.metis", copse::GraphFormat::metis);
  return 0;
}
