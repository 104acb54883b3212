// Any bytes are either a model or refused with an InputError.
#include <cstddef>
#include <cstdint>
#include <span>

#include "copse/base/error.h"
#include "copse/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    copse::read_safetensors(std::span(reinterpret_cast<const char*>(data), size), "input");
  } catch (const copse::InputError&) {
  }
  return 0;
}
