// The report page of a graph: its drawing, its reordered matrix, its communities. web/src/graph_data.ts has the
// reader's side of what is written here.
#pragma once

#include <string>

#include "copse/describe/result.h"
#include "copse/report/page.h"

namespace copse {

struct GraphPageLimits {
  Index bytes = 10'000'000;    // of the whole file
  Index drawn_nodes = 3'000;   // a graph of more nodes is drawn as its communities
  Index drawn_edges = 30'000;  // and one of more edges with its heaviest
  Index names = 100'000;       // of nodes that can be searched for
  Index cells = 640;           // rows of the picture of the matrix
};

// The whole file. Throws InvalidArgument where page_is_built() is false.
std::string graph_page_html(const GraphResult& result, const std::string& title = "",
                            const GraphPageLimits& limits = {});

// The data in it: one line of JSON without any "<".
std::string graph_page_data(const GraphResult& result, const std::string& title = "",
                            const GraphPageLimits& limits = {});

}  // namespace copse
