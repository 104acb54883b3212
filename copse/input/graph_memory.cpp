#include "copse/input/graph_memory.h"

#include <fmt/format.h>

#include "copse/base/error.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

constexpr double program_bytes = 30.4e6;  // what the program takes without any data, its threads at work
// The graph, its scaled copy, what the readers keep of an edge, and the levels of a multilevel start: both directions.
constexpr double edge_copies = 6;
// The factor, a start, its product, the memberships, and what the best run keeps beside the current one.
constexpr double factor_copies = 6;
constexpr double node_bytes = 400;  // names, lines of text, queues

}  // namespace

double graph_memory(const GraphSize& size, Index k, Precision precision) {
  const double width = precision == Precision::single ? 4 : 8;
  const double entry = width + sizeof(RowIndex);
  const auto nodes = static_cast<double>(size.nodes), edges = static_cast<double>(size.edges);
  return program_bytes + edge_copies * 2 * edges * entry + factor_copies * nodes * static_cast<double>(k) * width +
         nodes * node_bytes + size.item_bytes;
}

void check_graph_fits(const GraphSize& size, Index k, Precision precision, double limit) {
  const double available = limit > 0 ? limit : available_memory(), needed = graph_memory(size, k, precision);
  if (needed <= available) return;
  std::string sentence =
      fmt::format("this run needs about {} of memory for {} and `clusters` {}, and {} {}", in_bytes(needed),
                  counted(size.edges, "edge"), k, limit > 0 ? "`memory_limit` allows" : "the machine can spare",
                  in_bytes(available));
  Index fits = 0;
  for (Index low = 1, high = k - 1; low <= high;) {
    const Index middle = low + (high - low) / 2;
    const bool enough = graph_memory(size, middle, precision) <= available;
    if (enough) fits = middle;
    (enough ? low : high) = enough ? middle + 1 : middle - 1;
  }
  if (precision == Precision::full && graph_memory(size, k, Precision::single) <= available) {
    sentence += ". `precision` float would fit";
  } else if (fits > 0) {
    sentence += fmt::format(". `clusters` {} would fit", fits);
  }
  throw InputError(sentence + ".");
}

}  // namespace copse
