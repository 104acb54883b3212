#include "copse/input/graph_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "copse/base/error.h"
#include "copse/base/stopwatch.h"
#include "copse/input/graph_memory.h"
#include "copse/io/compression.h"
#include "copse/io/input.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

// A graph whose nodes lie in pieces of fewer than this many nodes, more than this share of them, is a poor one.
constexpr Index tiny_piece = 5;
constexpr double poor_share = 0.1;

// 12, not 012 or -1. A name that is no number, or a huge one, gives -1.
Index whole_number(const std::string& name) {
  if (name.empty() || name.size() > 10 || (name.size() > 1 && name[0] == '0')) return -1;
  Index value = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  return error == std::errc() && end == name.data() + name.size() && value >= 0 ? value : -1;
}

// The numbers that the names are; none if one of them is a word.
std::optional<std::vector<Index>> numbers_of(const std::vector<std::string>& names) {
  std::vector<Index> numbers;
  for (const std::string& name : names) {
    numbers.push_back(whole_number(name));
    if (numbers.back() < 0) return {};
  }
  return numbers;
}

// Where each name stands in the list; -1 for one that is not there.
std::vector<Index> places_in(const std::vector<std::string>& list, const std::vector<std::string>& names) {
  std::unordered_map<std::string, Index> place;
  for (std::size_t i = 0; i < list.size(); ++i) place.emplace(list[i], static_cast<Index>(i));
  std::vector<Index> places;
  for (const std::string& name : names) {
    const auto found = place.find(name);
    places.push_back(found == place.end() ? -1 : found->second);
  }
  return places;
}

// The same edges between nodes with other numbers, of which there may be more.
template <class T>
void renumber(Graph<T>& graph, const std::vector<Index>& to, std::vector<std::string> names) {
  const bool same = names.size() == to.size() && std::ranges::is_sorted(to, std::less<>());
  if (!same) {
    std::vector<Edge> edges;
    const SparseMatrix<T>& a = graph.weights;
    for (Index j = 0; j < a.cols; ++j) {
      for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
        if (a.indices[p] > j)
          edges.push_back({static_cast<RowIndex>(to[j]), static_cast<RowIndex>(to[a.indices[p]]),
                           static_cast<double>(a.values[p])});
      }
    }
    graph.weights = graph_from_edges<T>(static_cast<Index>(names.size()), edges).weights;
  }
  graph.names = std::move(names);
}

std::vector<std::string> counted_names(Index first, Index count) {
  std::vector<std::string> names;
  for (Index i = 0; i < count; ++i) names.push_back(std::to_string(first + i));
  return names;
}

// The nodes that a file lists: all of them in this order, or names for the nodes 0, 1, ... of the graph.
template <class T>
void take_list(const std::string& file, const std::string& path, Graph<T>& graph, std::vector<std::string>& notes) {
  std::vector<std::string> list = read_names(file, &notes);
  if (graph.names.empty()) {
    if (static_cast<Index>(list.size()) != graph.nodes())
      throw InputError(fmt::format("{} has {}, but the graph has {}.", file,
                                   counted(static_cast<Index>(list.size()), "line"), counted(graph.nodes(), "node")));
    graph.names = std::move(list);
    return;
  }
  std::vector<Index> places = places_in(list, graph.names);
  auto missing = std::ranges::find(places, Index(-1));
  if (missing != places.end()) {
    const auto numbers = numbers_of(graph.names);
    if (!numbers || std::ranges::max(*numbers) >= static_cast<Index>(list.size()))
      throw InputError(
          fmt::format("{}: the node {} is not in {}.", path, excerpt(graph.names[missing - places.begin()]), file));
    places = *numbers;
  } else if (std::vector<std::string> sorted = list;
             std::ranges::sort(sorted), std::ranges::adjacent_find(sorted) != sorted.end()) {
    throw InputError(
        fmt::format("{}: the node {} is listed twice.", file, excerpt(*std::ranges::adjacent_find(sorted))));
  }
  renumber(graph, places, std::move(list));
}

struct Truth {
  std::vector<std::string> nodes;  // empty: one class per node in their order
  std::vector<std::string> classes;
};

// One class per line, or lines "node <tab> class" with or without a header.
Truth read_truth(const std::string& file, std::vector<std::string>& notes) {
  Truth truth;
  truth.classes = read_names(file, &notes);
  if (truth.classes.empty()) throw InputError(file + " has no lines.");
  const auto has_tab = [](const std::string& line) { return line.find('\t') != std::string::npos; };
  if (!std::ranges::all_of(truth.classes, has_tab)) return truth;
  for (std::string& line : truth.classes) {
    const std::size_t tab = line.find('\t');
    truth.nodes.push_back(line.substr(0, tab));
    line = line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1);
  }
  return truth;
}

// Nodes that are numbers stand in the order of the numbers. `lines` of the truth tell how many there are, from 0 or,
// where the last number says so, from 1.
template <class T>
void order_by_number(Index lines, Graph<T>& graph, std::vector<std::string>& notes) {
  const auto numbers = numbers_of(graph.names);
  if (!numbers || numbers->empty()) return;
  const auto [least, most] = std::ranges::minmax(*numbers);
  const Index first = lines > 0 && least >= 1 && most == lines ? 1 : 0;
  std::vector<Index> to = *numbers;
  if (lines > 0 && most - first < lines) {
    for (Index& number : to) number -= first;
    const Index added = lines - graph.nodes();
    if (added > 0)
      notes.push_back(fmt::format("{} that the truth counts without any edge.", counted(added, "more node")));
    renumber(graph, to, counted_names(first, lines));
    return;
  }
  std::vector<Index> order(to.size());
  std::iota(order.begin(), order.end(), Index(0));
  std::ranges::sort(order, {}, [&](Index i) { return (*numbers)[i]; });
  std::vector<std::string> names;
  for (std::size_t place = 0; place < order.size(); ++place) {
    to[order[place]] = static_cast<Index>(place);
    names.push_back(std::move(graph.names[order[place]]));
  }
  renumber(graph, to, std::move(names));
}

void take_truth(Truth truth, const std::string& file, ModelItems& items, std::vector<std::string>& notes) {
  const auto nodes = static_cast<Index>(items.item_names.size());
  if (truth.nodes.empty()) {
    if (static_cast<Index>(truth.classes.size()) != nodes)
      throw InputError(
          fmt::format("{} has {}, but the graph has {}. Lines of a node, a tab and its class are taken by "
                      "name; `nodes` lists nodes that have no edge.",
                      file, counted(static_cast<Index>(truth.classes.size()), "line"), counted(nodes, "node")));
    items.classes = std::move(truth.classes);
    return;
  }
  const std::vector<Index> places = places_in(items.item_names, truth.nodes);
  items.classes.assign(items.item_names.size(), "");
  Index unknown = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= 0) items.classes[places[i]] = std::move(truth.classes[i]);
    unknown += places[i] < 0;
  }
  if (unknown == static_cast<Index>(places.size()))
    throw InputError(
        fmt::format("{}: none of the nodes is in the graph; the first is {}.", file, excerpt(truth.nodes.front())));
  if (unknown > 0) notes.push_back(fmt::format("{}: {} not in the graph.", file, counted(unknown, "line")));
  const Index without = std::ranges::count(items.classes, "");
  if (without > 0) notes.push_back(counted(without, "node") + " without a class, left out of the measures.");
}

template <class T>
ReadGraph<T> read_given(const GraphInputOptions& options, double memory_limit, const RunEvents& events) {
  const std::string& path = options.items.path;
  const ReadGraphOptions reading{.format = options.format, .memory_limit = static_cast<std::size_t>(memory_limit)};
  events.show("reading " + path + " ...");
  try {
    if (path != "-") return read_graph<T>(path, reading);
    const Input input = Input::open(path, reading.memory_limit);
    return read_graph<T>(input.bytes(), input.name(), reading);
  } catch (const NotSquare& error) {
    throw InputError(std::string(error.what()) + " `similarity` makes a graph of the items of a matrix.");
  } catch (const InvalidArgument& error) {  // the library has no name for the file
    throw InputError(fmt::format("{}: {}.", path, error.what()));
  }
}

bool is_metis(const GraphInputOptions& options) {
  const std::string_view plain = name_without_compression(options.items.path);
  return options.format == GraphFormat::metis ||
         (options.format == GraphFormat::automatic && (plain.ends_with(".metis") || plain.ends_with(".graph")));
}

template <class T>
GraphInput<T> load_given(const GraphInputOptions& options, double memory_limit, const RunEvents& events) {
  const std::string& path = options.items.path;
  ReadGraph<T> read = read_given<T>(options, memory_limit, events);
  GraphInput<T> input;
  input.notes = std::move(read.notes);
  input.graph = std::move(read.graph);
  std::optional<Truth> truth;
  if (!options.items.truth.empty()) truth = read_truth(options.items.truth, input.notes);
  const std::string& list = options.nodes.empty() ? options.items.item_names : options.nodes;
  if (!list.empty()) {
    take_list(list, path, input.graph, input.notes);
  } else if (!input.graph.names.empty()) {
    const Index lines = truth && truth->nodes.empty() ? static_cast<Index>(truth->classes.size()) : 0;
    order_by_number(lines, input.graph, input.notes);
  }
  input.items.item_names = std::move(input.graph.names);
  if (input.items.item_names.empty())
    input.items.item_names = counted_names(is_metis(options) ? 1 : 0, input.graph.nodes());
  if (truth) take_truth(std::move(*truth), options.items.truth, input.items, input.notes);
  return input;
}

template <class T>
GraphInput<T> joined_graph(PreparedInput<T> prepared, const GraphInputOptions& options, const RunEvents& events,
                           Seconds& seconds) {
  GraphInput<T> input;
  input.notes = std::move(prepared.notes);
  input.items = take_items(prepared);
  input.outside = std::move(prepared.outside);
  input.data = std::move(prepared.data);
  const Stopwatch comparing;
  events.show("finding neighbours ...");
  try {
    SimilarityReport report;
    input.graph = similarity_graph(input.data, options.similarity_options(), &report);
    if (report.approximate)
      input.notes.push_back(fmt::format(
          "The neighbours were searched approximately: {:.1f} % of the nearest were found, of a sample of the items.",
          100 * report.recall));
  } catch (const InvalidArgument& error) {
    throw InputError(fmt::format("{}: {}.", options.items.called(), error.what()));
  }
  input.graph.names.clear();
  seconds.prepare += comparing.seconds();
  return input;
}

template <class T>
double bytes_of(const Dataset<T>& data) {
  if (!data.is_sparse()) return static_cast<double>(data.items()) * static_cast<double>(data.features()) * sizeof(T);
  return static_cast<double>(std::get<SparseMatrix<T>>(data.values).nonzeros()) * (sizeof(T) + sizeof(RowIndex));
}

// Tells how large it is; throws InputError where there is nothing to cluster, or no memory for it.
template <class T>
void check_graph(const GraphInput<T>& input, const GraphInputOptions& options, Index k, double memory_limit,
                 const RunEvents& events) {
  const std::string& name = options.items.called();
  const Index nodes = input.graph.nodes(), edges = input.graph.edges();
  if (edges == 0)
    throw InputError(
        fmt::format("{}: the graph has {} and no edges; there is nothing to cluster.", name, counted(nodes, "node")));
  if (k > nodes)
    throw InputError(fmt::format("`clusters` {} is too large for {}, whose graph has {}: at most {} is possible.", k,
                                 name, counted(nodes, "node"), nodes));
  const GraphSize size{nodes, edges, bytes_of(input.data)};
  events.tell(fmt::format("{}: a graph of {} and {}; about {} of memory will do", name, counted(nodes, "node"),
                          counted(edges, "edge"), in_bytes(graph_memory(size, k, precision_of<T>))));
  check_graph_fits(size, k, precision_of<T>, memory_limit);
}

}  // namespace

SimilarityOptions GraphInputOptions::similarity_options() const {
  SimilarityOptions options{.neighbours = neighbours, .sigma = sigma, .scale_neighbour = scale_neighbour};
  if (similarity == ItemSimilarity::gaussian) options.kind = Similarity::gaussian;
  if (similarity == ItemSimilarity::self_tuning) options.kind = Similarity::self_tuning;
  return options;
}

template <class T>
Graph<T> graph_of_items(const Dataset<T>& items, const GraphInputOptions& options) {
  return similarity_graph(items, options.similarity_options());
}

template <class T>
std::vector<std::string> notes_on(const Graph<T>& graph) {
  const Components components = connected_components<T>(graph.weights);
  if (components.count() < 2) return {};
  std::vector<std::string> notes;
  std::string sentence =
      fmt::format("The graph has {}; the largest has {} of {}", counted(components.count(), "component"),
                  counted(std::ranges::max(components.sizes)), counted(graph.nodes(), "node"));
  if (components.isolated > 0)
    sentence += fmt::format(", and {} no edge",
                            counted(components.isolated, "node") + (components.isolated == 1 ? " has" : " have"));
  notes.push_back(sentence + ".");
  Index tiny = 0;
  for (const Index size : components.sizes) tiny += size < tiny_piece ? size : 0;
  const double share = static_cast<double>(tiny) / static_cast<double>(graph.nodes());
  if (share > poor_share)
    notes.push_back(
        fmt::format("{:.0f} % of the nodes are in pieces of fewer than {} nodes: no edge tells where they "
                    "belong, and communities say little about them.",
                    100 * share, tiny_piece));
  return notes;
}

template <class T>
GraphInput<T> load_graph(const GraphInputOptions& options, Index k, double memory_limit, const RunEvents& events,
                         Seconds& seconds) {
  if (options.has_items()) {
    const MemoryJob job{.gives = Gives::flat, .clusters = 0, .memory_limit = memory_limit};
    return join_items(load<T>(options.items, job, events, seconds), options, k, memory_limit, events, seconds);
  }
  const Stopwatch reading;
  GraphInput<T> input = load_given<T>(options, memory_limit, events);
  seconds.read += reading.seconds();
  check_graph(input, options, k, memory_limit, events);
  return input;
}

template <class T>
GraphInput<T> join_items(PreparedInput<T> items, const GraphInputOptions& options, Index k, double memory_limit,
                         const RunEvents& events, Seconds& seconds) {
  GraphInput<T> input = joined_graph(std::move(items), options, events, seconds);
  check_graph(input, options, k, memory_limit, events);
  return input;
}

#define COPSE_INSTANTIATE(T)                                                                                     \
  template GraphInput<T> load_graph(const GraphInputOptions&, Index, double, const RunEvents&, Seconds&);        \
  template GraphInput<T> join_items(PreparedInput<T>, const GraphInputOptions&, Index, double, const RunEvents&, \
                                    Seconds&);                                                                   \
  template Graph<T> graph_of_items(const Dataset<T>&, const GraphInputOptions&);                                 \
  template std::vector<std::string> notes_on(const Graph<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
