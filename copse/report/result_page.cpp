#include "copse/report/result_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "copse/describe/periods.h"
#include "copse/describe/word_forms.h"
#include "copse/model/survey_text.h"
#include "copse/options/wording.h"
#include "copse/tree/ids.h"

namespace copse {
namespace {

std::string path_of(const Settings& settings) {
  for (const char* name : {"documents", "matrix", "graph"}) {
    if (std::string path = text_setting(settings, name); !path.empty()) return path;
  }
  return "";
}

std::string title_of(const Settings& settings) {
  if (std::string name = text_setting(settings, "name"); !name.empty()) return name;
  const std::filesystem::path path(path_of(settings));
  if (path.empty()) return "Topics";
  if (path == "-") return "standard input";
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

// A demo finds its data by itself, and an edit takes a folder.
std::string line_of(const RunReport& report) {
  if (!report.line.empty()) return report.line;
  const std::string line = "copse " + report.command;
  const bool takes_data = report.command != "demo" && report.command != "edit";
  return takes_data ? line + " " + path_of(report.settings) : line;
}

std::vector<std::pair<std::string, std::string>> facts_of(const RunReport& report) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"version", "copse " + report.version},
      {"seed", std::to_string(report.seed)},
      {"matrix",
       fmt::format("{} x {}, {} entries", counted(report.rows), counted(report.cols), counted(report.nonzeros))}};
  const auto steps = steps_of(report.seconds);
  facts.insert(facts.end(), steps.begin(), steps.end());
  if (report.measures) {
    facts.emplace_back("accuracy", fmt::format("{:.3f}", report.measures->accuracy));
    facts.emplace_back("normalized mutual information", fmt::format("{:.3f}", report.measures->nmi));
    facts.emplace_back("adjusted Rand index", fmt::format("{:.3f}", report.measures->ari));
  }
  return facts;
}

// The nodes of the outline, parents before children, the largest child first. Returns the place of each node of the
// view, -1 for one that is not shown.
std::vector<Index> add_shown_nodes(const TopicView& view, Page& page) {
  std::vector<Index> places(view.nodes.size(), -1), shown{0};
  for (std::size_t s = 0; s < shown.size(); ++s) {
    const Index n = shown[s];
    places[n] = static_cast<Index>(s);
    Topic& node = page.nodes.emplace_back(view.nodes[n]);
    node.id = short_id(node.id);
    if (n > 0) node.parent = places[view.outline.parent[n]];
    shown.insert(shown.end(), view.outline.children[n].begin(), view.outline.children[n].end());
  }
  return places;
}

// Numbers for the classes in their alphabetical order; -1 for none.
std::vector<Index> number_classes(const std::vector<std::string>& classes, std::vector<std::string>& labels) {
  std::map<std::string, Index> numbers;
  for (const std::string& name : classes) {
    if (!name.empty()) numbers.emplace(name, 0);
  }
  for (auto& [name, number] : numbers) {
    number = static_cast<Index>(labels.size());
    labels.push_back(name);
  }
  std::vector<Index> result;
  result.reserve(classes.size());
  for (const std::string& name : classes) result.push_back(name.empty() ? -1 : numbers[name]);
  return result;
}

}  // namespace

PageHead head_of(const RunReport& report, const std::string& title) {
  return {.title = title.empty() ? title_of(report.settings) : title,
          .command = line_of(report),
          .settings = report.settings,
          .facts = facts_of(report),
          .notes = report.notes,
          .survey = survey_text(report)};
}

std::vector<std::pair<std::string, std::string>> steps_of(const Seconds& seconds) {
  std::vector<std::pair<std::string, std::string>> steps;
  const auto add = [&](const char* name, double took) {
    if (took > 0) steps.emplace_back(name, in_seconds(took));
  };
  add("read", seconds.read);
  add("prepare", seconds.prepare);
  add("solve", seconds.solve);
  add("write", seconds.write);
  return steps;
}

Page page_of(const TopicView& view, const ModelItems& items, const RunReport& report) {
  Page page{head_of(report)};
  // Whatever command made the result, a graph's settings name the graph.
  const bool graph = std::ranges::any_of(report.settings, [](const auto& setting) { return setting.first == "graph"; });
  if (!items.is_text()) page.items = graph ? "node" : "item";
  page.forms = word_forms(items);
  const auto kept = static_cast<double>(items.kept_items.empty() ? items.item_names.size() : items.kept_items.size());
  for (const Index count : items.document_counts) page.shares.push_back(static_cast<double>(count) / kept);
  const std::vector<Index> places = add_shown_nodes(view, page);
  const auto place = [&](Index node) { return node < 0 ? -1 : places[node]; };

  const std::vector<Index> classes = number_classes(items.classes, page.labels);
  Periods periods = periods_of(items.times);
  page.times = std::move(periods.names);
  page.documents.resize(view.items.size());
  for (std::size_t i = 0; i < view.items.size(); ++i) {
    const TopicItem& item = view.items[i];
    PageDocument& document = page.documents[i];
    document.title = items.titles.empty() || items.titles[i].empty() ? items.item_names[i] : items.titles[i];
    document.leaf = place(item.node);
    // The page names a second topic only where it is a leaf.
    const bool leaf = item.second >= 0 && view.nodes[item.second].leaf;
    document.second = leaf ? place(item.second) : -1;
    document.weight = item.weight;
    document.second_weight = leaf ? item.second_weight : 0;
    document.stability = item.stability.value_or(-1);
    document.outlier = item.outlier;
    if (!classes.empty()) document.label = classes[i];
    if (!periods.places.empty()) document.time = periods.places[i];
  }
  for (const Index item : items.near_duplicates) page.documents[items.number_of(item)].near_duplicate = true;

  // Best first: the page leaves out from the end what does not fit.
  std::vector<std::size_t> rank(items.item_names.size(), 1000);
  for (const Topic& node : page.nodes) {
    for (std::size_t r = 0; r < node.representatives.size(); ++r)
      rank[node.representatives[r].number] = std::min(rank[node.representatives[r].number], r);
  }
  for (std::size_t e = 0; e < items.excerpts.size(); ++e)
    page.texts.push_back({items.excerpt_items[e], items.excerpts[e]});
  std::ranges::stable_sort(page.texts, {}, [&](const PageText& text) { return rank[text.document]; });
  return page;
}

}  // namespace copse
