// What a run says when it is done: the topics or the JSON object to stdout, then the summary to stderr.
#pragma once

#include "apps/copse/commands/options.h"
#include "apps/copse/terminal/terminal.h"
#include "copse/result/flat_run.h"
#include "copse/result/tree_result.h"

namespace copse {

template <class T>
void show(const FlatResult<T>& result, const OutputOptions& output, Terminal& terminal);
template <class T>
void show(const TreeResult<T>& result, const OutputOptions& output, Terminal& terminal);

}  // namespace copse
