// GraphML, as far as graphs with weights go: a small parser of its own, since the few tags do not warrant a library.
// Nested graphs, ports and hyperedges are refused.
#include <algorithm>
#include <charconv>
#include <map>

#include "copse/graph/graph_text.h"
#include "copse/io/input.h"
#include "copse/io/names.h"

namespace copse {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void append_utf8(unsigned long code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// &amp; and the like. What is none stays as it is.
std::string without_entities(std::string_view text) {
  static const std::map<std::string_view, char> named = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.front() == '&' ? text.find(';') : std::string_view::npos;
    if (end == std::string_view::npos || end > 10) {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    const std::string_view entity = text.substr(1, end - 1);
    const auto found = named.find(entity);
    if (found != named.end()) {
      out += found->second;
    } else if (entity.starts_with('#')) {
      const bool hex = entity.size() > 1 && (entity[1] == 'x' || entity[1] == 'X');
      const std::string_view digits = entity.substr(hex ? 2 : 1);
      unsigned long code = 0;
      const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
      if (error == std::errc() && last == digits.data() + digits.size() && code > 0 && code <= 0x10FFFF) {
        append_utf8(code, out);
      } else {
        out += text.substr(0, end + 1);
      }
    } else {
      out += text.substr(0, end + 1);
    }
    text.remove_prefix(end + 1);
  }
  return out;
}

struct Tag {
  std::string_view name = {};  // without a namespace
  std::map<std::string, std::string, std::less<>> attributes = {};
  bool opens = false;
  bool closes = false;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name), numbers_({}, name) {}

  ListedEdges read() {
    Tag tag;
    bool any = false;
    while (next(tag)) {
      if (tag.name == "graphml") any = true;
      if (!any) complain("a GraphML document was expected, and <" + std::string(tag.name) + "> was found.");
      if (tag.name == "hyperedge") complain("hyperedges are not supported.");
      if (tag.name == "graph") {
        depth_ += tag.opens ? 1 : 0;
        if (depth_ > 1) complain("graphs within nodes are not supported.");
        depth_ -= tag.closes ? 1 : 0;
      }
      if (tag.name == "key" && tag.opens) read_key(tag);
      if (tag.name == "node" && tag.opens) {
        if (numbers_.add(attribute(tag, "id")) < 0 && !met_.contains(attribute(tag, "id")))
          complain("the node " + excerpt(attribute(tag, "id")) + " is there twice.");
        met_.erase(attribute(tag, "id"));
      }
      if (tag.name == "edge") read_edge(tag);
      if (tag.name == "data" && tag.opens && !tag.closes) read_data(tag);
    }
    if (!any) fail(name_, "a GraphML document was expected, and no <graphml> was found.");
    for (const auto& [node, line] : met_)
      fail(name_, line, "an edge joins the node " + excerpt(node) + ", which no <node> declares.");
    result_.nodes = numbers_.count();
    result_.names = numbers_.take_names();
    repair_node_names(name_, result_);
    return std::move(result_);
  }

 private:
  [[noreturn]] void complain(const std::string& sentence) const { fail(name_, line_, sentence); }

  const std::string& attribute(const Tag& tag, std::string_view key) const {
    const auto found = tag.attributes.find(key);
    if (found == tag.attributes.end())
      complain("<" + std::string(tag.name) + "> has no attribute '" + std::string(key) + "'.");
    return found->second;
  }

  void read_key(const Tag& tag) {
    const auto name = tag.attributes.find("attr.name");
    const auto domain = tag.attributes.find("for");
    const bool of_edges = domain == tag.attributes.end() || domain->second == "edge" || domain->second == "all";
    if (of_edges && name != tag.attributes.end() && name->second == "weight") weight_key_ = attribute(tag, "id");
  }

  void read_edge(const Tag& tag) {
    if (tag.opens) {
      Edge edge;
      edge.from = end_of_edge(attribute(tag, "source"));
      edge.to = end_of_edge(attribute(tag, "target"));
      result_.edges.push_back(edge);
    }
    in_edge_ = tag.opens && !tag.closes;
  }

  RowIndex end_of_edge(const std::string& node) {
    const Index before = numbers_.count(), number = numbers_.number(node);
    if (number == before) met_.emplace(node, line_);  // declared later, it is hoped
    if (number >= std::numeric_limits<RowIndex>::max()) complain("a graph must have less than 2^31 nodes.");
    return static_cast<RowIndex>(number);
  }

  void read_data(const Tag& tag) {
    if (!in_edge_ || weight_key_.empty() || attribute(tag, "key") != weight_key_) return;
    std::string_view value = text_.substr(0, text_.find('<'));
    while (!value.empty() && is_space(value.front())) value.remove_prefix(1);
    while (!value.empty() && is_space(value.back())) value.remove_suffix(1);
    const std::string complaint = parse_weight(value, result_.edges.back().weight);
    if (!complaint.empty()) complain(complaint);
  }

  void advance(std::size_t count) {
    line_ += std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(count), '\n');
    text_.remove_prefix(count);
  }

  void skip_past(std::string_view end, const std::string& what) {
    const std::size_t found = text_.find(end);
    if (found == std::string_view::npos) complain(what + " does not end.");
    advance(found + end.size());
  }

  // The next tag; false at the end.
  bool next(Tag& tag) {
    for (;;) {
      const std::size_t begin = text_.find('<');
      if (begin == std::string_view::npos) return false;
      advance(begin);
      if (text_.starts_with("<!--")) {
        skip_past("-->", "a comment");
      } else if (text_.starts_with("<![CDATA[")) {
        skip_past("]]>", "a CDATA section");
      } else if (text_.starts_with("<?")) {
        skip_past("?>", "a processing instruction");
      } else if (text_.starts_with("<!")) {
        skip_past(">", "a declaration");
      } else {
        break;
      }
    }
    // A '>' may stand within the quotes of an attribute.
    std::size_t end = 1;
    for (char quote = 0; end < text_.size() && (quote != 0 || text_[end] != '>'); ++end) {
      if (quote != 0) {
        quote = text_[end] == quote ? 0 : quote;
      } else if (text_[end] == '"' || text_[end] == '\'') {
        quote = text_[end];
      }
    }
    if (end == text_.size()) complain("a tag does not end: " + excerpt(text_.substr(0, 60)) + ".");
    parse(text_.substr(1, end - 1), tag);
    advance(end + 1);
    return true;
  }

  void parse(std::string_view inside, Tag& tag) const {
    tag = {};
    tag.closes = inside.starts_with('/') || inside.ends_with('/');
    tag.opens = !inside.starts_with('/');
    if (inside.starts_with('/')) inside.remove_prefix(1);
    if (inside.ends_with('/')) inside.remove_suffix(1);
    tag.name = std::string_view(inside.begin(), std::find_if(inside.begin(), inside.end(), is_space));
    inside.remove_prefix(tag.name.size());
    if (const std::size_t colon = tag.name.find(':'); colon != std::string_view::npos)
      tag.name.remove_prefix(colon + 1);
    for (;;) {
      while (!inside.empty() && is_space(inside.front())) inside.remove_prefix(1);
      if (inside.empty()) return;
      const std::size_t equals = inside.find('=');
      std::size_t quote = equals == std::string_view::npos ? equals : equals + 1;
      while (quote < inside.size() && is_space(inside[quote])) ++quote;
      if (quote >= inside.size() || (inside[quote] != '"' && inside[quote] != '\''))
        complain("an attribute NAME=\"VALUE\" was expected, and " + excerpt(inside) + " was found.");
      std::string_view key = inside.substr(0, equals);
      while (!key.empty() && is_space(key.back())) key.remove_suffix(1);
      const std::size_t end = inside.find(inside[quote], quote + 1);
      if (end == std::string_view::npos) complain("quotes do not end: " + excerpt(inside) + ".");
      tag.attributes[std::string(key)] = without_entities(inside.substr(quote + 1, end - quote - 1));
      inside.remove_prefix(end + 1);
    }
  }

  std::string_view text_;
  const std::string& name_;
  std::ptrdiff_t line_ = 1;
  NodeNumbers numbers_;
  std::map<std::string, std::ptrdiff_t, std::less<>> met_;  // nodes of edges that were not declared yet
  std::string weight_key_;
  int depth_ = 0;
  bool in_edge_ = false;
  ListedEdges result_;
};

}  // namespace

ListedEdges parse_graphml(std::string_view text, const std::string& name) { return Reader(text, name).read(); }

}  // namespace copse
