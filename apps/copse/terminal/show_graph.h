// Communities of a graph as text or JSON.
#pragma once

#include "apps/copse/commands/options.h"
#include "apps/copse/terminal/show_topics.h"
#include "apps/copse/terminal/terminal.h"
#include "copse/model/stored_result.h"
#include "copse/run/graph_run.h"

namespace copse {

// A table, largest community first, fitted to `width` columns (0: no line is broken).
std::string communities_table(const RunReport& report, std::size_t width);

// What a run tells at its end.
void show(const GraphResult& result, const OutputOptions& output, Terminal& terminal);

// `copse show` of a graph's result: all communities, or one of them.
std::string show_graph(const StoredResult& stored, const ShowOptions& options);

}  // namespace copse
