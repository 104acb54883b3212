#include "apps/copse/terminal/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/copse/terminal/harmless.h"
#include "apps/copse/terminal/words.h"
#include "copse/measure/measure.h"
#include "copse/tree/ids.h"

namespace copse {

namespace {

// Names of others, fit for a cell.
std::vector<Topic> with_harmless_names(std::vector<Topic> topics) {
  for (Topic& topic : topics) {
    topic.label = harmless(topic.label);
    topic.main_class = harmless(topic.main_class);
    for (Ranked& word : topic.words) word.name = harmless(word.name);
  }
  return topics;
}

}  // namespace

std::string topics_table(const std::vector<Topic>& given, std::size_t width) {
  const std::vector<Topic> topics = with_harmless_names(given);
  std::vector<std::size_t> order(topics.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return topics[a].size > topics[b].size; });
  Index items = 0;
  std::size_t class_width = 0;  // 0: no truth, no column
  bool stability = false;
  std::size_t name_width = 0;  // 0: no names, no column
  for (const Topic& topic : topics) {
    items += topic.size;
    stability = stability || topic.stability;
    if (!topic.label.empty()) name_width = std::max<std::size_t>({name_width, topic.label.size(), 4});
    if (!topic.main_class.empty()) class_width = std::max<std::size_t>({class_width, topic.main_class.size(), 5});
  }
  const auto line = [&](const std::string& cluster, const std::string& count, const std::string& share,
                        const std::string& main_class, const std::string& main_share, const std::string& stable,
                        const std::string& name) {
    std::string left = fmt::format("{:>7}  {:>9}  {:>5}  ", cluster, count, share);
    if (stability) left += fmt::format("{:>9}  ", stable);
    if (class_width > 0) left += fmt::format("{:<{}} {:>4}  ", main_class, class_width, main_share);
    if (name_width > 0) left += fmt::format("{:<{}}  ", name, name_width);
    return left;
  };
  std::string table = line("cluster", "items", "share", "class", "", "stability", "name") + "top features\n";
  for (const std::size_t c : order) {
    const Topic& topic = topics[c];
    std::string features;
    for (const Ranked& word : topic.words) features += (features.empty() ? "" : " ") + word.name;
    const double share = items == 0 ? 0 : static_cast<double>(topic.size) / static_cast<double>(items);
    const std::string left =
        line(std::to_string(c), counted(topic.size), fmt::format("{:.1f}%", 100 * share), topic.main_class,
             topic.main_class.empty() ? "" : fmt::format("{:.0f}%", 100 * topic.main_class_share),
             topic.stability ? fmt::format("{:.2f}", *topic.stability) : "", topic.label);
    if (width < left.size() + 20) {
      table += left + features + "\n";
    } else {
      table += left + (features.empty() ? "\n" : wrapped(features, width, left.size()).substr(left.size()));
    }
  }
  return table;
}

namespace {

struct OutlineLine {
  Index node = 0;
  std::size_t depth = 0;  // 0 below the root
  Index hidden = 0;       // topics below it that have no line
};

Index topics_below(const Outline& outline, Index node) {
  Index count = 0;
  std::vector<Index> stack{node};
  while (!stack.empty()) {
    const Index n = stack.back();
    stack.pop_back();
    count += static_cast<Index>(outline.children[n].size());
    stack.insert(stack.end(), outline.children[n].begin(), outline.children[n].end());
  }
  return count;
}

// Which topics are open: all, or the largest ones whose children all fit into so many lines.
std::vector<char> open_topics(const TopicView& view, std::size_t lines) {
  const auto& children = view.outline.children;
  std::vector<char> open(view.nodes.size(), lines == 0 ? 1 : 0);
  if (lines == 0) return open;
  open[0] = 1;
  std::size_t used = children[0].size();
  std::vector<Index> closed = children[0];
  while (!closed.empty()) {
    const auto largest =
        std::ranges::max_element(closed, {}, [&](Index n) { return std::pair(view.nodes[n].size, -n); });
    const Index n = *largest;
    closed.erase(largest);
    if (children[n].empty() || used + children[n].size() > lines) continue;
    open[n] = 1;
    used += children[n].size();
    closed.insert(closed.end(), children[n].begin(), children[n].end());
  }
  return open;
}

std::vector<OutlineLine> lines_of(const TopicView& view, const std::vector<char>& open) {
  std::vector<OutlineLine> lines;
  const auto write = [&](const auto& self, Index n, std::size_t depth) -> void {
    for (const Index child : view.outline.children[n]) {
      lines.push_back({child, depth, open[child] != 0 ? 0 : topics_below(view.outline, child)});
      if (open[child] != 0) self(self, child, depth + 1);
    }
  };
  write(write, 0, 0);
  return lines;
}

// Eighths of a column: U+2588 is a full one, U+2589 to U+258F are seven eighths to one.
std::string bar_of(double share, std::size_t columns) {
  const auto eighths = static_cast<std::size_t>(std::lround(share * static_cast<double>(8 * columns)));
  std::string bar;
  for (std::size_t c = 0; c < eighths / 8; ++c) bar += "\xE2\x96\x88";
  if (eighths % 8 > 0) bar += std::string("\xE2\x96") + static_cast<char>(0x90 - eighths % 8);
  return bar + std::string(columns - (eighths + 7) / 8, ' ');
}

// Columns on a terminal, one for each character of UTF-8.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

constexpr std::size_t bar_columns = 8;

}  // namespace

std::string outline_table(const TopicView& view, const OutlineTableOptions& options) {
  const Index all = topics_below(view.outline, 0);
  const bool cut = options.lines > 0 && all > static_cast<Index>(options.lines);
  const std::size_t most = cut ? options.lines - 1 : 0;  // the last line is for what is missing
  std::vector<OutlineLine> lines = lines_of(view, open_topics(view, most));
  if (cut && lines.size() > most) lines.resize(most);  // even the topics below the root are too many

  std::size_t id_width = 0, size_width = 0;
  Index largest = 1;
  std::vector<std::string> ids;
  for (const OutlineLine& line : lines) {
    ids.push_back(std::string(2 * line.depth, ' ') + short_id(view.nodes[line.node].id));
    id_width = std::max(id_width, ids.back().size());
    size_width = std::max(size_width, counted(view.nodes[line.node].size).size());
    largest = std::max(largest, view.nodes[line.node].size);
  }
  const auto total = static_cast<double>(std::max<Index>(1, view.nodes[0].size));
  std::string table;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const Topic& topic = view.nodes[lines[l].node];
    const auto size = static_cast<double>(topic.size);
    std::string text =
        fmt::format("{:<{}}  {:>{}}  {:>5.1f}%", ids[l], id_width, counted(topic.size), size_width, 100 * size / total);
    if (options.bars) text += "  " + bar_of(size / static_cast<double>(largest), bar_columns);
    if (options.coherence && topic.coherence) text += fmt::format("  ({:.0f})", *topic.coherence);
    if (topic.dropped) text += "  dropped";
    if (topic.stability) text += fmt::format("  stability {:.2f}", *topic.stability);
    if (const std::string& label = topic.label.empty() ? topic.name : topic.label; !label.empty())
      text += "  \"" + harmless(label) + "\"";
    const std::string below = lines[l].hidden > 0 ? fmt::format("  +{}", lines[l].hidden) : "";
    std::string words;
    std::size_t columns = columns_of(text) + below.size() + 1;
    for (std::size_t r = 0; r < std::min(options.words, topic.words.size()); ++r) {
      const std::string word = " " + harmless(topic.words[r].name);
      columns += columns_of(word);
      if (options.width > 0 && columns > options.width) break;
      words += word;
    }
    table += text + (words.empty() ? "" : " " + words) + below + "\n";
  }
  const Index missing = all - static_cast<Index>(lines.size());
  if (missing > 0) table += fmt::format("... and {}; --all shows all\n", counted(missing, "smaller topic"));
  return table;
}

std::string measures_line(const ClusteringMeasures& measures) {
  std::string line;
  for (const Measure& measure : agreement_measures())
    line += fmt::format("{} {:.4f}  ", measure.name, measures.*measure.agreement);
  return fmt::format("{}({}, {}, {})", line, counted(measures.items, "item"), counted(measures.clusters, "cluster"),
                     measures.classes == 1 ? "1 class" : counted(measures.classes) + " classes");
}

}  // namespace copse
