#include "copse/input/joint_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "copse/base/error.h"
#include "copse/graph/normalize.h"
#include "copse/graph/read_graph.h"
#include "copse/graph/similarity.h"
#include "copse/input/memory.h"
#include "copse/io/matrix_file.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

constexpr double damping = 0.1;      // of degrees: loose pieces of a sparse graph take no topics for themselves
constexpr double own_weight = 0.3;   // of a graph that repeats what the words say
constexpr double most_pairs = 5e10;  // of entries that a search for neighbours may compare without being asked to
constexpr Index outside = -1;
constexpr Index not_fitted = -2;  // an item that takes no part in the fit

// Pairs of entries of one feature: what it takes to compare every item with every other.
template <class T>
double pairs_of_entries(const Dataset<T>& data) {
  std::vector<double> holders(static_cast<std::size_t>(data.features()));
  for (Index j = 0; j < data.items(); ++j) visit_nonzeros(data, j, [&](Index i, T) { ++holders[i]; });
  double pairs = 0;
  for (const double count : holders) pairs += count * count;
  return pairs;
}

// The place of every item, known by its number among all, in the prepared data.
std::vector<Index> places(Index all, const std::vector<Index>& kept) {
  std::vector<Index> place(static_cast<std::size_t>(all), not_fitted);
  for (std::size_t j = 0; j < kept.size(); ++j) place[kept[j]] = static_cast<Index>(j);
  return place;
}

// The number among all items of every node. Nodes without names are all items in their order.
template <class T>
std::vector<Index> items_of_nodes(const Graph<T>& graph, const std::vector<std::string>& names,
                                  const std::string& file) {
  std::vector<Index> items;
  if (graph.names.empty()) {
    if (graph.nodes() != static_cast<Index>(names.size()))
      throw InputError(fmt::format("{} has {} and no names, but there are {}: one node for each is expected.", file,
                                   counted(graph.nodes(), "node"), counted(static_cast<Index>(names.size()), "item")));
    for (Index j = 0; j < graph.nodes(); ++j) items.push_back(j);
    return items;
  }
  std::unordered_map<std::string_view, Index> numbers;
  constexpr Index ambiguous = -2;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto [place, is_new] = numbers.emplace(names[j], static_cast<Index>(j));
    if (!is_new) place->second = ambiguous;
  }
  for (const std::string& name : graph.names) {
    const auto found = numbers.find(name);
    items.push_back(found == numbers.end() ? outside : found->second);
    if (items.back() == ambiguous)
      throw InputError(
          fmt::format("{} links '{}', and more than one item has this name: give each its own id.", file, name));
  }
  return items;
}

// Calls visit(i, j, weight) once for every edge.
template <class T, class Visit>
void visit_edges(const SparseMatrix<T>& a, const Visit& visit) {
  for (Index j = 0; j < a.cols; ++j) {
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      if (a.indices[p] < j) visit(static_cast<Index>(a.indices[p]), j, a.values[p]);
    }
  }
}

// The edges between items that take part, and how many others there are. `place` has that of every node.
struct UsableEdges {
  std::vector<Edge> edges = {};
  Index to_unknown = 0, to_others = 0;
};

template <class T>
UsableEdges usable_edges(const SparseMatrix<T>& weights, const std::vector<Index>& place, const std::string& what,
                         std::vector<std::string>& notes) {
  UsableEdges found;
  visit_edges(weights, [&](Index a, Index b, T weight) {
    if (place[a] == outside || place[b] == outside) {
      ++found.to_unknown;
    } else if (place[a] == not_fitted || place[b] == not_fitted) {
      ++found.to_others;
    } else {
      found.edges.push_back(
          {static_cast<RowIndex>(place[a]), static_cast<RowIndex>(place[b]), static_cast<double>(weight)});
    }
  });
  const Index unknown = std::ranges::count(place, outside);
  if (found.to_unknown > 0)
    notes.push_back(fmt::format("{}: {} left out, which name {} that {} not among the documents.", what,
                                counted(found.to_unknown, "link"), counted(unknown, "id"),
                                unknown == 1 ? "is" : "are"));
  if (found.to_others > 0)
    notes.push_back(fmt::format("{}: {} left out, of documents that take no part in the fit.", what,
                                counted(found.to_others, "link")));
  return found;
}

template <class T>
Graph<T> links_among(const std::string& file, const JointItems<T>& items, double memory_limit,
                     std::vector<std::string>& notes) {
  ReadGraph<T> read = read_graph<T>(file, {.memory_limit = static_cast<std::size_t>(memory_limit)});
  notes.insert(notes.end(), read.notes.begin(), read.notes.end());
  const std::vector<Index> place = places(static_cast<Index>(items.all_names.size()), items.kept_items);
  std::vector<Index> of_nodes = items_of_nodes(read.graph, items.all_names, file);
  for (Index& number : of_nodes) number = number == outside ? outside : place[number];
  const std::vector<Edge> edges = usable_edges(read.graph.weights, of_nodes, file, notes).edges;
  if (edges.empty())
    throw InputError(
        fmt::format("{} has no link between two of the documents; nodes must be called by their ids, as "
                    "'{}' is.",
                    file, items.all_names.front()));
  return graph_from_edges<T>(items.data.items(), edges);
}

template <class T>
Graph<T> neighbours_by_vectors(const Matrix<T>& all, const std::vector<Index>& kept_items, const std::string& what,
                               std::vector<std::string>& notes) {
  Matrix<T> kept(static_cast<Index>(kept_items.size()), all.cols());
  Index zero = 0;
  for (Index j = 0; j < kept.rows(); ++j) {
    const auto row = all.row(kept_items[j]);
    std::ranges::copy(row, kept.row(j).begin());
    zero += std::ranges::all_of(row, [](T value) { return value == T(0); });
  }
  if (zero > 0)
    notes.push_back(fmt::format("{}: {} nothing but zeros: placed by words alone.", what,
                                counted(zero, "row") + (zero == 1 ? " has" : " have")));
  return similarity_graph<T>({.values = std::move(kept)});
}

template <class T>
Matrix<T> vectors_in(const std::string& file, const JointItems<T>& items, double memory_limit) {
  Matrix<T> all = read_vectors<T>(file, static_cast<std::size_t>(memory_limit));
  const auto documents = static_cast<Index>(items.all_names.size());
  if (all.rows() != documents)
    throw InputError(fmt::format("{} has {}, but there are {}: one row for each is expected, in the same order.", file,
                                 counted(all.rows(), "row"), counted(documents, "document")));
  return all;
}

template <class T>
void add(const SparseMatrix<T>& a, std::vector<Edge>& edges) {
  visit_edges(a, [&](Index i, Index j, T weight) {
    edges.push_back({static_cast<RowIndex>(i), static_cast<RowIndex>(j), static_cast<double>(weight)});
  });
}

template <class T>
Index without_edges(const Graph<T>& graph) {
  Index count = 0;
  for (Index j = 0; j < graph.nodes(); ++j) count += graph.weights.offsets[j + 1] == graph.weights.offsets[j];
  return count;
}

// The sum of normalized graphs.
template <class T>
Graph<T> sum_of(Index items, const std::vector<Edge>& edges, std::vector<std::string>& notes) {
  Graph<T> graph = graph_from_edges<T>(items, edges);
  if (const Index alone = without_edges(graph); alone > 0)
    notes.push_back(fmt::format("{} of {} without a link or neighbour: placed by words alone.", counted(alone),
                                counted(items, "document")));
  return graph;
}

}  // namespace

double joint_memory(Index items, Index edges, Index k, std::size_t bytes_per_value) {
  const auto value = static_cast<double>(bytes_per_value);
  // Edges while they are listed and sorted, and two copies of the matrix; G, its product, and the parts of H.
  const double graph = static_cast<double>(edges) * (2.0 * sizeof(Edge) + 4 * (value + sizeof(RowIndex)));
  return graph + static_cast<double>(items) * (16 + 7 * value * static_cast<double>(k));
}

template <class T>
JointInput decided(JointInput options, const Dataset<T>& data, std::vector<std::string>& notes) {
  const bool given = !options.links.empty() || !options.vectors.empty();
  if (options.neighbours == NeighbourGraph::automatic && given) options.neighbours = NeighbourGraph::none;
  if (options.neighbours == NeighbourGraph::automatic) {
    const bool too_many = pairs_of_entries(data) > most_pairs;
    options.neighbours = too_many ? NeighbourGraph::none : NeighbourGraph::words;
    if (too_many)
      notes.push_back(
          "Neighbours are not looked for among so many documents, and words alone decide; `neighbour_graph` words "
          "looks for them all the same.");
  }
  if (options.weight < 0) options.weight = given ? 1 : own_weight;
  return options;
}

template <class T>
Graph<T> joint_graph(const JointInput& options, const JointItems<T>& items, Index k, double memory_limit,
                     const RunEvents& events, std::vector<std::string>& notes) {
  const Index n = items.data.items();
  const auto see_that_it_fits = [&](Index edges) {
    const double needed = joint_memory(n, edges, k, sizeof(T));
    const double there = memory_limit > 0 ? memory_limit - static_cast<double>(peak_memory()) : available_memory();
    if (needed > there)
      throw InputError(fmt::format(
          "the graph of {} with {} takes about {} of memory beside their words, and there "
          "are {}; do without it (`neighbour_graph` none), or give more.",
          counted(n, "document"), counted(edges, "edge"), in_bytes(needed), in_bytes(std::max(0.0, there))));
  };
  const bool is_computed = !options.vectors.empty() || options.neighbours != NeighbourGraph::none;
  if (is_computed) see_that_it_fits(n * default_neighbours(n));
  std::vector<Edge> edges;
  if (!options.links.empty()) {
    events.show("reading " + options.links + " ...");
    const Graph<T> graph = links_among(options.links, items, memory_limit, notes);
    see_that_it_fits(graph.edges());
    add(normalized<T>(graph.weights, damping), edges);
  }
  if (!options.vectors.empty()) {
    events.show("looking for the neighbours of every vector ...");
    const Matrix<T> vectors = vectors_in(options.vectors, items, memory_limit);
    add(normalized<T>(neighbours_by_vectors(vectors, items.kept_items, options.vectors, notes).weights, damping),
        edges);
  }
  if (options.neighbours == NeighbourGraph::words) {
    events.show("looking for the neighbours of every document ...");
    add(normalized<T>(similarity_graph(items.data).weights, damping), edges);
  }
  Graph<T> graph = sum_of<T>(n, edges, notes);
  events.tell(
      fmt::format("{} between {}", counted(graph.edges(), "edge"), counted(n - without_edges(graph), "document")));
  return graph;
}

template <class T>
JointInput settings_of(const JointArrays<T>& given) {
  return {.links = given.links ? "an array" : "",
          .vectors = given.vectors ? "an array" : "",
          .neighbours = given.words ? NeighbourGraph::words : NeighbourGraph::none,
          .weight = given.weight >= 0              ? given.weight
                    : given.links || given.vectors ? 1
                                                   : own_weight};
}

template <class T>
Graph<T> joint_graph(const JointArrays<T>& given, const Dataset<T>& data, Index all_items,
                     const std::vector<Index>& kept_items, std::vector<std::string>& notes) {
  const auto see_that_all_are_there = [&](Index rows, const std::string& what) {
    if (rows != all_items)
      throw InvalidArgument(fmt::format("{} has {}, but there are {}: one for each is expected, in the same order.",
                                        what, counted(rows, "row"), counted(all_items, "item")));
  };
  std::vector<Edge> edges;
  if (given.links) {
    see_that_all_are_there(given.links->nodes(), "links");
    const auto found = usable_edges(given.links->weights, places(all_items, kept_items), "links", notes);
    add(normalized<T>(graph_from_edges<T>(data.items(), found.edges).weights, damping), edges);
  }
  if (given.vectors) {
    see_that_all_are_there(given.vectors->rows(), "vectors");
    add(normalized<T>(neighbours_by_vectors(*given.vectors, kept_items, "vectors", notes).weights, damping), edges);
  }
  if (given.words) add(normalized<T>(similarity_graph(data).weights, damping), edges);
  return sum_of<T>(data.items(), edges, notes);
}

template JointInput settings_of(const JointArrays<float>&);
template JointInput settings_of(const JointArrays<double>&);
template Graph<float> joint_graph(const JointArrays<float>&, const Dataset<float>&, Index, const std::vector<Index>&,
                                  std::vector<std::string>&);
template Graph<double> joint_graph(const JointArrays<double>&, const Dataset<double>&, Index, const std::vector<Index>&,
                                   std::vector<std::string>&);
template JointInput decided(JointInput, const Dataset<float>&, std::vector<std::string>&);
template JointInput decided(JointInput, const Dataset<double>&, std::vector<std::string>&);
template Graph<float> joint_graph(const JointInput&, const JointItems<float>&, Index, double, const RunEvents&,
                                  std::vector<std::string>&);
template Graph<double> joint_graph(const JointInput&, const JointItems<double>&, Index, double, const RunEvents&,
                                   std::vector<std::string>&);

}  // namespace copse
