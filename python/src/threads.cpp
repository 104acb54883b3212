// The limit of threads that threadpoolctl reads and sets, through the two C functions.
#include "copse/base/parallel.h"
#include "python/src/bind.h"

namespace {

// Of the calling thread, as threadpoolctl wishes; 0: none.
thread_local int limit = 0;

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int copse_get_num_threads() { return limit > 0 ? limit : copse::thread_count(); }

__attribute__((visibility("default"))) void copse_set_num_threads(int threads) { limit = threads > 0 ? threads : 0; }
}

namespace copse::python {

void bind_threads(nb::module_& module) {
  module.def("thread_limit", &copse_get_num_threads, "How many threads a call may use.");
}

}  // namespace copse::python
