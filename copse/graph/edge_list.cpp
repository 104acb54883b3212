#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "copse/graph/graph_text.h"
#include "copse/io/input.h"
#include "copse/io/names.h"
#include "copse/io/number.h"
#include "copse/io/quoted.h"

namespace copse {
namespace {

constexpr std::size_t max_nodes = std::numeric_limits<RowIndex>::max();

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The fields of a line, four at most: more than three are too many anyway.
struct Fields {
  std::array<std::string, 4> quoted;  // texts of fields in quotes
  std::array<std::string_view, 4> texts;
  std::size_t count = 0;
  bool complete = true;  // quotes end
};

// With delimiter ' ' any run of blanks separates. Else fields may be in quotes, which are doubled inside.
void split(std::string_view line, char delimiter, Fields& fields) {
  fields.count = 0;
  fields.complete = true;
  if (delimiter == ' ') {
    line = trimmed(line);
    while (!line.empty() && fields.count < 4) {
      const std::string_view text(line.begin(), std::find_if(line.begin(), line.end(), is_blank));
      fields.texts[fields.count++] = text;
      line = trimmed(line.substr(text.size()));
    }
    return;
  }
  while (fields.count < 4) {
    std::size_t start = 0;
    while (start < line.size() && line[start] == ' ') ++start;
    std::string_view text;
    if (start < line.size() && line[start] == '"') {
      std::string& out = fields.quoted[fields.count];
      out.clear();
      line.remove_prefix(start + 1);
      if (!take_quoted(line, out)) fields.complete = false;
      text = out;
    } else {
      text = trimmed(line.substr(0, line.find(delimiter)));
    }
    fields.texts[fields.count++] = text;
    const std::size_t end = line.find(delimiter);
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

// What stands in quotes separates nothing.
char delimiter_of(std::string_view line) {
  std::string bare;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (!quoted) bare += c;
  }
  for (const char c : {'\t', ',', ';'}) {
    if ((quoted ? line : std::string_view(bare)).find(c) != std::string_view::npos) return c;
  }
  return ' ';
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

// A first line of column names: "source", "target" and the like, or a third field that is no number.
bool is_header(const Fields& fields) {
  if (fields.count < 2) return false;
  double weight = 0;
  const std::string text(fields.texts[2]);
  if (fields.count == 3 && parse_number(text.data(), text.data() + text.size(), weight) != text.data() + text.size())
    return true;
  constexpr std::string_view from[] = {"source", "from", "src", "node1", "node_1", "fromnodeid", "head", "u", "i"};
  constexpr std::string_view to[] = {"target", "to", "dst", "node2", "node_2", "tonodeid", "tail", "v", "j"};
  for (std::size_t w = 0; w < std::size(from); ++w) {
    if (lower(fields.texts[0]) == from[w] && lower(fields.texts[1]) == to[w]) return true;
  }
  return false;
}

}  // namespace

NodeNumbers::NodeNumbers(const std::vector<std::string>& nodes, const std::string& file) {
  for (const std::string& name : nodes) {
    if (add(name) < 0) fail(file, "the list of nodes holds " + excerpt(name) + " twice.");
  }
  closed_ = !nodes.empty();
}

Index NodeNumbers::number(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  return closed_ ? -1 : add(name);
}

Index NodeNumbers::add(std::string_view name) {
  const auto [place, is_new] = numbers_.emplace(name, count());
  if (!is_new) return -1;
  names_.emplace_back(name);
  return place->second;
}

std::string parse_weight(std::string_view text, double& weight) {
  const char* end = text.data() + text.size();
  if (text.empty() || parse_number(text.data(), end, weight) != end)
    return "a weight was expected, and " + excerpt(text) + " was found.";
  if (std::isnan(weight)) return "the weight is not a number (NaN).";
  if (std::isinf(weight)) return "the weight " + excerpt(text) + " is infinite or too large.";
  if (weight < 0) return "the weight " + excerpt(text) + " is negative, and none may be.";
  return "";
}

void repair_node_names(const std::string& file, ListedEdges& listed) {
  const Index repaired = repair_names(listed.names);
  note_repairs(repaired, file, listed.notes);
  if (repaired == 0) return;
  std::unordered_set<std::string> taken;
  for (std::string& name : listed.names) {
    const std::string plain = name;
    for (int number = 2; !taken.insert(name).second; ++number) name = plain + " (" + std::to_string(number) + ")";
  }
}

ListedEdges parse_edge_list(std::string_view text, const std::string& name, const std::vector<std::string>& nodes) {
  ListedEdges result;
  NodeNumbers numbers(nodes, name);
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  Fields fields;
  std::size_t width = 0;
  char delimiter = 0;
  std::pair<std::string, Index> before;  // many lists have the edges of a node one after the other
  Index number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#' || content.front() == '%') continue;
    const bool first = delimiter == 0;
    if (first) delimiter = delimiter_of(content);
    split(delimiter == '\t' ? line : content, delimiter, fields);
    if (first && is_header(fields)) continue;
    if (!fields.complete) fail(name, number, "quotes do not end on the line: " + excerpt(line) + ".");
    if (fields.count == 3 && fields.texts[2].empty()) fields.count = 2;  // a delimiter at the end of the line
    if (fields.count < 2 || fields.count > 3)
      fail(name, number, "two nodes, perhaps with a weight, were expected, and " + excerpt(content) + " was found.");
    if (width == 0) width = fields.count;
    if (fields.count != width)
      fail(name, number,
           std::string(width == 3 ? "two nodes and a weight" : "two nodes without a weight") +
               " were expected, as on the lines before, and " + excerpt(content) + " was found.");
    Edge edge;
    for (const int end : {0, 1}) {
      const std::string_view node = fields.texts[static_cast<std::size_t>(end)];
      if (node.empty()) fail(name, number, "the name of a node was expected, and " + excerpt(content) + " was found.");
      const bool again = end == 0 && node == before.first;
      const Index found = again ? before.second : numbers.number(node);
      if (end == 0 && !again) before = {std::string(node), found};
      if (found < 0) fail(name, number, "the node " + excerpt(node) + " is not in the list of nodes.");
      if (static_cast<std::size_t>(found) >= max_nodes) fail(name, number, "a graph must have less than 2^31 nodes.");
      (end == 0 ? edge.from : edge.to) = static_cast<RowIndex>(found);
    }
    if (width == 3) {
      const std::string complaint = parse_weight(fields.texts[2], edge.weight);
      if (!complaint.empty()) fail(name, number, complaint);
    }
    result.edges.push_back(edge);
  }
  if (result.edges.empty() && nodes.empty()) fail(name, "edges were expected, and there are none.");
  result.nodes = numbers.count();
  result.names = numbers.take_names();
  repair_node_names(name, result);
  return result;
}

}  // namespace copse
