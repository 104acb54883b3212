// All files of a result into its folder: how every run ends.
#pragma once

#include <filesystem>

#include "copse/describe/flat_result.h"
#include "copse/describe/graph_result.h"
#include "copse/describe/tree_result.h"
#include "copse/io/output_folder.h"

namespace copse {

// Writes assignments.tsv, topics.tsv, model.safetensors, report.html (with `page`) and result.json, for a tree also
// tree.json, tree.newick and partitions.tsv, for a graph communities.tsv in place of topics.tsv, and commits the
// folder. The result's report learns how long that took and what was left out. Throws OutputError; nothing is written
// then.
template <class T>
void write_result(OutputFolder& folder, FlatResult<T>& result, bool page = true);
template <class T>
void write_result(OutputFolder& folder, TreeResult<T>& result, bool page = true);
template <class T>
void write_result(OutputFolder& folder, GraphResult<T>& result, bool page = true);

// The same into a folder of this name, which is created, or must be empty.
template <class Result>
void write_result(const std::filesystem::path& path, Result& result) {
  OutputFolder folder(path, false);
  write_result(folder, result);
}

// Closes the report of a run that writes no files: the time and the memory that it took.
void close_report(const Stopwatch& clock, RunReport& report);

}  // namespace copse
