#include "copse/report/write_result.h"

#include <algorithm>

#include "copse/base/memory.h"
#include "copse/report/graph_page.h"
#include "copse/report/graph_report.h"
#include "copse/report/result_json.h"
#include "copse/report/result_page.h"
#include "copse/report/survey_report.h"
#include "copse/report/tree_report.h"

namespace copse {
namespace {

// A table of partitions larger than this is not written; the numbers of the splits in tree.json tell the same.
constexpr double most_partition_cells = 2e7;

// All items of the file in their order, line by line: a table of millions need not stand in memory. The weight is the
// coefficient in H.
template <class T>
void write_assignments(OutputFile& file, const FlatResult<T>& result) {
  const ModelItems& items = result.model.items;
  const std::vector<Index> numbers = items.kept_numbers();
  const std::string none = items.no_topic();
  const bool stability =
      std::ranges::any_of(result.view.items, [](const TopicItem& item) { return item.stability.has_value(); });
  std::string line = assignments_header(stability);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    file.write(line);
    line.clear();
    const TopicItem& item = result.view.items[i];
    double weight = item.node < 0 ? 0 : item.weight;
    if (item.node >= 0 && !item.outside) weight = static_cast<double>(result.model.h(numbers[i], item.node - 1));
    append_line({items.item_names[i], item.node < 0 ? none : result.view.nodes[item.node].id, weight, item.stability},
                stability, line);
  }
  file.write(line);
}

template <class T>
void write_tables(OutputFolder& folder, FlatResult<T>& result) {
  write_assignments(folder.add("assignments.tsv"), result);
  folder.add("topics.tsv").write(topics_tsv(result.report.topics));
  OutputFile& file = folder.add("model.safetensors");
  write_model(file, result.model, result.report.settings);
  file.finish();
}

template <class T>
void write_tables(OutputFolder& folder, TreeResult<T>& result) {
  folder.add("tree.json").write(tree_json(result));
  folder.add("tree.newick").write(tree_newick(result));
  write_tree_assignments(folder.add("assignments.tsv"), result);
  folder.add("topics.tsv").write(topics_tsv(result.report.topics));
  const double cells = static_cast<double>(result.model.items.item_names.size()) * result.tree().splits();
  if (cells <= most_partition_cells) {
    write_partitions(folder.add("partitions.tsv"), result);
  } else {
    result.report.notes.push_back(
        "partitions.tsv would be too large; the numbers of the splits in tree.json tell the same.");
  }
  OutputFile& file = folder.add("model.safetensors");
  write_tree_model(file, result.model, result.report.settings);
  file.finish();
}

template <class T>
void write_tables(OutputFolder& folder, GraphResult<T>& result) {
  folder.add("assignments.tsv").write(graph_assignments_tsv(result));
  folder.add("communities.tsv").write(communities_tsv(*result.report.graph));
  OutputFile& file = folder.add("model.safetensors");
  write_graph_model(file, result.model, result.report.settings);
  file.finish();
}

template <class Result>
std::string html_of(const Result& result) {
  return page_html(page_of(result.view, result.model.items, result.report));
}

template <class T>
std::string html_of(const GraphResult<T>& result) {
  return graph_page_html(result);
}

template <class Result>
void write_all(OutputFolder& folder, Result& result, bool page) {
  RunReport& report = result.report;
  const Stopwatch writing;
  write_tables(folder, result);
  if (report.survey) folder.add("survey.tsv").write(survey_tsv(report.survey->table));
  if (page && page_is_built()) {
    folder.add("report.html").write(html_of(result));
  } else if (page) {
    report.notes.push_back("there is no report.html: this program was built without Node.js.");
  }
  report.notes.insert(report.notes.end(), folder.notes().begin(), folder.notes().end());
  report.seconds.write = writing.seconds();
  close_report(result.clock, report);
  folder.add("result.json").write(to_json(report));
  folder.commit();
}

}  // namespace

template <class T>
void write_result(OutputFolder& folder, FlatResult<T>& result, bool page) {
  write_all(folder, result, page);
}

template <class T>
void write_result(OutputFolder& folder, TreeResult<T>& result, bool page) {
  write_all(folder, result, page);
}

template <class T>
void write_result(OutputFolder& folder, GraphResult<T>& result, bool page) {
  write_all(folder, result, page);
}

void close_report(const Stopwatch& clock, RunReport& report) {
  report.seconds.total = clock.seconds();
  report.peak_memory_bytes = peak_memory();
}

#define COPSE_INSTANTIATE(T)                                        \
  template void write_result(OutputFolder&, FlatResult<T>&, bool);  \
  template void write_result(OutputFolder&, GraphResult<T>&, bool); \
  template void write_result(OutputFolder&, TreeResult<T>&, bool);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
