// What the fuzzers of graph readers share: any bytes give a graph that keeps its promises, or an InputError.
#pragma once

#include <algorithm>
#include <set>

#include "copse/graph/read_graph.h"
#include "tests/fuzz/fuzz_reader.h"

namespace copse::fuzz {

template <class T>
void check_promises(const Graph<T>& graph) {
  const SparseMatrix<T>& a = graph.weights;
  const Index n = graph.nodes();
  require(a.rows == n && static_cast<Index>(a.offsets.size()) == n + 1 && a.offsets.front() == 0);
  require(a.offsets.back() == a.nonzeros() && a.indices.size() == a.values.size());
  require(graph.names.empty() || static_cast<Index>(graph.names.size()) == n);
  require(std::set<std::string>(graph.names.begin(), graph.names.end()).size() == graph.names.size());
  const auto weight = [&](Index i, Index j) {
    const auto begin = a.indices.begin() + a.offsets[static_cast<std::size_t>(j)],
               end = a.indices.begin() + a.offsets[static_cast<std::size_t>(j) + 1];
    const auto found = std::lower_bound(begin, end, static_cast<RowIndex>(i));
    return found == end || *found != i ? T(0) : a.values[static_cast<std::size_t>(found - a.indices.begin())];
  };
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
    require(a.offsets[j] <= a.offsets[j + 1]);
    for (auto p = static_cast<std::size_t>(a.offsets[j]); p < static_cast<std::size_t>(a.offsets[j + 1]); ++p) {
      require(0 <= a.indices[p] && a.indices[p] < n && a.indices[p] != static_cast<RowIndex>(j));
      require(p == static_cast<std::size_t>(a.offsets[j]) || a.indices[p - 1] < a.indices[p]);
      require(a.values[p] > 0 && std::isfinite(a.values[p]));
      require(weight(static_cast<Index>(j), a.indices[p]) == a.values[p]);
    }
  }
}

// The format is also found by looking at the content; both ways end well.
inline void read_any_graph(const std::uint8_t* data, std::size_t size, const std::string& name, GraphFormat format) {
  const std::span bytes(reinterpret_cast<const char*>(data), size);
  for (const GraphFormat asked : {format, GraphFormat::automatic}) {
    try {
      check_promises(read_graph<float>(bytes, name, {.format = asked, .memory_limit = std::size_t{1} << 26}).graph);
    } catch (const InputError&) {
    }
  }
}

}  // namespace copse::fuzz
