// Memory that a run will need, has, and took.
#pragma once

#include <string>

#include "apps/copse/options.h"
#include "copse/io/matrix_file.h"

namespace copse {

struct MemoryEstimate {
  double matrix = 0;   // the data and its transposed copy, or what reading takes where that is more; and the program
  double factors = 0;  // both factors and what a solver keeps beside them
  double total() const { return matrix + factors; }
};

// Where the matrix comes from: reading a table of text takes several times what the matrix takes.
enum class Source { memory, file, table };
Source source_of(const std::string& path);

// Upper bounds; entries that the header of a file does not count are taken as all of them. Pages of the file itself,
// which the system takes back when it needs them, are not counted.
MemoryEstimate estimate_factorization(const MatrixSummary& summary, Source source, Index k, Precision precision);

// What the machine has to spare now: physical memory, and the limits set for this process or its control group.
double available_memory();

// Throws InputError with what is needed, what there is, and what would fit.
void check_fits(const MatrixSummary& summary, Source source, Index k, const MachineOptions& machine);

// The most that this process has taken so far, in bytes.
Index peak_memory();

}  // namespace copse
