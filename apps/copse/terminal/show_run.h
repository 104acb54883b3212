// What a run says when it is done: the topics or the JSON object to stdout, then the summary to stderr.
#pragma once

#include "apps/copse/commands/options.h"
#include "apps/copse/terminal/tables.h"
#include "apps/copse/terminal/terminal.h"
#include "copse/describe/result.h"
#include "copse/run/flat_run.h"

namespace copse {

// A table of topics on stdout: all of them, but on a terminal only so many as leave room for the other rows, unless
// `all`.
OutlineTableOptions screen_for(bool all, std::size_t other_rows);

// "hals: converged after 30 iterations, ...".
std::string outcome(const RunReport& report, const std::string& solver);

// The end of a run: the table (made for a width; 0: any) or the JSON object, then the notes, the lines, the measures,
// and what it took.
void show_end(const RunReport& report, const OutputOptions& output, const std::vector<std::string>& lines,
              Terminal& terminal, const std::function<std::string(std::size_t)>& table);

void show(const FlatResult& result, const OutputOptions& output, Terminal& terminal);
void show(const TreeResult& result, const OutputOptions& output, Terminal& terminal);

}  // namespace copse
