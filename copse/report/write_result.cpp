#include "copse/report/write_result.h"

#include <algorithm>

#include "copse/base/memory.h"
#include "copse/model/result_json.h"
#include "copse/model/survey_text.h"
#include "copse/report/graph_page.h"
#include "copse/report/result_page.h"
#include "copse/report/tables.h"
#include "copse/report/tree_report.h"

namespace copse {
namespace {

// A table of partitions larger than this is not written; the numbers of the splits in tree.json tell the same.
constexpr double most_partition_cells = 2e7;

void write_tables(OutputFolder& folder, FlatResult& result) {
  write_assignments(folder.add("assignments.tsv"), result);
  folder.add("topics.tsv").write(topics_tsv(result.report.topics));
}

void write_tables(OutputFolder& folder, TreeResult& result) {
  folder.add("tree.json").write(tree_json(result));
  folder.add("tree.newick").write(tree_newick(result));
  write_assignments(folder.add("assignments.tsv"), result);
  folder.add("topics.tsv").write(topics_tsv(result.report.topics));
  const double cells = static_cast<double>(result.model.items.item_names.size()) * result.tree().splits();
  if (cells <= most_partition_cells) {
    write_partitions(folder.add("partitions.tsv"), result);
  } else {
    result.report.notes.push_back(
        "partitions.tsv would be too large; the numbers of the splits in tree.json tell the same.");
  }
}

void write_tables(OutputFolder& folder, GraphResult& result) {
  write_assignments(folder.add("assignments.tsv"), result);
  folder.add("communities.tsv").write(communities_tsv(result.report.topics));
}

template <class Topics>
std::string html_of(const Topics& result) {
  return page_html(page_of(result.view, result.model.items, result.report));
}

std::string html_of(const GraphResult& result) { return graph_page_html(result); }

template <class AnyKind>
void write_all(OutputFolder& folder, AnyKind& result, bool page) {
  RunReport& report = result.report;
  const Stopwatch writing;
  write_tables(folder, result);
  OutputFile& file = folder.add("model.safetensors");
  write_model(file, result.model, report.settings);
  file.finish();
  if (report.survey) folder.add("survey.tsv").write(survey_tsv(report.survey->table));
  if (page) write_page(folder, report, [&] { return html_of(result); });
  finish_result(folder, writing, result.clock, report, [&] { return to_json(report); });
}

}  // namespace

void write_result(OutputFolder& folder, FlatResult& result, bool page) { write_all(folder, result, page); }

void write_result(OutputFolder& folder, TreeResult& result, bool page) { write_all(folder, result, page); }

void write_result(OutputFolder& folder, GraphResult& result, bool page) { write_all(folder, result, page); }

void write_page(OutputFolder& folder, RunReport& report, const std::function<std::string()>& html) {
  if (page_is_built()) {
    folder.add("report.html").write(html());
  } else {
    report.notes.push_back("there is no report.html: this program was built without Node.js.");
  }
}

void finish_result(OutputFolder& folder, const Stopwatch& writing, const Stopwatch& clock, RunReport& report,
                   const std::function<std::string()>& json) {
  report.notes.insert(report.notes.end(), folder.notes().begin(), folder.notes().end());
  report.seconds.write = writing.seconds();
  close_report(clock, report);
  folder.add("result.json").write(json());
  folder.commit();
}

void close_report(const Stopwatch& clock, RunReport& report) {
  report.seconds.total = clock.seconds();
  report.peak_memory_bytes = peak_memory();
}

}  // namespace copse
