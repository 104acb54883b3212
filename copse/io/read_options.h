// What reading a matrix is asked for, and what it gives.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "copse/matrix/dataset.h"

namespace copse {

// Where the items are in the file; automatic: in columns, and the cells of single-cell data.
enum class Items { automatic, columns, rows };
enum class Presence { detect, present, absent };  // of the names in a .csv or .tsv file

struct ReadOptions {
  Items items = Items::automatic;
  bool transposed = false;                // take the features as items
  std::size_t memory_limit = 0;           // bytes that the matrix may take; 0: the memory of the machine
  Presence header = Presence::detect;     // does the first line of a .csv or .tsv file hold names?
  Presence row_names = Presence::detect;  // does its first column?
  std::string layer = {};                 // of an .h5ad file, in place of its X; or empty
  std::string label = {};                 // its column of obs that holds the labels of the cells; or empty
};

// What a look at a file tells, for an estimate of the memory it will take.
struct MatrixSummary {
  Index features = 0;
  Index items = 0;
  Index nonzeros = -1;  // stored entries; -1: unknown
  bool sparse = false;
  // Beside the matrix, while it is read: so many bytes, and so often the values of all entries.
  double reading_bytes = 0;
  double reading_copies = 0;
  double name_bytes = 0;  // that the names in the file take in memory
};

template <class T>
struct ReadResult {
  Dataset<T> dataset;
  std::vector<std::string> notes;  // sentences that the user should see, such as "12 duplicate entries were added up"
  std::vector<std::string> labels = {};  // the class of each item, where the file says it; or empty
};

}  // namespace copse
