#include "copse/io/names.h"
#include "tests/fuzz/fuzz_reader.h"

// Repaired names need no further repair.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const copse::Input input({reinterpret_cast<const char*>(data), size}, "names.txt");
  try {
    std::vector<std::string> notes;
    auto names = copse::parse_names(input, &notes);
    copse::fuzz::require(copse::repair_names(names) == 0);
  } catch (const copse::InputError&) {
  }
  return 0;
}
