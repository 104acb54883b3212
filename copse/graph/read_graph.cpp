#include "copse/graph/read_graph.h"

#include <algorithm>

#include "copse/base/error.h"
#include "copse/graph/graph_text.h"
#include "copse/io/compression.h"
#include "copse/io/input.h"
#include "copse/io/matrix_file.h"
#include "copse/io/names.h"

namespace copse {
namespace {

constexpr std::size_t enough_to_tell = 4096;  // bytes of a file that tell its format

GraphFormat format_of(const Input& input) {
  const std::string_view plain = name_without_compression(input.name());
  if (plain.ends_with(".metis") || plain.ends_with(".graph")) return GraphFormat::metis;
  const Buffer<char> bytes = beginning(input, enough_to_tell);
  std::string_view text(bytes.data(), bytes.size());
  if (text.starts_with("%%MatrixMarket") || text.starts_with("\x93NUMPY") || text.starts_with("PK"))
    return GraphFormat::matrix;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\r')) text.remove_prefix(1);
  return text.starts_with("<?xml") || text.starts_with("<graphml") ? GraphFormat::graphml : GraphFormat::edges;
}

void note(Index count, const std::string& one, const std::string& many, const std::string& file,
          std::vector<std::string>& notes) {
  if (count > 0) notes.push_back(file + ": " + (count == 1 ? "1 " + one : std::to_string(count) + " " + many));
}

// Entries of a dense matrix that are not zero.
template <class T>
SparseMatrix<T> nonzero_entries(const Matrix<T>& x) {
  SparseMatrix<T> result{.rows = x.cols(), .cols = x.rows()};
  for (Index j = 0; j < x.rows(); ++j) {
    for (Index i = 0; i < x.cols(); ++i) {
      if (x(j, i) == T(0)) continue;
      result.indices.push_back(static_cast<RowIndex>(i));
      result.values.push_back(x(j, i));
    }
    result.offsets.push_back(result.nonzeros());
  }
  return result;
}

template <class T>
ReadGraph<T> from_matrix(SparseView<T> a, const std::string& name, std::vector<std::string> notes) {
  if (a.rows != a.cols)
    throw NotSquare(name + ": the matrix of a graph must be square, and this one is " + std::to_string(a.rows) + " x " +
                    std::to_string(a.cols) + ".");
  MatrixCounts counts;
  ReadGraph<T> result{graph_from_matrix(a, &counts), std::move(notes)};
  note(counts.self_loops, "loop was dropped.", "loops were dropped.", name, result.notes);
  note(counts.unequal, "pair of nodes had two weights; their mean was taken.",
       "pairs of nodes had two weights; their mean was taken.", name, result.notes);
  return result;
}

template <class T>
ReadGraph<T> from_edges(ListedEdges listed, const std::string& name) {
  EdgeCounts counts;
  ReadGraph<T> result{graph_from_edges<T>(listed.nodes, listed.edges, &counts), std::move(listed.notes)};
  result.graph.names = std::move(listed.names);
  note(counts.self_loops, "loop was dropped.", "loops were dropped.", name, result.notes);
  note(counts.zero_weights, "edge of weight zero was dropped.", "edges of weight zero were dropped.", name,
       result.notes);
  note(counts.repeated, "edge was listed again, or in the other direction, and added up.",
       "edges were listed again, or in the other direction, and added up.", name, result.notes);
  return result;
}

// METIS lists both directions: compressed columns of what every node says of its neighbours.
template <class T>
SparseMatrix<T> directed(const ListedEdges& listed) {
  SparseMatrix<T> a{.rows = listed.nodes, .cols = listed.nodes};
  a.offsets.assign(static_cast<std::size_t>(listed.nodes) + 1, 0);
  std::vector<Edge> edges = listed.edges;
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Edge& x, const Edge& y) { return x.from != y.from ? x.from < y.from : x.to < y.to; });
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const bool again = e > 0 && edges[e].from == edges[e - 1].from && edges[e].to == edges[e - 1].to;
    if (again) {
      a.values.back() += static_cast<T>(edges[e].weight);
      continue;
    }
    a.indices.push_back(edges[e].to);
    a.values.push_back(static_cast<T>(edges[e].weight));
    a.offsets[edges[e].from + 1] = a.nonzeros();
  }
  for (Index j = 0; j < listed.nodes; ++j) a.offsets[j + 1] = std::max(a.offsets[j + 1], a.offsets[j]);
  return a;
}

template <class T>
ReadGraph<T> read(const Input& input, const ReadGraphOptions& options) {
  const GraphFormat format = options.format == GraphFormat::automatic ? format_of(input) : options.format;
  const std::string& name = input.name();
  if (!options.nodes.empty() && format != GraphFormat::edges)
    throw InvalidArgument("a list of nodes goes with an edge list, and " + name + " is none");
  if (format == GraphFormat::matrix) {
    ReadResult<T> file = read_matrix<T>(input.bytes(), name, {.memory_limit = options.memory_limit});
    std::vector<std::string> names = std::move(file.dataset.item_names);
    const auto* sparse = std::get_if<SparseMatrix<T>>(&file.dataset.values);
    const SparseMatrix<T> made =
        sparse != nullptr ? SparseMatrix<T>{} : nonzero_entries(std::get<Matrix<T>>(file.dataset.values));
    ReadGraph<T> result = from_matrix<T>(sparse != nullptr ? *sparse : made, name, std::move(file.notes));
    result.graph.names = std::move(names);
    return result;
  }
  Buffer<char> content;
  std::string_view text(input.bytes().data(), input.bytes().size());
  if (compression_of(input.bytes()) != Compression::none) {
    content = decompress(input, options.memory_limit);
    text = {content.data(), content.size()};
  }
  try {
    switch (format) {
      case GraphFormat::metis: {
        ListedEdges listed = parse_metis(text, name);
        return from_matrix<T>(directed<T>(listed), name, std::move(listed.notes));
      }
      case GraphFormat::graphml:
        return from_edges<T>(parse_graphml(text, name), name);
      default:
        return from_edges<T>(parse_edge_list(text, name, options.nodes), name);
    }
  } catch (const InvalidArgument& error) {  // a sum that is too large
    fail(name, std::string(error.what()) + ".");
  }
}

}  // namespace

template <class T>
ReadGraph<T> read_graph(const std::filesystem::path& path, const ReadGraphOptions& options) {
  return read<T>(Input::open(path), options);
}

template <class T>
ReadGraph<T> read_graph(std::span<const char> bytes, const std::string& name, const ReadGraphOptions& options) {
  return read<T>(Input(bytes, name), options);
}

#define COPSE_INSTANTIATE(T)                                                               \
  template ReadGraph<T> read_graph(const std::filesystem::path&, const ReadGraphOptions&); \
  template ReadGraph<T> read_graph(std::span<const char>, const std::string&, const ReadGraphOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
