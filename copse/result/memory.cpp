#include "copse/result/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "copse/base/error.h"
#include "copse/kernels/in_memory.h"
#include "copse/result/wording.h"

namespace copse {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Factors that are alive at once, counted in matrices of (rows + cols) x k: during a breath, with 3 k / 2 components, W
// and H, their extrapolated twins, the products X H' and X'W, and the steps before; beside it the iterate.
constexpr double factor_copies = 7;

// Of a tree, measured over 10 to 400 leaves and 1 to 7 million entries: the matrix, the nodes cut out of it and those
// that wait for their turn; a feature of a node, and what is written of a node; an item's names, weights and lines of
// text.
constexpr double tree_copies = 4.3;
constexpr double node_feature_bytes = 24;
constexpr double node_bytes = 25e3;
constexpr double item_bytes = 400;

// What the program takes before it has any data.
constexpr double program_bytes = 20e6;

// The value of "NAME: 123 kB" in a file of /proc, in bytes.
double kilobytes_in(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return std::strtod(line.c_str() + name.size() + 1, nullptr) * 1024;
  }
  return unlimited;
}

double number_in(const char* path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : unlimited;
}

}  // namespace

Source source_of(const std::string& path) {
  const bool table = path.find(".csv") != std::string::npos || path.find(".tsv") != std::string::npos;
  return table ? Source::table : Source::file;
}

MemoryEstimate estimate_memory(const MatrixSummary& summary, Source source, const MemoryJob& job, Precision precision) {
  const double width = precision == Precision::single ? 4 : 8;
  const auto rows = static_cast<double>(summary.features);
  const auto cols = static_cast<double>(summary.items);
  const auto k = static_cast<double>(job.clusters);
  const double entries = summary.nonzeros >= 0 ? static_cast<double>(summary.nonzeros) : rows * cols;
  MemoryEstimate estimate;
  if (summary.sparse) {
    const double one = entries * (width + sizeof(RowIndex));
    // Reading text holds row, column and value of each entry beside the finished columns.
    const double reading = one + entries * (width + 2 * sizeof(RowIndex));
    const double copied =
        job.method == Method::tree
            ? (tree_copies - 1) * (width + sizeof(RowIndex))
            : with_precision(precision, [&]<class T> { return copied_bytes_per_entry<T>(job.clusters); });
    estimate.matrix = std::max(one + entries * copied, reading) + (rows + cols) * sizeof(Index);
  } else {
    // Measured: a table is parsed into growing blocks, which are then gathered.
    const double copies = job.method == Method::tree ? tree_copies : 1;
    estimate.matrix = rows * cols * width * (source == Source::table ? std::max(6.0, copies) : copies);
  }
  if (job.entries) estimate.matrix += 2 * entries * (width + sizeof(RowIndex)) + (rows + cols) * sizeof(Index);
  estimate.matrix += program_bytes;
  if (job.method == Method::flat) {
    estimate.factors = factor_copies * (rows + cols) * k * width;
  } else {
    // Nodes keep their topics as ranked features; a node of so few entries has this many features, were they spread
    // evenly. Then come the leaves' topics, the items' coefficients for them, and what is written of every item.
    const double features = rows * -std::expm1(-entries / std::max(k, 1.0) / std::max(rows, 1.0));
    estimate.factors =
        2 * k * (features * node_feature_bytes + node_bytes) + (rows + cols) * k * width + cols * item_bytes;
  }
  return estimate;
}

double available_memory() {
  double available = kilobytes_in("/proc/meminfo", "MemAvailable");
  available = std::min(
      available, number_in("/sys/fs/cgroup/memory.max") - std::min(number_in("/sys/fs/cgroup/memory.current"), 0x1p60));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    available = std::min(available, static_cast<double>(limit.rlim_cur));
  }
  return std::max(available, 0.0);
}

void check_fits(const MatrixSummary& summary, Source source, const MemoryJob& job, Precision precision) {
  const double limit = job.memory_limit > 0 ? job.memory_limit : available_memory();
  const MemoryEstimate needed = estimate_memory(summary, source, job, precision);
  if (needed.total() <= limit) return;
  const char* option = job.method == Method::tree ? "--leaves" : "-k";
  std::string sentence = fmt::format("this run needs about {} of memory", in_bytes(needed.total()));
  if (job.clusters > 0) {
    sentence += fmt::format(" ({} for the matrix, {} for {} {})", in_bytes(needed.matrix), in_bytes(needed.factors),
                            option, job.clusters);
  }
  sentence += fmt::format(", and {} {}", job.memory_limit > 0 ? "--memory-limit allows" : "the machine can spare",
                          in_bytes(limit));
  if (job.clusters == 0) throw InputError(sentence + ".");
  const auto total = [&](Index clusters, Precision with) {
    MemoryJob other = job;
    other.clusters = clusters;
    return estimate_memory(summary, source, other, with).total();
  };
  // The largest number of clusters that fits, by bisection.
  Index fits = 0;
  for (Index low = 1, high = job.clusters - 1; low <= high;) {
    const Index middle = low + (high - low) / 2;
    const bool enough = total(middle, precision) <= limit;
    if (enough) fits = middle;
    (enough ? low : high) = enough ? middle + 1 : middle - 1;
  }
  if (precision == Precision::full && total(job.clusters, Precision::single) <= limit) {
    sentence += fmt::format(". --precision float would fit, with {}", in_bytes(total(job.clusters, Precision::single)));
  } else if (fits >= 1) {
    sentence += fmt::format(". {} {} would fit", option, fits);
  } else {
    sentence +=
        fmt::format(". No {} would fit: even {} 1 needs {}", option, option, in_bytes(total(1, Precision::single)));
  }
  throw InputError(sentence + ".");
}

Index peak_memory() {
  // getrusage() would count what the program that started this one took before.
  const double peak = kilobytes_in("/proc/self/status", "VmHWM");
  if (peak < unlimited) return static_cast<Index>(peak);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

}  // namespace copse
