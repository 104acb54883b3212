#include <vector>

#include "tests/fuzz/fuzz_reader.h"

// What HDF5's library does with damage is not ours to mend: it leaves memory behind, and asks for more than there is
// before it sees that the file is too short.
extern "C" const char* __asan_default_options() { return "detect_leaks=0:allocator_may_return_null=1"; }

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  static std::vector<char*> all(*arguments, *arguments + *count);
  static char no_limit[] = "-malloc_limit_mb=1000000";
  all.insert(all.begin() + 1, no_limit);
  all.push_back(nullptr);
  *count += 1;
  *arguments = all.data();
  return 0;
}

// Single-cell data: .h5ad and 10x .h5 are told apart by what they hold.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  copse::fuzz::read_any(data, size, "x.h5");
  return 0;
}
