// Memory that a run will need, has, and took.
#pragma once

#include <string>

#include "apps/copse/options.h"
#include "copse/io/matrix_file.h"

namespace copse {

struct MemoryEstimate {
  double matrix = 0;   // the data, with the transposed copy that a sparse one gets, or what reading takes if more
  double factors = 0;  // both factors and what a solver keeps beside them
  double total() const { return matrix + factors; }
};

// Upper bounds; entries that the header of a file does not count are taken as all of them.
MemoryEstimate estimate_factorization(const MatrixSummary& summary, Index k, Precision precision);

// What the machine has to spare now: physical memory, and the limits set for this process or its control group.
double available_memory();

// Throws InputError with what is needed, what there is, and what would fit.
void check_fits(const MatrixSummary& summary, Index k, const MachineOptions& machine);

// The most that this process has taken so far, in bytes.
Index peak_memory();

}  // namespace copse
