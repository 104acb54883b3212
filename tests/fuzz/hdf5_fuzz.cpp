#include "tests/fuzz/fuzz_reader.h"

// As single-cell data: .h5ad, and 10x data.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  copse::fuzz::read_any(data, size, "x.h5ad");
  copse::fuzz::read_any(data, size, "x.h5");
  return 0;
}
