// All files of a result into its folder: how every run ends.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "copse/describe/result.h"
#include "copse/io/output_folder.h"

namespace copse {

// Writes assignments.tsv, topics.tsv, model.safetensors, report.html (with `page`) and result.json, for a tree also
// tree.json, tree.newick and partitions.tsv, for a graph communities.tsv in place of topics.tsv, and commits the
// folder. The result's report learns how long that took and what was left out. Throws OutputError; nothing is written
// then.
void write_result(OutputFolder& folder, FlatResult& result, bool page = true);
void write_result(OutputFolder& folder, TreeResult& result, bool page = true);
void write_result(OutputFolder& folder, GraphResult& result, bool page = true);

// The same into a folder of this name, which is created, or must be empty.
template <class AnyKind>
void write_result(const std::filesystem::path& path, AnyKind& result) {
  OutputFolder folder(path, false);
  write_result(folder, result);
}

// The page of a result, or a note that there is none.
void write_page(OutputFolder& folder, RunReport& report, const std::function<std::string()>& html);
// How the files of every kind of result end: the report learns what was left out and how long it took since `writing`,
// result.json is written, and the folder is committed.
void finish_result(OutputFolder& folder, const Stopwatch& writing, const Stopwatch& clock, RunReport& report,
                   const std::function<std::string()>& json);

// Closes the report of a run that writes no files: the time and the memory that it took.
void close_report(const Stopwatch& clock, RunReport& report);

}  // namespace copse
