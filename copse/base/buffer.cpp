#include "copse/base/buffer.h"

#include <sys/mman.h>

#include "copse/base/scratch_buffers.h"

namespace copse {
namespace {

constexpr std::size_t huge_page = std::size_t(1) << 21;

std::align_val_t alignment(std::size_t bytes) {
  return std::align_val_t{bytes >= 2 * huge_page ? huge_page : buffer_alignment};
}

}  // namespace

void* allocate_buffer(std::size_t bytes) {
  if (void* const place = allocate_scratch(bytes)) return place;
  void* pointer = ::operator new(bytes, alignment(bytes));
#ifdef MADV_HUGEPAGE
  // Only advice: where the system declines, nothing changes but the speed.
  if (bytes >= 2 * huge_page) madvise(pointer, bytes & ~(huge_page - 1), MADV_HUGEPAGE);
#endif
  return pointer;
}

void free_buffer(void* pointer, std::size_t bytes) noexcept {
  if (!free_scratch(pointer)) ::operator delete(pointer, alignment(bytes));
}

}  // namespace copse
