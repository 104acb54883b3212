// Memory that a run will need, and whether there is so much.
#pragma once

#include <string>

#include "copse/base/memory.h"
#include "copse/base/precision.h"
#include "copse/io/matrix_file.h"
#include "copse/methods/gives.h"
#include "copse/nmf/nmf.h"

namespace copse {

// Where the entries are while a run works.
enum class Engine {
  automatic,  // in memory if they fit, else in their file
  memory,
  disk  // in their file, read again and again in blocks of items
};

// What memory is asked for.
struct MemoryJob {
  Gives gives = Gives::flat;  // or a tree
  Index clusters = 1;         // k, or leaves; 0: the data is read or made, and that is all
  double memory_limit = 0;    // bytes; 0: what the machine has to spare
  // The option that asks for the clusters, in backquotes, to name what would fit; empty: nothing can be changed.
  std::string option = {};
  bool has_page = false;  // report.html is written
  // Of flat clusters.
  Solver solver = Solver::hals;
  bool samples = true;       // it starts from a sample of the items (nmf/sample_start.h)
  int consensus_runs = 0;    // whose components are gathered (choose/consensus_components.h)
  bool breathes = true;      // it may try more components for a while (nmf/breathe.h)
  bool from_a_tree = false;  // it starts from the leaves of a tree
  bool is_text = false;      // documents: they are compared, and some are read again
  // What the process takes already, the data among it, when all has been read; 0: nothing has.
  double held = 0;
  // The Kullback-Leibler loss takes the entries in both orders.
  bool entries = false;
  Engine engine = Engine::memory;
  // H may lie in a scratch file where entries that stay in their file are not enough to keep a limit.
  bool may_spill = false;
  // Why the entries cannot stay in their file, such as "`stability` needs all entries in memory"; empty: they can.
  std::string needs_all = {};
  // What asks for them to stay there, for a refusal.
  const char* asked_by = "`engine` disk is";
};

struct MemoryEstimate {
  double matrix = 0;   // the program, the data and their copies, or what reading takes where that is more; and names
  double factors = 0;  // the factors, or the nodes of a tree, what a solver keeps beside them, and what is written
  double total() const { return matrix + factors; }
};

// Up to 1.2 times what a run takes, 1.4 times for a tree (tests/end_to_end/memory_test.py). Entries that
// the header of a file does not count are taken as all of them. Pages of a mapped file are not counted: the system
// takes them back when it needs them.
MemoryEstimate estimate_memory(const MatrixSummary& summary, const MemoryJob& job, Precision precision);

// The blocks of a file, the largest of them.
struct BlockSizes {
  double bytes = 0;  // in memory
  double items = 0;
};
// The same for entries that stay in their file. A tree takes for its nodes what the limit leaves beyond this.
struct StreamedEstimate {
  MemoryEstimate memory;
  // Where that is too much for the limit and H is most of it: arrays of so many bytes and more are to lie in a scratch
  // file (base/scratch_buffers.h), which takes so much of the disk. 0: none are.
  std::size_t spilled_from = 0;
  double spilled = 0;
  // What may be resident of such arrays.
  static constexpr std::size_t resident_bytes = std::size_t(1) << 24;
};
StreamedEstimate estimate_streamed(const MatrixSummary& summary, const BlockSizes& blocks, const MemoryJob& job,
                                   Precision precision);

// The limit that counts.
double limit_of(const MemoryJob& job);

// Throws InputError with what is needed, what there is, and what would fit.
void check_fits(const MatrixSummary& summary, const MemoryJob& job, Precision precision);

}  // namespace copse
