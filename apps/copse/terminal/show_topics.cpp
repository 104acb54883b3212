#include "apps/copse/terminal/show_topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/copse/terminal/harmless.h"
#include "apps/copse/terminal/show_comparison.h"
#include "apps/copse/terminal/show_graph.h"
#include "apps/copse/terminal/show_parts.h"
#include "apps/copse/terminal/show_run.h"
#include "apps/copse/terminal/show_segments.h"
#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"
#include "copse/describe/names.h"
#include "copse/describe/periods.h"
#include "copse/describe/read_result.h"
#include "copse/model/survey_text.h"
#include "copse/report/compare_report.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t excerpt_bytes = 400;

struct ShownDocument {
  Index item = 0;
  double weight = 0;
  std::string nearest = {};  // of an outlier
};

// One topic, or a group of documents that have none.
struct ShownTopic {
  Topic topic;
  std::vector<std::pair<std::string, Index>> classes = {};  // the commonest first
  std::vector<std::pair<std::string, Index>> times = {};    // in their order
  std::vector<ShownDocument> documents = {};
};

bool is_below(const TopicView& view, Index node, Index top) {
  while (node > top) node = view.nodes[node].parent;
  return node == top;
}

// Whether item i belongs to what is shown.
template <class Belongs>
void add_tables(const StoredView& result, const Belongs& belongs, ShownTopic& shown) {
  const ModelItems& items = result.items;
  std::map<std::string, Index> classes;
  const Periods periods = periods_of(items.times);
  std::vector<Index> times(periods.names.size(), 0);
  for (std::size_t i = 0; i < result.view.items.size(); ++i) {
    if (!belongs(result.view.items[i])) continue;
    if (!items.classes.empty() && !items.classes[i].empty()) ++classes[items.classes[i]];
    if (!times.empty() && periods.places[i] >= 0) ++times[periods.places[i]];
  }
  shown.classes.assign(classes.begin(), classes.end());
  std::ranges::stable_sort(shown.classes, std::greater(), [](const auto& entry) { return entry.second; });
  for (std::size_t p = 0; p < times.size(); ++p) shown.times.emplace_back(periods.names[p], times[p]);
}

ShownTopic shown_node(const StoredView& result, Index node, const ShowOptions& options, bool tables) {
  ShownTopic shown{.topic = result.view.nodes[node]};
  std::vector<Ranked>& words = shown.topic.words;
  words.resize(std::min(words.size(), static_cast<std::size_t>(options.words)));
  if (!tables) return shown;
  add_tables(
      result, [&](const TopicItem& item) { return item.node >= 0 && is_below(result.view, item.node, node); }, shown);
  for (const Ranked& best : shown.topic.representatives) shown.documents.push_back({best.number, best.weight});
  return shown;
}

// "outlier" or "none".
ShownTopic shown_group(const StoredView& result, const std::string& name, const ShowOptions& options) {
  ShownTopic shown{.topic = {.id = name}};
  const auto belongs = [&](const TopicItem& item) { return name == "none" ? item.node < 0 : item.outlier; };
  for (std::size_t i = 0; i < result.view.items.size(); ++i) {
    const TopicItem& item = result.view.items[i];
    if (!belongs(item)) continue;
    ++shown.topic.size;
    if (shown.topic.size > options.documents) continue;
    shown.documents.push_back({static_cast<Index>(i), item.weight});
    if (item.node >= 0) shown.documents.back().nearest = result.view.nodes[item.node].id;
  }
  add_tables(result, belongs, shown);
  return shown;
}

std::string title_of(const ModelItems& items, Index item) {
  return items.titles.empty() || items.titles[item].empty() ? "" : items.titles[item];
}

const std::string* text_of(const ModelItems& items, Index item) {
  const auto found = std::ranges::lower_bound(items.excerpt_items, item);
  if (found == items.excerpt_items.end() || *found != item) return nullptr;
  return &items.excerpts[found - items.excerpt_items.begin()];
}

Json json_of(const ShownTopic& shown, const ModelItems& items, bool documents) {
  const Topic& topic = shown.topic;
  Json json = {{"id", topic.id}, {"name", topic.name}, {"label", topic.label}, {"size", topic.size}};
  if (topic.score) json["score"] = *topic.score;
  if (topic.coherence) json["coherence"] = *topic.coherence;
  if (topic.stability) json["stability"] = *topic.stability;
  json["words"] = Json::array();
  for (const Ranked& word : topic.words) json["words"].push_back({{"word", word.name}, {"weight", word.weight}});
  if (!documents) return json;
  for (const auto& [name, count] : shown.classes) json["classes"][name] = count;
  for (const auto& [name, count] : shown.times) json["times"][name] = count;
  json["documents"] = Json::array();
  for (const ShownDocument& document : shown.documents) {
    Json entry = {{"item", items.item_names[document.item]}, {"weight", document.weight}};
    if (const std::string title = title_of(items, document.item); !title.empty()) entry["title"] = title;
    if (!document.nearest.empty()) entry["nearest"] = document.nearest;
    if (const std::string* text = text_of(items, document.item)) entry["text"] = *text;
    json["documents"].push_back(std::move(entry));
  }
  return json;
}

// The first words of a text on a few lines.
std::string beginning(const std::string& text, std::size_t width) {
  std::string line;
  for (const char c : harmless(text)) {
    const bool space = c == ' ';
    if (space && (line.empty() || line.back() == ' ')) continue;
    line.push_back(space ? ' ' : c);
    if (line.size() >= excerpt_bytes && space) break;
  }
  if (line.size() >= excerpt_bytes) line += "...";
  return wrapped(line, width, 4);
}

std::string text_of(const ShownTopic& shown, const ModelItems& items, std::size_t width) {
  const Topic& topic = shown.topic;
  std::string text =
      fmt::format("topic {}{}: {}", topic.id, topic.label.empty() ? "" : " \"" + harmless(topic.label) + "\"",
                  counted(topic.size, items.is_text() ? "document" : "item"));
  if (topic.coherence) text += fmt::format(", coherence {:.1f}", *topic.coherence);
  if (topic.stability) text += fmt::format(", stability {:.2f}", *topic.stability);
  if (topic.score) text += fmt::format(", score {:.4g}", *topic.score);
  text += "\n";
  text += section(
      "words", topic.words, [](const Ranked& e) { return fmt::format("{} {:.3f}", harmless(e.name), e.weight); }, 1000,
      width);
  const auto count = [](const auto& e) { return fmt::format("{} {}", harmless(e.first), counted(e.second)); };
  text += section("classes", shown.classes, count, 12, width);
  text += section("times", shown.times, count, 100, width);
  if (!shown.documents.empty()) text += "documents:\n";
  for (const ShownDocument& document : shown.documents) {
    const std::string title = harmless(title_of(items, document.item));
    text += fmt::format("  {}{}  ({:.3f}{})\n", harmless(items.item_names[document.item]),
                        title.empty() ? "" : "  " + title, document.weight,
                        document.nearest.empty() ? "" : ", nearest topic " + document.nearest);
    if (const std::string* excerpt = text_of(items, document.item)) text += beginning(*excerpt, width);
  }
  return text;
}

// The topics, then the outliers and the documents without a topic, and which topics persist.
std::string list_of(const StoredView& result, const RunReport& report, const ShowOptions& options) {
  std::string groups;
  const auto outliers = std::ranges::count_if(result.view.items, &TopicItem::outlier);
  const auto dropped = std::ranges::count(result.view.items, Index(-1), &TopicItem::node);
  if (outliers > 0)
    groups += fmt::format("outlier  {}  set aside by the splits, each in its nearest topic\n", counted(outliers));
  if (dropped > 0) groups += fmt::format("none  {}  without a topic\n", counted(dropped));
  if (const std::string sentence = harmless(persistence_sentence(report)); !sentence.empty())
    groups += "\n" + sentence + "\n";
  std::size_t rows = 1;
  for (const std::string& line : split(groups, '\n')) rows += rows_of(line);
  OutlineTableOptions table = screen_for(options.all, rows);
  table.words = static_cast<std::size_t>(options.words);
  table.coherence = true;
  return outline_table(result.view, table) + groups;
}

}  // namespace

std::string show_result(const ShowOptions& options) {
  if (holds_comparison(options.folder)) {
    const StoredComparison stored = read_comparison(options.folder);
    if (options.json) return stored.json;
    const std::string line = agreement_line(stored.outcomes, stored.agreement);
    return comparison_table(stored.outcomes) + (line.empty() ? "" : "\n" + line + "\n");
  }
  const StoredResult stored(options.folder);
  if (stored.is_graph()) return show_graph(stored, options);
  if (stored.is_segmentation()) return show_segments(stored, options.json);
  const ViewLimits limits{.words = static_cast<std::size_t>(std::max(options.words, most_words)),
                          .representatives = static_cast<std::size_t>(options.documents)};
  const StoredView result = read_view(stored, limits);
  if (options.prompt) return names_prompt(result.view, result.items);
  const std::size_t width = terminal_width();
  if (options.topic) {
    const bool group = *options.topic == "outlier" || *options.topic == "none";
    const ShownTopic topic = group ? shown_group(result, *options.topic, options)
                                   : shown_node(result, result.view.find(*options.topic), options, true);
    return options.json ? json_text(json_of(topic, result.items, true)) : text_of(topic, result.items, width);
  }
  if (!options.json) return list_of(result, stored.report, options);
  Json json = {{"command", "show"}, {"result", options.folder}, {"topics", Json::array()}};
  for (Index n = 1; n < static_cast<Index>(result.view.nodes.size()); ++n)
    json["topics"].push_back(json_of(shown_node(result, n, options, false), result.items, false));
  json["outliers"] = std::ranges::count_if(result.view.items, &TopicItem::outlier);
  json["none"] = std::ranges::count(result.view.items, Index(-1), &TopicItem::node);
  return json_text(json);
}

}  // namespace copse
