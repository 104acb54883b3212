// What the readers of graphs share.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "copse/graph/graph.h"

namespace copse {

// Edges by node numbers, and the names behind the numbers.
struct ListedEdges {
  std::vector<Edge> edges = {};
  std::vector<std::string> names = {};  // may be empty where nodes have numbers only
  Index nodes = 0;
  std::vector<std::string> notes = {};
};

// Gives every name a number, in the order in which they come.
class NodeNumbers {
 public:
  // With a list no other name is allowed. Throws InputError("FILE: ...") for a name that occurs twice.
  NodeNumbers(const std::vector<std::string>& nodes, const std::string& file);

  // The number of a name; -1 if it is not in the list.
  Index number(std::string_view name);
  // The number of a new name; -1 if it was there.
  Index add(std::string_view name);

  std::vector<std::string> take_names() { return std::move(names_); }
  Index count() const { return static_cast<Index>(names_.size()); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  bool closed_ = false;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Index, Hash, std::equal_to<>> numbers_;
};

// Repairs names that are not UTF-8 and says so. Nodes whose names differed and do so no longer are told apart by
// " (2)", " (3)", ...
void repair_node_names(const std::string& file, ListedEdges& listed);

// "" if the text is a weight, which goes to `weight`; else a sentence that says what is wrong.
std::string parse_weight(std::string_view text, double& weight);

// `text` is the whole content; `name` is for sentences. Throw InputError.
ListedEdges parse_edge_list(std::string_view text, const std::string& name, const std::vector<std::string>& nodes);
ListedEdges parse_graphml(std::string_view text, const std::string& name);
// Both directions of every edge are listed.
ListedEdges parse_metis(std::string_view text, const std::string& name);

}  // namespace copse
