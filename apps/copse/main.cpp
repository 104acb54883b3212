#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "apps/copse/program.h"

int main(int argc, char** argv) {
#ifdef M_MMAP_THRESHOLD
  // Arrays of a megabyte go back to the system when they are freed. By itself the C library keeps ever larger ones, so
  // that the memory of a run would hang on the order in which its arrays come and go.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  return copse::Program().run(argc, argv);
}
