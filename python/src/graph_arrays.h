// Graphs that come as the arrays of a scipy.sparse.csr_array.
#pragma once

#include <algorithm>

#include "copse/base/error.h"
#include "copse/graph/graph.h"
#include "copse/input/joint_input.h"
#include "python/src/items.h"

namespace copse::python {

template <class T>
SparseMatrix<T> to_sparse(Index columns, const Array<std::int64_t, 1>& offsets, const Array<std::int32_t, 1>& indices,
                          const Array<T, 1>& values) {
  SparseMatrix<T> a;
  a.rows = columns;
  a.cols = static_cast<Index>(offsets.size()) - 1;
  a.offsets.assign(offsets.data(), offsets.data() + offsets.size());
  a.indices.assign(indices.data(), indices.data() + indices.size());
  a.values.assign(values.data(), values.data() + values.size());
  const bool fits = a.cols >= 0 && a.offsets[0] == 0 && a.offsets[a.cols] == a.nonzeros() &&
                    a.indices.size() == a.values.size() && std::ranges::is_sorted(a.offsets) &&
                    std::ranges::all_of(a.indices, [&](RowIndex i) { return i >= 0 && i < columns; });
  if (!fits) throw InvalidArgument("The arrays of the sparse matrix do not belong together.");
  return a;
}

// A square matrix from (offsets, indices, values).
template <class T>
SparseMatrix<T> to_square(const nb::tuple& arrays) {
  const auto offsets = nb::cast<Array<std::int64_t, 1>>(arrays[0]);
  return to_sparse<T>(static_cast<Index>(offsets.size()) - 1, offsets, nb::cast<Array<std::int32_t, 1>>(arrays[1]),
                      nb::cast<Array<T, 1>>(arrays[2]));
}

// A graph that a fit takes beside its items, from a dict with links, vectors, neighbours and weight. Holds the GIL.
template <class T>
JointArrays<T> to_joint_arrays(const nb::dict& given) {
  JointArrays<T> arrays;
  if (const nb::object links = given["links"]; !links.is_none())
    arrays.links = graph_from_matrix<T>(to_square<T>(nb::cast<nb::tuple>(links)));
  if (const nb::object vectors = given["vectors"]; !vectors.is_none())
    arrays.vectors = to_matrix(nb::cast<Array<T, 2>>(vectors));
  arrays.words = nb::cast<bool>(given["neighbours"]);
  arrays.weight = nb::cast<double>(given["weight"]);
  return arrays;
}

// Calls run(data, notes) with the items, and with the graph in `given` where there is one; `joint` becomes its
// settings.
template <class T, class Run>
void with_graph(const Items<T>& x, const JointArrays<T>& given, JointInput& joint, const Run& run) {
  RunData<T> data = x.run_data();
  std::vector<std::string> notes;
  Graph<T> graph;
  if (given.is_asked_for()) {
    joint = settings_of(given);
    graph = joint_graph(given, x.dataset(), x.all_items(), x.kept_items(), notes);
    data.graph = &graph;
  }
  run(data, notes);
}

}  // namespace copse::python
