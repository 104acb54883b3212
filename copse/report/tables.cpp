#include "copse/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "copse/options/wording.h"

namespace copse {
namespace {

// Shortest text that reads back as the same float: no more digits than a weight carries.
std::string shortest(double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<float>(value)).ptr;
  return {digits.data(), end};
}

}  // namespace

std::string cell(std::string text) {
  for (char& c : text) c = c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
  return text;
}

void write_assignments(OutputFile& file, const FlatResult& result) {
  const ModelItems& items = result.model.items;
  const std::vector<Index> numbers = items.kept_numbers();
  const bool stability =
      std::ranges::any_of(result.view.items, [](const TopicItem& item) { return item.stability.has_value(); });
  file.write(std::string("item\tcluster\tweight") + (stability ? "\tstability\n" : "\n"));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const TopicItem& item = result.view.items[i];
    double weight = item.node < 0 ? 0 : item.weight;
    if (item.node >= 0 && !item.outside) weight = result.model.h(numbers[i], item.node - 1);
    std::string line = cell(items.item_names[i]) + '\t';
    line += (item.node < 0 ? items.no_topic() : result.view.nodes[item.node].id) + '\t' + shortest(weight);
    if (stability) line += '\t' + (item.stability ? shortest(*item.stability) : "");
    file.write(line + '\n');
  }
}

void write_assignments(OutputFile& file, const GraphResult& result) {
  const ModelItems& items = result.model.items;
  const std::vector<Index> numbers = items.kept_numbers();
  file.write("item\tcluster\tweight\tmemberships\n");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const TopicItem& item = result.view.items[i];
    std::string line = cell(items.item_names[i]) + '\t';
    if (item.node < 0) {
      line += items.no_topic() + "\t0\t";
    } else {
      const std::string& id = result.view.nodes[item.node].id;
      line += fmt::format("{}\t{:.6g}\t{}:{:.4g}", id, item.weight, id, item.weight);
    }
    if (numbers[i] >= 0) {
      for (const auto& [other, share] : result.view.graph_nodes[numbers[i]].also)
        line += fmt::format(" {}:{:.4g}", other, share);
    }
    file.write(line + '\n');
  }
}

std::string topics_tsv(std::span<const Topic> topics) {
  const bool labels = std::ranges::any_of(topics, [](const Topic& topic) { return !topic.label.empty(); });
  std::string text = std::string("cluster\trank\tfeature\tweight") + (labels ? "\tlabel\n" : "\n");
  for (std::size_t cluster = 0; cluster < topics.size(); ++cluster) {
    const Topic& topic = topics[cluster];
    for (std::size_t r = 0; r < topic.words.size(); ++r) {
      text += fmt::format("{}\t{}\t{}\t{}", cluster, r + 1, cell(topic.words[r].name), shortest(topic.words[r].weight));
      text += labels ? '\t' + cell(topic.label) + '\n' : "\n";
    }
  }
  return text;
}

std::string communities_tsv(std::span<const Topic> communities) {
  const bool features = std::ranges::any_of(communities, [](const Topic& topic) { return !topic.words.empty(); });
  const bool classes = std::ranges::any_of(communities, [](const Topic& topic) { return !topic.main_class.empty(); });
  std::string text = "cluster\tnodes\toverlapping\tinside\tleaving\tconductance\tcentral\tneighbours";
  text += std::string(features ? "\tfeatures" : "") + (classes ? "\tclass\tclass_share\n" : "\n");
  const auto names_of = [](const std::vector<Ranked>& ranked, std::size_t most) {
    std::vector<std::string> names;
    for (std::size_t r = 0; r < std::min(most, ranked.size()); ++r) names.push_back(cell(ranked[r].name));
    return joined(names, ", ");
  };
  for (const Topic& topic : communities) {
    const CommunityFacts& facts = *topic.community;
    std::vector<std::string> neighbours;
    for (const auto& [other, weight] : facts.neighbours) neighbours.push_back(fmt::format("{}:{:.6g}", other, weight));
    text += fmt::format("{}\t{}\t{}\t{:.6g}\t{:.6g}\t{:.4g}\t{}\t{}", topic.id, topic.size, facts.overlapping,
                        facts.inside, facts.leaving, facts.conductance,
                        names_of(topic.representatives, topic.representatives.size()), joined(neighbours, " "));
    if (features) text += "\t" + names_of(topic.words, 10);
    if (classes) text += fmt::format("\t{}\t{:.4g}", cell(topic.main_class), topic.main_class_share);
    text += "\n";
  }
  return text;
}

}  // namespace copse
