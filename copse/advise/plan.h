// What a run will need, before it runs: memory, reads of the file, messages and time, from the sizes of the matrix and
// a measured machine.
#pragma once

#include <string>

#include "copse/base/traffic.h"
#include "copse/input/input.h"
#include "copse/input/memory.h"

namespace copse {

// CPU seconds of one thread, measured on a few items.
struct Speed {
  double entry = 0;  // one stored entry in both products of an iteration, or in one read of a tree's node
  double row = 0;    // one row of a factor in an iteration: its step, and what is summed of it
  double fetch = 0;  // one entry read from the file, and unpacked
  // Of trees: how often an entry is read for every level of the tree, and the reads of one factorization.
  double reads_per_level = 0;
  double reads_per_split = 0;
};

struct PlanOptions {
  MemoryJob job;  // method, clusters, limit of each process, engine
  int processes = 1;
  Precision precision = Precision::single;
  int iterations = 100;  // of flat clusters
  int threads = 1;       // of each process
  Network network = {};
};

// All of one process, the first.
struct Plan {
  std::string engine;     // memory, disk or mpi
  bool in_file = false;   // the entries stay in their file
  double memory = 0;      // bytes; an upper bound
  double spilled = 0;     // bytes of coefficients in scratch files
  double limit = 0;       // bytes that it may take
  std::string problem;    // why the run would be refused; or empty
  double file_reads = 0;  // how often its share of the file is read
  double bytes_read = 0;
  Traffic iteration;       // of flat clusters: one iteration
  Traffic traffic;         // of the whole run
  double cpu_seconds = 0;  // of the solver
  double seconds = 0;      // of the clock: the CPU seconds spread over the threads, and messages
};

// The file as it lies there; blocks that are null cannot stay in it. Sizes that were given without a file have a file
// of so many bytes in thought.
struct PlannedFile {
  MatrixSummary summary;
  double bytes = 0;
  BlockSizes blocks;
  bool has_blocks = false;
};
PlannedFile planned_file(const InputOptions& options);
// As a .copse file of counts or weights would be.
PlannedFile planned_file(Index features, Index items, Index entries, Precision precision);

// Takes a second or two. Items come from the file where that has blocks, and else from a corpus of the same sizes.
Speed measure_speed(const PlannedFile& file, const std::string& path, const ReadOptions& reading,
                    const PlanOptions& options);

// Counts alone: the same file, speed and options give the same plan.
Plan plan_run(const PlannedFile& file, const Speed& speed, const PlanOptions& options);

}  // namespace copse
