#include "apps/copse/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "apps/copse/words.h"
#include "copse/base/error.h"

namespace copse {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Factors that are alive at once, counted in matrices of (rows + cols) x k: W and H, their extrapolated twins, the
// products X H' and X'W, and the steps before.
constexpr double factor_copies = 5;

// The value of "NAME: 123 kB" in /proc/meminfo, in bytes.
double meminfo(const std::string& name) {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::string rest;
  for (double value = 0; file >> key >> value && std::getline(file, rest);) {
    if (key == name + ":") return value * 1024;
  }
  return unlimited;
}

double number_in(const char* path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : unlimited;
}

}  // namespace

MemoryEstimate estimate_factorization(const MatrixSummary& summary, Index k, Precision precision) {
  const double width = precision == Precision::single ? 4 : 8;
  const auto rows = static_cast<double>(summary.features);
  const auto cols = static_cast<double>(summary.items);
  const double entries = summary.nonzeros >= 0 ? static_cast<double>(summary.nonzeros) : rows * cols;
  MemoryEstimate estimate;
  if (summary.sparse) {
    const double one = entries * (width + sizeof(RowIndex));
    // Reading text holds row, column and value of each entry beside the finished columns.
    const double reading = one + entries * (width + 2 * sizeof(RowIndex));
    estimate.matrix = std::max(2 * one, reading) + (rows + cols) * sizeof(Index);
  } else {
    estimate.matrix = rows * cols * width;
  }
  estimate.factors = factor_copies * (rows + cols) * static_cast<double>(k) * width;
  return estimate;
}

double available_memory() {
  double available = meminfo("MemAvailable");
  available = std::min(
      available, number_in("/sys/fs/cgroup/memory.max") - std::min(number_in("/sys/fs/cgroup/memory.current"), 0x1p60));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    available = std::min(available, static_cast<double>(limit.rlim_cur));
  }
  return std::max(available, 0.0);
}

void check_fits(const MatrixSummary& summary, Index k, const MachineOptions& machine) {
  const double limit = machine.memory_limit > 0 ? machine.memory_limit : available_memory();
  const MemoryEstimate needed = estimate_factorization(summary, k, machine.precision);
  if (needed.total() <= limit) return;
  std::string sentence =
      fmt::format("this run needs about {} of memory ({} for the matrix, {} for -k {}), and {} {}",
                  in_bytes(needed.total()), in_bytes(needed.matrix), in_bytes(needed.factors), k,
                  machine.memory_limit > 0 ? "--memory-limit allows" : "the machine can spare", in_bytes(limit));
  const MemoryEstimate in_floats = estimate_factorization(summary, k, Precision::single);
  const auto largest_k =
      static_cast<Index>((limit - needed.matrix) / std::max(needed.factors / static_cast<double>(k), 1.0));
  if (machine.precision == Precision::full && in_floats.total() <= limit) {
    sentence += fmt::format(". --precision float would fit, with {}", in_bytes(in_floats.total()));
  } else if (largest_k >= 1) {
    sentence += fmt::format(". -k {} would fit", largest_k);
  } else {
    sentence += fmt::format(". No -k would fit: even -k 1 needs {}",
                            in_bytes(estimate_factorization(summary, 1, Precision::single).total()));
  }
  throw InputError(sentence + ".");
}

Index peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

}  // namespace copse
