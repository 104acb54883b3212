// Memory that a run will need, has, and took.
#pragma once

#include <string>

#include "copse/io/matrix_file.h"
#include "copse/result/precision.h"

namespace copse {

enum class Method { flat, tree };

// What memory is asked for.
struct MemoryJob {
  Method method = Method::flat;
  Index clusters = 1;       // k, or leaves
  double memory_limit = 0;  // bytes; 0: what the machine has to spare
  bool entries = false;     // flat: the Kullback-Leibler loss, which takes the entries in both orders
};

struct MemoryEstimate {
  double matrix = 0;   // the data and its copies, or what reading takes where that is more; and the program
  double factors = 0;  // the factors, or the nodes of a tree, and what a solver keeps beside them
  double total() const { return matrix + factors; }
};

// Where the matrix comes from: reading a table of text takes several times what the matrix takes.
enum class Source { memory, file, table };
Source source_of(const std::string& path);

// Upper bounds; entries that the header of a file does not count are taken as all of them. Pages of the file itself,
// which the system takes back when it needs them, are not counted.
MemoryEstimate estimate_memory(const MatrixSummary& summary, Source source, const MemoryJob& job, Precision precision);

// What the machine has to spare now: physical memory, and the limits set for this process or its control group.
double available_memory();

// Throws InputError with what is needed, what there is, and what would fit.
void check_fits(const MatrixSummary& summary, Source source, const MemoryJob& job, Precision precision);

// The most that this process has taken so far, in bytes.
Index peak_memory();

}  // namespace copse
