// METIS: "nodes edges [format [weights per node]]", then a line per node.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "copse/graph/graph_text.h"
#include "copse/io/input.h"
#include "copse/io/number.h"

namespace copse {
namespace {

bool is_metis_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The next word of a line, empty at its end.
std::string_view next_word(std::string_view& line) {
  while (!line.empty() && is_metis_blank(line.front())) line.remove_prefix(1);
  const std::string_view word(line.begin(), std::find_if(line.begin(), line.end(), is_metis_blank));
  line.remove_prefix(word.size());
  return word;
}

struct Lines {
  std::string_view text;
  Index number = 0;

  // The next line that is no comment; false at the end.
  bool next(std::string_view& line) {
    while (!text.empty()) {
      ++number;
      const std::size_t length = std::min(text.find('\n'), text.size());
      line = text.substr(0, length);
      text.remove_prefix(std::min(length + 1, text.size()));
      if (!line.starts_with('%')) return true;
    }
    return false;
  }
};

Index whole_number(std::string_view word, const std::string& what, const std::string& name, Index line) {
  Index value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size() || value < 0)
    fail(name, line, what + " was expected, and " + excerpt(word) + " was found.");
  return value;
}

}  // namespace

ListedEdges parse_metis(std::string_view text, const std::string& name) {
  ListedEdges result;
  Lines lines{text};
  std::string_view line;
  if (!lines.next(line)) fail(name, "a line with the number of nodes and of edges was expected.");
  result.nodes = whole_number(next_word(line), "the number of nodes", name, lines.number);
  if (result.nodes > std::numeric_limits<RowIndex>::max())
    fail(name, lines.number, "a graph must have less than 2^31 nodes.");
  const Index edges = whole_number(next_word(line), "the number of edges", name, lines.number);
  const std::string_view format = next_word(line);
  if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos)
    fail(name, lines.number,
         "a format of up to three digits 0 or 1 was expected, and " + excerpt(format) + " was found.");
  const auto flag = [&](std::size_t from_end) {
    return format.size() > from_end && format[format.size() - 1 - from_end] == '1';
  };
  const bool edge_weights = flag(0), node_weights = flag(1), node_sizes = flag(2);
  const std::string_view count = next_word(line);
  const Index weights = !count.empty() ? whole_number(count, "the number of weights per node", name, lines.number)
                                       : (node_weights ? 1 : 0);
  for (Index node = 0; node < result.nodes; ++node) {
    if (!lines.next(line))
      fail(name, "the first line promises " + std::to_string(result.nodes) + " nodes, and there are lines for " +
                     std::to_string(node) + ".");
    for (Index s = node_sizes ? -1 : 0; s < weights; ++s)
      whole_number(next_word(line), "a weight of the node", name, lines.number);
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const Index other = whole_number(word, "the number of a neighbour", name, lines.number);
      if (other < 1 || other > result.nodes)
        fail(name, lines.number,
             "neighbour " + excerpt(word) + " is outside of 1 to " + std::to_string(result.nodes) + ".");
      Edge edge{static_cast<RowIndex>(node), static_cast<RowIndex>(other - 1)};
      if (edge_weights) {
        const std::string complaint = parse_weight(next_word(line), edge.weight);
        if (!complaint.empty()) fail(name, lines.number, complaint);
      }
      result.edges.push_back(edge);
    }
  }
  while (lines.next(line)) {
    if (!next_word(line).empty())
      fail(name, lines.number,
           "the first line promises " + std::to_string(result.nodes) + " nodes, and more lines follow.");
  }
  const auto ends = static_cast<Index>(result.edges.size());
  if (ends % 2 != 0 || ends / 2 != edges)
    result.notes.push_back(name + ": the first line promises " + std::to_string(edges) + " edges, and " +
                           std::to_string(ends) + " ends of edges were found instead of twice as many.");
  return result;
}

}  // namespace copse
